#include "protocols/remoting/client/resolve.hpp"

#include <charconv>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace sluice::remoting {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Blocks.
Result<TcpEndpoints> look_up(const HostPort& address) {
  asio::io_context context;
  tcp::resolver resolver(context);
  boost::system::error_code error;
  const auto found = resolver.resolve(address.host, std::to_string(address.port),
                                      tcp::resolver::numeric_service, error);
  if (error) {
    return fail(Errc::unavailable,
                "the name \"" + address.host + "\" is not found: " + error.message());
  }
  TcpEndpoints endpoints;
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  if (endpoints.empty()) {
    return fail(Errc::unavailable, "the name \"" + address.host + "\" has no address");
  }
  return endpoints;
}

}  // namespace

Result<HostPort> parse_host_port(std::string_view text) {
  const auto wrong = [&] {
    return fail(Errc::invalid_argument,
                "\"" + std::string(text) + "\" is no address: write host:port");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong();
  HostPort address;
  std::string_view host = text.substr(0, colon);
  const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  const bool has_stray_sign =
      host.find_first_of(is_bracketed ? "[]" : "[]:") != std::string_view::npos;
  if (has_stray_sign) return wrong();
  address.host = host;
  const std::string_view port = text.substr(colon + 1);
  const char* const end = port.data() + port.size();
  const auto [stop, error] = std::from_chars(port.data(), end, address.port);
  if (error != std::errc{} || stop != end || address.port == 0) return wrong();
  return address;
}

void resolve(Runtime& runtime, Executor executor, std::string_view address,
             UniqueFunction<void(Result<TcpEndpoints>)> done) {
  auto parsed = parse_host_port(address);
  if (!parsed) return done(fail(std::move(parsed).error()));
  boost::system::error_code not_a_number;
  const auto number = asio::ip::make_address(parsed->host, not_a_number);
  if (!not_a_number) return done(TcpEndpoints{tcp::endpoint(number, parsed->port)});

  auto shared = std::make_shared<UniqueFunction<void(Result<TcpEndpoints>)>>(std::move(done));
  runtime.run_blocking([executor, parsed = *std::move(parsed), shared]() mutable {
    auto found = look_up(parsed);
    asio::post(executor, [shared = std::move(shared), found = std::move(found)]() mutable {
      (*shared)(std::move(found));
    });
  });
}

}  // namespace sluice::remoting
