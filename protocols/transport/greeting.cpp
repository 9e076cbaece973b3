#include "protocols/transport/greeting.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include <boost/asio/redirect_error.hpp>

#include "common/base/assert.hpp"
#include "common/base/limits.hpp"
#include "common/base/log.hpp"
#include "common/base/metrics.hpp"

namespace sluice::transport {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// The first byte of a ClientHello's record (RFC 8446 §5.1: handshake).
constexpr std::byte kTlsFirstByte{0x16};

metrics::Counter& refused(std::string_view labels) {
  return metrics::counter("sluice_greetings_refused_total", labels,
                          "Connections closed for their first bytes, by reason.");
}

struct Metrics {
  metrics::Counter& proxy_header = refused("reason=\"proxy_header\"");
  metrics::Counter& no_proxy_header = refused("reason=\"no_proxy_header\"");
  metrics::Counter& plain_text = refused("reason=\"plain_text\"");
  metrics::Counter& handshake = refused("reason=\"handshake\"");
  metrics::Counter& silent = refused("reason=\"silent\"");
  metrics::Counter& encrypted =
      metrics::counter("sluice_tls_connections_total", "", "Connections that came to use TLS.");
};

const Metrics& metrics_of_greetings() {
  static const Metrics metrics;
  return metrics;
}

std::string take(decltype(protocol::ListenerOptions::settings)& settings, std::string_view name) {
  const auto found = settings.find(name);
  if (found == settings.end()) return {};
  return std::move(settings.extract(found).mapped());
}

}  // namespace

Result<GreetingOptions> take_greeting_options(
    decltype(protocol::ListenerOptions::settings)& settings) {
  GreetingOptions options;
  const std::string proxy = take(settings, "proxy_protocol");
  if (proxy == "optional") options.proxy_protocol = ProxyProtocol::optional;
  if (proxy == "required") options.proxy_protocol = ProxyProtocol::required;
  TlsSettings tls;
  const std::string mode = take(settings, "tls");
  if (mode == "permissive") tls.mode = TlsMode::permissive;
  if (mode == "enforcing") tls.mode = TlsMode::enforcing;
  tls.certificate_file = take(settings, "tls_certificate");
  tls.key_file = take(settings, "tls_key");
  const std::string clients = take(settings, "tls_client_auth");
  if (clients == "optional") tls.clients = ClientCertificates::optional;
  if (clients == "required") tls.clients = ClientCertificates::required;
  tls.client_ca_file = take(settings, "tls_client_ca");
  if (tls.mode == TlsMode::disabled) return options;
  auto context = TlsContext::make(std::move(tls));
  SLUICE_TRY(context);
  options.tls = *std::move(context);
  return options;
}

Greeting::Greeting(Runtime& runtime, const GreetingOptions& options, TcpSocket socket,
                   OnDone on_done)
    : options_(options),
      socket_(std::move(socket)),
      on_done_(std::move(on_done)),
      peer_(peer_of(socket_)),
      deadline_([this] {
        metrics_of_greetings().silent.add();
        close();
      }),
      runtime_(runtime) {
  arm(limits::kSessionIdleMax);
}

Task<> Greeting::run() {
  Step step = Step::wait;
  while (step == Step::wait || step == Step::look_again) {
    if (step == Step::wait) {
      error_code error;
      co_await socket_.async_wait(TcpSocket::wait_read, asio::redirect_error(kAwait, error));
      if (error) break;
    }
    step = look();
  }
  if (step == Step::shake_hands) {
    const auto is_encrypted = co_await shake_hands();
    step = is_encrypted && *is_encrypted ? Step::done : Step::refuse;
  }
  deadline_.cancel();
  if (step == Step::done && socket_.is_open()) {
    on_done_(Stream(std::move(socket_), std::move(tls_)), peer_);
  }
  co_return Result<>{};
}

void Greeting::arm(std::chrono::seconds delay) {
  const auto now = runtime_.environment().steady_now();
  runtime_.timers(socket_.get_executor()).arm(deadline_, now + delay);
}

void Greeting::close() noexcept {
  deadline_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

Greeting::Step Greeting::look() {
  std::array<std::byte, limits::kProxyHeaderBytesMax> bytes;
  const ssize_t size =
      ::recv(socket_.native_handle(), bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EINTR ? Step::wait : Step::refuse;
  const auto there = static_cast<std::size_t>(size);
  // The end of the connection wakes who waits for more.
  if (there == std::exchange(seen_, there)) return Step::refuse;
  return look_at(std::span(bytes).first(there));
}

Greeting::Step Greeting::look_at(BytesView bytes) {
  const Metrics& metrics = metrics_of_greetings();
  const bool may_be_proxied = options_.proxy_protocol != ProxyProtocol::off && !has_proxy_header_;
  if (may_be_proxied) {
    const auto looked = look_for_proxy_header(bytes);
    if (!looked) return refuse(metrics.proxy_header);
    if (looked->bytes_needed > 0) return wait_for(looked->bytes_needed);
    if (looked->header) return take_proxy_header(*looked->header);
    set_low_water(1);  // It may have looked like one at first.
    if (options_.proxy_protocol == ProxyProtocol::required) return refuse(metrics.no_proxy_header);
  }
  if (!options_.tls) return Step::done;
  if (bytes.front() == kTlsFirstByte) return Step::shake_hands;
  const bool is_plain_text_refused = options_.tls->settings().mode == TlsMode::enforcing;
  return is_plain_text_refused ? refuse(metrics.plain_text) : Step::done;
}

Greeting::Step Greeting::take_proxy_header(const ProxyHeader& header) {
  std::array<std::byte, limits::kProxyHeaderBytesMax> taken;
  const ssize_t size = ::recv(socket_.native_handle(), taken.data(), header.size, MSG_DONTWAIT);
  SLUICE_ASSERT(size == static_cast<ssize_t>(header.size), "what was seen can be taken");
  if (header.source) peer_ = *header.source;
  has_proxy_header_ = true;
  seen_ = 0;
  set_low_water(1);
  return Step::look_again;
}

/// Whoever sends a header byte by byte wakes us once it can be whole.
Greeting::Step Greeting::wait_for(std::size_t bytes) {
  set_low_water(static_cast<int>(bytes));
  return Step::wait;
}

void Greeting::set_low_water(int bytes) {
  ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

Greeting::Step Greeting::refuse(metrics::Counter& reason) {
  reason.add();
  return Step::refuse;
}

Task<bool> Greeting::shake_hands() {
  arm(limits::kPartialFrameAgeMax);
  auto engine = options_.tls->accept();
  if (!engine) {
    metrics_of_greetings().handshake.add();
    log::warn("{}", describe(engine.error()));
    co_return fail(std::move(engine).error());
  }
  tls_ = *std::move(engine);
  std::size_t received = 0;
  error_code error;
  while (!error) {
    const TlsEngine::Outcome outcome = tls_->handshake();
    while (!tls_->output().empty() && !error) {
      const BytesView output = tls_->output();
      const std::size_t sent = co_await socket_.async_write_some(
          asio::buffer(output.data(), output.size()), asio::redirect_error(kAwait, error));
      tls_->consume_output(sent);
    }
    if (outcome == TlsEngine::Outcome::done && !error) {
      metrics_of_greetings().encrypted.add();
      co_return true;
    }
    if (outcome != TlsEngine::Outcome::wants_input || received > limits::kTlsHandshakeBytesMax) {
      break;
    }
    co_await socket_.async_wait(TcpSocket::wait_read, asio::redirect_error(kAwait, error));
    if (!error) received += receive_ciphertext(error);
  }
  metrics_of_greetings().handshake.add();
  log::debug("TLS handshake with {}: {}", model::to_string(peer_),
             error ? error.message() : tls_->problem());
  co_return false;
}

std::size_t Greeting::receive_ciphertext(error_code& error) {
  std::array<std::byte, TlsEngine::kRecordBytes> ciphertext;
  const std::size_t size = socket_.read_some(asio::buffer(ciphertext), error);
  tls_->receive(std::span(ciphertext).first(size));
  if (error == asio::error::would_block) error.clear();
  return size;
}

}  // namespace sluice::transport
