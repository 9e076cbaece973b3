#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::model {

namespace permission {
inline constexpr std::int32_t kInherit = 1;
inline constexpr std::int32_t kWrite = 2;
inline constexpr std::int32_t kRead = 4;
}  // namespace permission

/// RocketMQ's TopicConfig.
struct TopicConfig {
  std::string name;
  std::int32_t read_queues = 8;
  std::int32_t write_queues = 8;
  std::int32_t permission = permission::kRead | permission::kWrite;
  std::int32_t system_flag = 0;
  bool is_ordered = false;
  std::string filter_type = "SINGLE_TAG";
  std::map<std::string, std::string, std::less<>> attributes;

  friend bool operator==(const TopicConfig&, const TopicConfig&) = default;
};

/// RocketMQ's DataVersion: larger means newer.
struct DataVersion {
  std::int64_t state_version = 0;
  std::int64_t timestamp_ms = 0;
  std::int64_t counter = 0;

  friend bool operator==(const DataVersion&, const DataVersion&) = default;
};

/// The queues that one broker has of a topic.
struct QueueData {
  std::string broker_name;
  std::int32_t read_queues = 0;
  std::int32_t write_queues = 0;
  std::int32_t permission = 0;
  std::int32_t topic_system_flag = 0;

  friend bool operator==(const QueueData&, const QueueData&) = default;
};

/// The id of the broker that takes messages, among those of one name (RocketMQ's MASTER_ID).
inline constexpr std::int64_t kLeaderId = 0;

/// Where the brokers of one name are.
struct BrokerData {
  std::string cluster;
  std::string broker_name;
  std::map<std::int64_t, std::string> addresses;  ///< Id to `host:port`.
  bool allows_acting_leader = false;              ///< As the last of them registered.
  std::string zone = {};                          ///< Empty: none.

  friend bool operator==(const BrokerData&, const BrokerData&) = default;
};

/// What one broker holds of a static topic (RocketMQ's TopicQueueMappingInfo): only carried.
struct QueueMapping {
  std::string topic;
  std::string broker_name;
  std::string json;

  friend bool operator==(const QueueMapping&, const QueueMapping&) = default;
};

struct Route {
  std::vector<QueueData> queues;    ///< Sorted by broker name.
  std::vector<BrokerData> brokers;  ///< Sorted by broker name.
  /// The queues that an ordered topic has, `brokerA:4;brokerB:4`, where an operator fixed them.
  std::optional<std::string> order_config = std::nullopt;
  std::vector<QueueMapping> mappings = {};  ///< Of a static topic, sorted by broker name.

  friend bool operator==(const Route&, const Route&) = default;
};

}  // namespace sluice::model
