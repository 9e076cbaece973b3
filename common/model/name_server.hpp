#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/model/route.hpp"

/// \file
/// What only a name server is asked, and its answers: one struct a request, one alternative of
/// Command and of Reply for all of them. What gateways serve too (routes, topics, the cluster) is
/// in command.hpp.

namespace sluice::model {

using TextMap = std::map<std::string, std::string, std::less<>>;

/// The namespace whose keys are ordered topics and whose values are their queues,
/// `brokerA:4;brokerB:4` (NamesrvUtil.NAMESPACE_ORDER_TOPIC_CONFIG).
inline constexpr std::string_view kOrderTopicNamespace = "ORDER_TOPIC_CONFIG";

// --- KV configuration: texts that operators keep at name servers, by namespace and key ---------

struct PutKv {
  std::string name_space;
  std::string key;
  std::string value;
};
struct GetKv {
  std::string name_space;
  std::string key;
};
struct DeleteKv {
  std::string name_space;
  std::string key;
};
struct ListKv {
  std::string name_space;
};
struct ListKvNamespaces {};
/// The keys of a namespace that have this value, joined by `;`.
struct FindKvKeys {
  std::string name_space;
  std::string value;
};

// --- brokers -----------------------------------------------------------------------------------

/// One registered broker, as it names itself.
struct BrokerIdentity {
  std::string cluster;
  std::string broker_name;
  std::string address;
};
/// Whether the name server holds what the broker would register, which also counts as a heartbeat.
struct QueryBrokerVersion {
  BrokerIdentity broker;
  DataVersion version;
};
struct BrokerHeartbeat {
  BrokerIdentity broker;
};
/// The addresses of the brokers of one name.
struct QueryBrokerGroup {
  std::string cluster;
  std::string broker_name;
};
enum class WritePermission : std::uint8_t { wiped, granted };
/// In the routes of this broker's topics, until it registers another version of them.
struct SetWritePermission {
  std::string broker_name;
  WritePermission permission = WritePermission::wiped;
};

// --- topics ------------------------------------------------------------------------------------

enum class TopicSelection : std::uint8_t {
  of_cluster,
  system,                 ///< The names of clusters and brokers, which are topics too.
  unit,                   ///< Whose flag says unit (bit 0).
  unit_subscribed,        ///< Whose flag says that a unit subscribes (bit 1).
  unit_subscribed_alone,  ///< The same without the former.
};
struct ListTopicNames {
  TopicSelection selection = TopicSelection::of_cluster;
  std::string cluster;  ///< For of_cluster.
};
/// Until a broker registers it again.
struct ForgetTopic {
  std::string topic;
  std::string cluster;  ///< Only of its brokers; empty: of all.
};
/// News about one topic, from its brokers.
struct RegisterTopic {
  std::string topic;
  std::vector<QueueData> queues;
};

// --- settings of the name server, by RocketMQ's names ------------------------------------------

struct QuerySettings {};
/// All or none.
struct UpdateSettings {
  TextMap settings;
};

using NameServerCommand =
    std::variant<PutKv, GetKv, DeleteKv, ListKv, ListKvNamespaces, FindKvKeys, QueryBrokerVersion,
                 BrokerHeartbeat, QueryBrokerGroup, SetWritePermission, ListTopicNames, ForgetTopic,
                 RegisterTopic, QuerySettings, UpdateSettings>;

// --- answers -----------------------------------------------------------------------------------

struct TextReply {
  std::string text;
};
struct TextMapReply {
  TextMap texts;
};
struct CountReply {
  std::int64_t count = 0;
};
struct NamesReply {
  std::vector<std::string> names;
  std::string broker_address;  ///< Some broker that may know more; empty: none.
};
struct BrokerVersionReply {
  bool is_changed = true;
  std::optional<DataVersion> known;  ///< None if the broker is not registered.
};
struct BrokerGroupReply {
  BrokerData brokers;  ///< Without addresses if there is none of the name.
};
/// To a broker that registered.
struct RegisteredReply {
  std::string leader_address;     ///< To a follower whose leader is there; else empty.
  std::string leader_ha_address;  ///< The same.
  std::optional<TextMap> order_topics;
};

using NameServerReply = std::variant<TextReply, TextMapReply, CountReply, NamesReply,
                                     BrokerVersionReply, BrokerGroupReply, RegisteredReply>;

}  // namespace sluice::model
