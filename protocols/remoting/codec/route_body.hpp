#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

namespace sluice::remoting {

/// How the numeric keys of `brokerAddrs` are written.
enum class MapKeys : std::uint8_t {
  quoted,  ///< JSON: for clients from kVersion4_9_4, or that set `acceptStandardJsonOnly`.
  bare,    ///< fastjson's `{0:"ip:port"}`, not JSON: for everything older. Go clients need it.
};

struct BrokerData {
  std::string cluster{};
  std::string broker_name{};
  std::map<std::int64_t, std::string>
      broker_addrs{};  ///< Broker id (0 is the master) to `ip:port`.
  bool enable_acting_master = false;
  std::string zone_name{};  ///< Empty: none.

  friend bool operator==(const BrokerData&, const BrokerData&) = default;
};

struct QueueData {
  std::string broker_name{};
  std::int32_t read_queue_nums = 0;
  std::int32_t write_queue_nums = 0;
  std::int32_t perm = 0;  ///< 4 read, 2 write, 1 inherit.
  std::int32_t topic_sys_flag = 0;

  friend bool operator==(const QueueData&, const QueueData&) = default;
};

/// The static-topic mapping of one broker or one topic, carried through as JSON.
struct QueueMapping {
  std::string key{};  ///< Broker name in routes, topic in registrations.
  std::string json{};

  friend bool operator==(const QueueMapping&, const QueueMapping&) = default;
};

/// Body of the answer to GET_ROUTEINFO_BY_TOPIC (105).
struct TopicRouteData {
  std::optional<std::string> order_topic_conf{};  ///< `brokerA:4;brokerB:4`
  std::vector<QueueData> queue_datas{};
  std::vector<BrokerData> broker_datas{};
  std::vector<QueueMapping> topic_queue_mapping_by_broker{};

  friend bool operator==(const TopicRouteData&, const TopicRouteData&) = default;
};

/// Body of the answer to GET_BROKER_MEMBER_GROUP (901), inside `brokerMemberGroup`.
struct BrokerMemberGroup {
  std::string cluster{};
  std::string broker_name{};
  std::map<std::int64_t, std::string> broker_addrs{};

  friend bool operator==(const BrokerMemberGroup&, const BrokerMemberGroup&) = default;
};

/// Body of the answer to GET_BROKER_CLUSTER_INFO (106).
struct ClusterInfo {
  std::map<std::string, BrokerData> broker_addr_table{};                 ///< By broker name.
  std::map<std::string, std::vector<std::string>> cluster_addr_table{};  ///< Cluster to brokers.

  friend bool operator==(const ClusterInfo&, const ClusterInfo&) = default;
};

/// Reads both forms of keys, and the answers of Java name servers of 4.x and 5.x.
/// \return malformed_packet, naming the member, if a value is not of its type or there are more
///         than limits::kBrokersPerNameServerMax brokers; else as parse_json() in json_reader.hpp.
[[nodiscard]] Result<TopicRouteData> decode_topic_route(BytesView body);
[[nodiscard]] Result<ClusterInfo> decode_cluster_info(BytesView body);
[[nodiscard]] Result<BrokerMemberGroup> decode_broker_member_group(BytesView body);

/// Writes the queues' flag under both names that clients look for.
void append_topic_route(std::string& out, const TopicRouteData& route, MapKeys keys);

/// Always with bare keys, as the reference name server answers 106 and 901.
void append_cluster_info(std::string& out, const ClusterInfo& info);
void append_broker_member_group(std::string& out, const BrokerMemberGroup& group);

}  // namespace sluice::remoting
