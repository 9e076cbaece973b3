#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace sluice::model {

/// RocketMQ's SubscriptionGroupConfig.
struct GroupConfig {
  std::string name;
  bool may_consume = true;
  bool may_broadcast = true;
  bool consumes_from_first = true;  ///< `consumeFromMinEnable`: kept for clients that ask.
  bool consumes_orderly = false;
  bool tells_of_changes = true;   ///< Members hear when others come or go.
  std::int32_t retry_queues = 1;  ///< Of the group's retry topic; 0: it has none.
  std::int32_t retry_max = 16;    ///< Deliveries before the dead letters; -1: the broker's default.
  std::int32_t consume_timeout_minutes = 15;
  std::int32_t system_flag = 0;
  std::int64_t broker_id = 0;            ///< Of the broker to read from,
  std::int64_t broker_id_when_slow = 1;  ///< and from which when far behind.
  /// A JSON object, passed through: RocketMQ's GroupRetryPolicy. Empty: its default.
  std::string retry_policy;
  /// A JSON array, passed through: what the group may subscribe to, as tools write it; empty: not
  /// given.
  std::string subscriptions;
  std::map<std::string, std::string, std::less<>> attributes;

  friend bool operator==(const GroupConfig&, const GroupConfig&) = default;
};

}  // namespace sluice::model
