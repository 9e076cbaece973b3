#include "protocols/transport/tcp_listener.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/intrusive/list.hpp>

#include "common/base/assert.hpp"
#include "common/base/limits.hpp"
#include "common/base/log.hpp"
#include "common/base/metrics.hpp"
#include "common/runtime/spawn.hpp"

namespace sluice::transport {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// After an error that may last, such as too many open files.
constexpr std::chrono::milliseconds kAcceptPause{100};
/// How often a drain looks whether sessions are left.
constexpr std::chrono::milliseconds kDrainPoll{10};
/// What sessions that were cut off get to end.
constexpr std::chrono::milliseconds kCloseGrace{1000};

/// Errors that belong to the one peer that was about to be accepted (accept(2)).
bool is_error_of_peer(const error_code& error) {
  return error == asio::error::connection_aborted || error == asio::error::interrupted ||
         error == asio::error::try_again || error == asio::error::network_down ||
         error == asio::error::host_unreachable || error == asio::error::network_unreachable;
}

/// The first descriptor that no connection may have.
int descriptors_for_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<int>::max();
  const std::uint64_t reserved =
      std::min<std::uint64_t>(limits::kReservedDescriptors, limit.rlim_cur / 2);
  const std::uint64_t left = limit.rlim_cur - reserved;
  return static_cast<int>(std::min<std::uint64_t>(left, std::numeric_limits<int>::max()));
}

struct Metrics {
  explicit Metrics(std::string_view name) : labels(fmt::format("listener=\"{}\"", name)) {}

  std::string labels;
  metrics::Gauge& sessions =
      metrics::gauge("sluice_connections", labels, "Connections that are served now.");
  metrics::Counter& accepted =
      metrics::counter("sluice_connections_accepted_total", labels, "Connections accepted.");
  metrics::Counter& refused = metrics::counter(
      "sluice_connections_refused_total", labels,
      "Connections closed at once: sessions_max reached, or too few descriptors left.");
  metrics::Counter& failed = metrics::counter("sluice_accept_errors_total", labels,
                                              "Connections that accept() failed on.");
};

}  // namespace

class TcpListener::State : public std::enable_shared_from_this<State> {
 public:
  State(Runtime& runtime, std::string name, protocol::ListenerOptions options,
        SessionFactory make_session, GreetingOptions greeting)
      : runtime_(runtime),
        options_(std::move(options)),
        make_session_(std::move(make_session)),
        greeting_(std::move(greeting)),
        metrics_(name) {
    for (std::uint32_t i = 0; i < runtime.loop_count(); ++i) {
      homes_.push_back(std::make_unique<Home>(runtime.loop(i)));
    }
  }

  Result<> start() {
    error_code error;
    const auto address = asio::ip::make_address(options_.bind_address, error);
    if (error) {
      return sluice::fail(Errc::invalid_argument,
                          fmt::format("\"{}\" is no IP address to listen on: use one such as "
                                      "127.0.0.1, or 0.0.0.0 for every interface",
                                      options_.bind_address));
    }
    auto acceptor = std::make_shared<Acceptor>(runtime_.loop(0));
    listen(*acceptor, tcp::endpoint(address, options_.port), error);
    if (error) {
      return sluice::fail(Errc::io_error,
                          fmt::format("cannot listen on {}:{}: {}", options_.bind_address,
                                      options_.port, error.message()));
    }
    port_ = acceptor->local_endpoint(error).port();
    acceptor_ = acceptor;
    spawn(runtime_.loop(0), accept_peers(shared_from_this(), std::move(acceptor)));
    return {};
  }

  void stop_accepting() {
    is_draining_ = true;
    asio::post(runtime_.loop(0), [self = shared_from_this()] {
      const auto acceptor = self->acceptor_.lock();
      error_code ignored;
      if (acceptor) acceptor->close(ignored);
    });
  }

  /// Calls `action` on every session, each on its own loop.
  void tell_sessions(void (*action)(Session&)) {
    for (const auto& home : homes_) {
      asio::post(home->executor, [self = shared_from_this(), here = home.get(), action] {
        // A session that is told may end, and others with it: none is looked at twice.
        SessionList untold;
        untold.splice(untold.end(), here->sessions);
        while (!untold.empty()) {
          Session& session = untold.front();
          untold.pop_front();
          here->sessions.push_back(session);
          action(session);
        }
      });
    }
  }

  static Task<> wait_until_empty(std::shared_ptr<State> self, Environment::Instant deadline) {
    while (self->session_count_ > 0) {
      if (self->runtime_.environment().steady_now() >= deadline) {
        co_return sluice::fail(
            Errc::deadline_exceeded,
            fmt::format("{} connections had to be cut off", self->session_count_.load()));
      }
      co_await sleep_for(self->runtime_, kDrainPoll);
    }
    co_return Result<>{};
  }

  [[nodiscard]] Runtime& runtime() const noexcept { return runtime_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
  using SessionList = boost::intrusive::list<Session, boost::intrusive::constant_time_size<false>>;

  /// The sessions of one loop; touched on that loop only.
  struct Home {
    explicit Home(Executor executor_in) : executor(executor_in) {}

    Executor executor;
    SessionList sessions;
  };

  static void listen(Acceptor& acceptor, const tcp::endpoint& endpoint, error_code& error) {
    acceptor.open(endpoint.protocol(), error);
    if (error) return;
    acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (error) return;
    acceptor.bind(endpoint, error);
    if (error) return;
    acceptor.listen(asio::socket_base::max_listen_connections, error);
  }

  /// Owns the acceptor, which so ends with its loop: sessions of other loops hold this state
  /// longer.
  static Task<> accept_peers(std::shared_ptr<State> self, std::shared_ptr<Acceptor> acceptor) {
    while (!self->is_draining_) {
      const Executor target = self->runtime_.next_loop();
      error_code error;
      auto socket = co_await acceptor->async_accept(target, asio::redirect_error(kAwait, error));
      if (self->is_draining_) break;
      if (!error) {
        self->admit(std::move(socket), target);
        continue;
      }
      self->metrics_.failed.add();
      if (is_error_of_peer(error)) continue;
      log::warn("accepting connections on port {} failed, trying again: {}", self->port(),
                error.message());
      co_await sleep_for(self->runtime_, kAcceptPause);
    }
    co_return Result<>{};
  }

  void admit(TcpSocket socket, Executor target) {
    // Descriptors are given out from the lowest: a high one says how many are left.
    const bool is_reserved = socket.native_handle() >= descriptors_max_;
    if (is_reserved || session_count_.fetch_add(1) >= options_.sessions_max) {
      if (!is_reserved) --session_count_;
      metrics_.refused.add();
      return;
    }
    metrics_.accepted.add();
    metrics_.sessions.add(1);
    asio::post(target, [self = shared_from_this(), target, socket = std::move(socket)]() mutable {
      self->begin(std::move(socket), target);
    });
  }

  void begin(TcpSocket socket, Executor executor) {
    if (is_draining_) return forget();
    error_code ignored;  // The peer may be gone: its session will see.
    socket.set_option(tcp::no_delay(true), ignored);
    socket.non_blocking(true, ignored);
    if (!greeting_.is_needed()) {
      const model::Endpoint peer = peer_of(socket);
      return serve(Stream(std::move(socket)), peer);
    }
    auto on_done = [self = shared_from_this()](Stream stream, model::Endpoint peer) {
      if (self->is_draining_) return;
      ++self->session_count_;
      self->metrics_.sessions.add(1);
      self->serve(std::move(stream), peer);
    };
    run(std::make_shared<Greeting>(runtime_, greeting_, std::move(socket), std::move(on_done)),
        executor);
  }

  void serve(Stream stream, model::Endpoint peer) {
    const Executor executor = stream.get_executor();
    run(make_session_(std::move(stream), peer), executor);
  }

  /// Until it ends by itself.
  void run(std::shared_ptr<Session> session, const Executor& executor) {
    home_of(executor).sessions.push_back(*session);
    auto work = session->run();
    auto finish = [self = shared_from_this(), session](std::exception_ptr bug, const Result<>&) {
      if (bug) std::rethrow_exception(bug);
      session->unlink();
      self->forget();
    };
    asio::co_spawn(executor, std::move(work), std::move(finish));
  }

  void forget() {
    --session_count_;
    metrics_.sessions.add(-1);
  }

  Home& home_of(const Executor& executor) {
    const auto home =
        std::ranges::find_if(homes_, [&](const auto& each) { return each->executor == executor; });
    SLUICE_ASSERT(home != homes_.end(), "the executor is one of the runtime's loops");
    return **home;
  }

  Runtime& runtime_;
  const protocol::ListenerOptions options_;
  const SessionFactory make_session_;
  const GreetingOptions greeting_;
  const int descriptors_max_ = descriptors_for_connections();
  Metrics metrics_;
  std::vector<std::unique_ptr<Home>> homes_;
  std::atomic<std::uint32_t> session_count_{0};
  std::atomic<bool> is_draining_{false};
  std::atomic<std::uint16_t> port_{0};
  std::weak_ptr<Acceptor> acceptor_;
};

TcpListener::TcpListener(Runtime& runtime, std::string name, protocol::ListenerOptions options,
                         SessionFactory make_session, GreetingOptions greeting)
    : state_(std::make_shared<State>(runtime, std::move(name), std::move(options),
                                     std::move(make_session), std::move(greeting))) {}

TcpListener::~TcpListener() {
  state_->stop_accepting();
}

Result<> TcpListener::start() {
  return state_->start();
}

Task<> TcpListener::drain(std::chrono::milliseconds grace) {
  const auto state = state_;
  const auto deadline = state->runtime().environment().steady_now() + grace;
  state->stop_accepting();
  state->tell_sessions([](Session& session) { session.stop(); });
  auto drained = co_await State::wait_until_empty(state, deadline);
  if (drained) co_return Result<>{};
  state->tell_sessions([](Session& session) { session.close(); });
  co_await State::wait_until_empty(state, deadline + kCloseGrace);
  co_return drained;
}

std::uint16_t TcpListener::port() const noexcept {
  return state_->port();
}

}  // namespace sluice::transport
