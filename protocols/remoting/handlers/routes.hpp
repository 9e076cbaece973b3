#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// Where topics are. All: protocol_error, naming the field.

namespace sluice::remoting {

/// GET_ROUTEINFO_BY_TOPIC (105). Clients from 4.9.4, and those that say `acceptStandardJsonOnly`,
/// get JSON; older ones what fastjson writes.
[[nodiscard]] Result<Call> to_query_route(const Request& request);

/// GET_BROKER_CLUSTER_INFO (106).
[[nodiscard]] Result<Call> to_query_cluster(const Request& request);

}  // namespace sluice::remoting
