#pragma once

#include "common/broker_api/broker_api.hpp"

namespace sluice::gateway {

/// A broker in another process, as the routing that found it holds it.
class ClusterBroker : public BrokerApi {
 public:
  /// Ends a waiting watch() with `cancelled`, and every later one. Any thread.
  virtual void stop() noexcept = 0;
};

}  // namespace sluice::gateway
