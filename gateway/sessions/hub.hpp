#pragma once

#include <memory>

#include "common/broker_api/broker_api.hpp"
#include "common/model/call_context.hpp"
#include "common/runtime/runtime.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::gateway {

/// Brings the brokers' notices to the sessions they are for. One watch call is outstanding at every
/// broker, however many sessions and groups there are. Safe from any loop.
class Hub {
 public:
  explicit Hub(Runtime& runtime);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  /// A session that attaches again gets a new stream; the old one is closed.
  [[nodiscard]] std::unique_ptr<protocol::DeliveryStream> attach(model::SessionId session);

  /// Gives the notices to their sessions. Those of sessions that are not attached are dropped.
  void dispatch(std::vector<model::Notice> notices);

  /// Watches `broker` until stop(). It must live until stop() has completed. A broker that fails is
  /// asked again, less and less often, at least once a second.
  void watch(BrokerApi& broker);

  /// Closes all streams and waits for the watches to end, which each does when its broker answers:
  /// stop local brokers before, or at the same time.
  Task<> stop();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace sluice::gateway
