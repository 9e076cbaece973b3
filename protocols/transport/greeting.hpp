#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "common/base/metrics.hpp"
#include "common/model/endpoint.hpp"
#include "common/runtime/runtime.hpp"
#include "protocols/spi/protocol_plugin.hpp"
#include "protocols/transport/proxy_header.hpp"
#include "protocols/transport/session.hpp"
#include "protocols/transport/stream.hpp"
#include "protocols/transport/tls_context.hpp"

namespace sluice::transport {

/// Whether a proxy's header (proxy_header.hpp) may or must stand before everything else.
enum class ProxyProtocol : std::uint8_t { off, optional, required };

/// What a listener expects of the first bytes of a connection.
struct GreetingOptions {
  ProxyProtocol proxy_protocol = ProxyProtocol::off;
  std::shared_ptr<TlsContext> tls;  ///< nullptr: TLS is no matter here.

  /// False: whoever is accepted speaks the listener's protocol from the first byte.
  [[nodiscard]] bool is_needed() const noexcept {
    return proxy_protocol != ProxyProtocol::off || tls != nullptr;
  }
};

/// Takes the settings `proxy_protocol`, `tls`, `tls_certificate`, `tls_key`, `tls_client_auth` and
/// `tls_client_ca` out of `settings`; absent ones have the values of GreetingOptions.
/// \return as TlsContext::make().
[[nodiscard]] Result<GreetingOptions> take_greeting_options(
    decltype(protocol::ListenerOptions::settings)& settings);

/// The first bytes of one connection: a proxy's header, then TLS or not. Reads no byte of what
/// follows. A peer that says nothing costs a coroutine and a slot of the timer wheel.
class Greeting final : public Session {
 public:
  using OnDone = std::function<void(Stream stream, model::Endpoint peer)>;

  /// `socket` does not block. \param on_done  Called once at most, by run(), for a peer that greets
  /// as the listener expects; others are closed, and counted in `sluice_greetings_refused_total`.
  Greeting(Runtime& runtime, const GreetingOptions& options, TcpSocket socket, OnDone on_done);

  Task<> run() override;
  void stop() noexcept override { close(); }
  void close() noexcept override;

 private:
  enum class Step : std::uint8_t { wait, look_again, shake_hands, done, refuse };

  void arm(std::chrono::seconds delay);
  Step look();
  Step look_at(BytesView bytes);
  Step take_proxy_header(const ProxyHeader& header);
  Step wait_for(std::size_t bytes);
  void set_low_water(int bytes);
  /// True once the connection is encrypted.
  Task<bool> shake_hands();
  std::size_t receive_ciphertext(boost::system::error_code& error);
  Step refuse(metrics::Counter& reason);

  const GreetingOptions& options_;
  TcpSocket socket_;
  OnDone on_done_;
  model::Endpoint peer_;
  std::unique_ptr<TlsEngine> tls_;
  TimerWheel::Timer deadline_;
  Runtime& runtime_;
  std::size_t seen_ = 0;  // bytes that were there at the last look
  bool has_proxy_header_ = false;
};

}  // namespace sluice::transport
