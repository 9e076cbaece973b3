#pragma once

#include <string>
#include <vector>

#include "common/model/route.hpp"
#include "common/runtime/task.hpp"

namespace sluice::gateway {

/// Where a gateway learns which brokers there are. Safe from any loop.
///
/// Every member: unavailable or deadline_exceeded if nobody is reached.
class RouteSource {
 public:
  virtual ~RouteSource() = default;

  /// \return topic_not_found.
  virtual Task<model::Route> fetch_route(std::string topic) = 0;

  /// All brokers, sorted by name.
  virtual Task<std::vector<model::BrokerData>> fetch_cluster() = 0;

  virtual Task<std::vector<std::string>> fetch_topics() = 0;
};

}  // namespace sluice::gateway
