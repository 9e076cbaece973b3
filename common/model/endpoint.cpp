#include "common/model/endpoint.hpp"

#include <arpa/inet.h>

#include <charconv>

namespace sluice::model {

Result<Endpoint> parse_endpoint(std::string_view text) {
  const auto wrong = [&] {
    return fail(Errc::invalid_argument,
                "'" + std::string(text) + "' is no address: write 1.2.3.4:port or [::1]:port");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  std::string host(text.substr(0, colon));
  const std::string_view port_text = text.substr(colon + 1);
  Endpoint endpoint;
  const auto [end, error] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), endpoint.port);
  if (error != std::errc{} || end != port_text.data() + port_text.size()) return wrong();
  endpoint.is_v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (endpoint.is_v6) host = host.substr(1, host.size() - 2);
  const int family = endpoint.is_v6 ? AF_INET6 : AF_INET;
  if (::inet_pton(family, host.c_str(), endpoint.address.data()) != 1) return wrong();
  return endpoint;
}

std::string to_string(const Endpoint& endpoint) {
  char text[INET6_ADDRSTRLEN] = {};
  const int family = endpoint.is_v6 ? AF_INET6 : AF_INET;
  ::inet_ntop(family, endpoint.address.data(), text, sizeof(text));
  const std::string host = endpoint.is_v6 ? "[" + std::string(text) + "]" : std::string(text);
  return host + ":" + std::to_string(endpoint.port);
}

}  // namespace sluice::model
