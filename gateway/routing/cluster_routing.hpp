#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/limits.hpp"
#include "common/runtime/runtime.hpp"
#include "gateway/remote/cluster_broker.hpp"
#include "gateway/routing/route_source.hpp"
#include "gateway/routing/routing.hpp"
#include "protocols/remoting/client/remoting_client_pool.hpp"

namespace sluice::gateway {

struct ClusterRoutingOptions {
  std::vector<std::string> name_servers;  ///< `host:port` each.
  std::string advertised;                 ///< `host:port` of this gateway, as clients reach it.
  /// What is older is asked anew, and used until the answer is there.
  std::chrono::milliseconds refresh_after = limits::kRouteRefreshInterval;
};

/// Brokers in other processes, as name servers know them: the form of a gateway that any other
/// gateway can stand in for. Only brokers with id 0 are used. Clients are told of every broker
/// name, each with this gateway's address.
///
/// `runtime` and `pool` outlive the routing.
[[nodiscard]] std::unique_ptr<Routing> make_cluster_routing(Runtime& runtime,
                                                            remoting::RemotingClientPool& pool,
                                                            ClusterRoutingOptions options);

using BrokerFactory = std::function<std::unique_ptr<ClusterBroker>(std::string address)>;

/// The same over any source and any kind of broker.
[[nodiscard]] std::unique_ptr<Routing> make_cluster_routing(Runtime& runtime,
                                                            std::unique_ptr<RouteSource> source,
                                                            BrokerFactory make_broker,
                                                            ClusterRoutingOptions options);

}  // namespace sluice::gateway
