#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gateway/routing/routing.hpp"

namespace sluice::gateway {

/// What clients are told of the broker in this process.
struct LocalBroker {
  std::string cluster = "DefaultCluster";
  std::string name = "broker-a";
  std::int64_t id = 0;
  std::string address;  ///< `host:port`, as clients reach it.
};

/// All topics are `broker`'s, whichever broker a client names, as a RocketMQ broker has it.
/// `broker` outlives the routing.
[[nodiscard]] std::unique_ptr<Routing> make_local_routing(BrokerApi& broker, LocalBroker about);

}  // namespace sluice::gateway
