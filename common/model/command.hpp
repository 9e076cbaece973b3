#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/slice.hpp"
#include "common/base/types.hpp"
#include "common/model/admin.hpp"
#include "common/model/client_request.hpp"
#include "common/model/endpoint.hpp"
#include "common/model/filter.hpp"
#include "common/model/message_query.hpp"
#include "common/model/name_server.hpp"
#include "common/model/page.hpp"
#include "common/model/queue_lock.hpp"
#include "common/model/registration.hpp"
#include "common/model/route.hpp"

/// \file
/// All that a client can ask, in the words of the common model: what protocols translate to, and
/// what gateway, broker and name server understand. One struct a request; the variant at the end is
/// the whole list.

namespace sluice::model {

/// One message of a Send. The views lie in memory that Send::owner keeps.
struct NewMessage {
  BytesView body;               ///< At most limits::kMessageBodyBytesMax.
  std::string_view properties;  ///< Encoded (properties.hpp).
  std::int32_t flag = 0;        ///< The user's.
};

enum class SendDurability : std::uint8_t {
  broker_default,  ///< `storage.durability` of the broker.
  buffered,        ///< One-way sends and WAIT=false: nobody waits for the disk.
  synced
};

/// Stores messages at consecutive offsets of one queue, all or none.
struct Send {
  std::string topic;
  std::int32_t queue = -1;              ///< -1: the broker chooses.
  SmallVector<NewMessage, 1> messages;  ///< At least one; limits::kMessagesPerBatchMax.
  SliceOwnerPtr owner;                  ///< Keeps what the messages view. May be null for literals.
  std::int32_t system_flag = 0;
  std::int64_t born_at_ms = 0;
  Endpoint born_host;
  std::int32_t reconsume_times = 0;
  bool is_batch = false;  ///< Answered with one id per message.
  SendDurability durability = SendDurability::broker_default;
  /// What an unknown topic is made from, as the client asks (defaultTopic, defaultTopicQueueNums);
  /// an empty name: do not make it.
  std::string template_topic;
  std::int32_t template_queues = 0;
  std::string producer_group;
  std::string broker_name;  ///< The broker meant, where the client says so (`bname`); empty: any.
};

/// Reads a queue from an offset.
struct Pull {
  std::string group;
  std::string topic;
  std::int32_t queue = 0;
  std::int64_t offset = 0;
  std::uint32_t messages_max = 32;
  std::uint32_t bytes_max = 256U * 1024;
  /// How long to wait for a message if there is none; 0: do not.
  std::chrono::milliseconds wait{0};
  /// What to deliver. nullopt: what the group subscribed to by heartbeat.
  std::optional<FilterExpression> filter;
  std::int64_t subscription_version = 0;
  /// Stored as the group's progress before reading.
  std::optional<std::int64_t> commit_offset;
  std::string broker_name;
};

/// The progress of a group in a queue: the next offset to consume.
struct QueryOffset {
  std::string group;
  std::string topic;
  std::int32_t queue = 0;
  /// RocketMQ's rule for a group without progress: 0 if the queue still holds its first message.
  bool zero_if_not_found = true;
  std::string broker_name;
};
struct UpdateOffset {
  std::string group;
  std::string topic;
  std::int32_t queue = 0;
  std::int64_t offset = 0;
  std::string broker_name;
};

/// First and next offset of a queue.
struct QueryBounds {
  std::string topic;
  std::int32_t queue = 0;
  std::string broker_name;
};

enum class Boundary : std::uint8_t {
  lower,  ///< The smallest offset stored at or after the time.
  upper   ///< The largest offset stored at or before it.
};
struct SearchOffset {
  std::string topic;
  std::int32_t queue = 0;
  std::int64_t time_ms = 0;
  Boundary boundary = Boundary::lower;
  std::string broker_name;
};

/// When the oldest message of a queue was stored.
struct QueryEarliestTime {
  std::string topic;
  std::int32_t queue = 0;
  std::string broker_name;
};

/// A heartbeat: who the client is and what it does. Repeated; what is new or gone changes the
/// group.
struct RegisterClient {
  std::string client_id;
  std::string language;
  std::int32_t version = 0;
  std::vector<std::string> producer_groups;
  std::vector<ConsumerRegistration> consumers;
};
struct UnregisterClient {
  std::string client_id;
  std::string producer_group;  ///< Empty: none.
  std::string consumer_group;  ///< Empty: none.
};
/// The ids of a consumer group's live clients.
struct ListMembers {
  std::string group;
};

struct CheckSubscription {
  Subscription subscription;
};

struct CreateTopic {
  /// Its attributes are added to those that the topic has, or change them.
  TopicConfig config;
  std::vector<std::string> removed_attributes;  ///< Names; those the topic lacks do no harm.
};
/// All of them, one after the other; ends at the first that is refused.
struct CreateTopics {
  std::vector<CreateTopic> topics;  ///< At most limits::kTopicsPerRequestMax.
};
struct DeleteTopic {
  std::string topic;
};
struct QueryTopics {
  std::string topic;  ///< Only this one, and nothing if there is none; empty: all.
  Page page{};        ///< Of all.
};

/// To a name server, or to a gateway for its clients.
struct QueryRoute {
  std::string topic;
};
struct QueryCluster {};

/// A broker tells a name server about itself and its topics.
struct RegisterBroker {
  std::string cluster;
  std::string broker_name;
  std::int64_t broker_id = 0;
  std::string address;  ///< `host:port` for clients.
  std::string ha_address;
  std::chrono::milliseconds expiry{0};  ///< 0: limits::kBrokerExpiry.
  DataVersion version;
  std::vector<TopicConfig> topics;
  std::vector<QueueMapping> mappings;  ///< Of its static topics.
  /// Whether a follower may be read in its leader's place while that is gone. nullopt: a broker
  /// that knows no such thing (4.x).
  std::optional<bool> allows_acting_leader;
  std::string zone;
  /// `topics` are all that the broker has: others are gone. RocketMQ has no way to say so, since a
  /// registration may be about a few topics.
  bool replaces_topics = false;
};
struct UnregisterBroker {
  std::string cluster;
  std::string broker_name;
  std::int64_t broker_id = 0;
  std::string address;
};

using Command =
    std::variant<Pull, QueryOffset, UpdateOffset, QueryBounds, SearchOffset, QueryEarliestTime,
                 QueryMessages, ViewMessage, LockQueues, UnlockQueues, AskClient,
                 AnswerClientRequest, QueryConsumerStatus, ResetOffset, RegisterClient,
                 UnregisterClient, ListMembers, CheckSubscription, CreateTopic, CreateTopics,
                 DeleteTopic, QueryTopics, Administer, QueryRoute, QueryCluster, RegisterBroker,
                 UnregisterBroker, NameServerCommand>;

/// One call of a gateway to a broker waits here for notices to the gateway's sessions.
struct Watch {};

}  // namespace sluice::model
