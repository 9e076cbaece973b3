#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "protocols/spi/protocol_plugin.hpp"
#include "protocols/transport/greeting.hpp"
#include "protocols/transport/session.hpp"
#include "protocols/transport/stream.hpp"

namespace sluice::transport {

/// Accepts TCP peers and spreads them over the loops; each stays on the loop it came to. What every
/// protocol over TCP has in common: the cap, TCP_NODELAY, greeting, draining, the metrics
/// `sluice_connections`, `sluice_connections_accepted_total`, `sluice_connections_refused_total`,
/// `sluice_accept_errors_total` (label `listener`).
///
/// It may be destroyed while sessions run; they then go on until they end by themselves.
class TcpListener final : public protocol::Listener {
 public:
  /// Makes the session of a peer. Called on the loop of `stream`: at the same time on several
  /// loops.
  using SessionFactory =
      std::function<std::shared_ptr<Session>(Stream stream, model::Endpoint peer)>;

  /// \param name  Labels the metrics, such as `remoting`.
  /// \param make_session  What it refers to outlives the sessions.
  TcpListener(Runtime& runtime, std::string name, protocol::ListenerOptions options,
              SessionFactory make_session, GreetingOptions greeting = {});
  ~TcpListener() override;

  /// \return invalid_argument if the bind address is no IP address; io_error if it cannot be bound.
  Result<> start() override;
  Task<> drain(std::chrono::milliseconds grace) override;
  [[nodiscard]] std::uint16_t port() const noexcept override;

 private:
  class State;

  std::shared_ptr<State> state_;
};

}  // namespace sluice::transport
