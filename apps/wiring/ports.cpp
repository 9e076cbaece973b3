#include "apps/wiring/ports.hpp"

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace sluice::apps {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Binds as the listener will, and lets go of the port again. \return the port bound.
Result<std::uint16_t> try_to_bind(const std::string& bind_address, std::uint16_t port) {
  asio::io_context context;
  boost::system::error_code error;
  const tcp::endpoint endpoint(asio::ip::make_address(bind_address, error), port);
  tcp::acceptor probe(context);
  if (!error) probe.open(endpoint.protocol(), error);
  if (!error) probe.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) probe.bind(endpoint, error);
  if (error) {
    return fail(Errc::io_error,
                fmt::format("cannot listen on {}:{}: {}", bind_address, port, error.message()));
  }
  return probe.local_endpoint(error).port();
}

}  // namespace

Result<std::uint16_t> find_free_port(const std::string& bind_address) {
  auto port = try_to_bind(bind_address, 0);
  if (port) return port;
  return fail(port.error().code, describe_listen_failure("remoting", port.error().text));
}

Result<> check_can_listen(const config::ListenerConfig& listener) {
  const auto port = try_to_bind(listener.bind_address, listener.port);
  if (port) return {};
  return fail(port.error().code, describe_listen_failure(listener.name, port.error().text));
}

std::string describe_listen_failure(std::string_view name, std::string_view text) {
  if (name == "vip") return fmt::format("listeners.remoting.vip: {}", text);
  return fmt::format(
      "listeners.{0}: {1}\n  `--set listeners.{0}.port=N` takes another port, "
      "`--set listeners.{0}.bind=ADDRESS` another address.",
      name, text);
}

}  // namespace sluice::apps
