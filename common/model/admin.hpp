#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/model/filter.hpp"
#include "common/model/group.hpp"
#include "common/model/page.hpp"
#include "common/model/registration.hpp"

/// \file
/// What operators and their tools ask of a broker, and the answers: one struct a request, one an
/// answer; the two variants at the end are the whole list. None of it is on the path of a message.

namespace sluice::model {

using NameValue = std::pair<std::string, std::string>;

// --- groups ----------------------------------------------------------------------------------

/// Makes groups, or changes those of these names. All or none.
/// \return invalid_argument (a name, a value), quota_exceeded.
struct PutGroups {
  std::vector<GroupConfig> groups;  ///< At most limits::kGroupsPerRequestMax.
};
struct DeleteGroup {
  std::string group;
  bool forgets_progress = false;  ///< Else it is there again for a group of the same name.
};
struct QueryGroups {
  std::string group;           ///< Only this one; empty: all.
  bool makes_missing = false;  ///< Make that one if the broker makes groups by itself.
  Page page;
};
struct GroupsReply {
  std::vector<GroupConfig> groups;  ///< Sorted by name.
  std::int32_t total = 0;           ///< Of which `groups` is a page.
  DataVersion version;
};

// --- topics ----------------------------------------------------------------------------------

/// The topics that belong to brokers themselves: NameListReply.
struct QuerySystemTopics {};

/// \return topic_not_found.
struct QueryTopicStats {
  std::string topic;
};
struct QueueStats {
  std::string broker_name;
  std::string topic;
  std::int32_t queue = 0;
  std::int64_t first = 0;
  std::int64_t next = 0;
  std::int64_t updated_at_ms = 0;  ///< When the last message was stored; 0: there is none.

  friend bool operator==(const QueueStats&, const QueueStats&) = default;
};
struct TopicStatsReply {
  std::vector<QueueStats> queues;
  double put_rate = 0;  ///< Messages a second over the last minute.

  friend bool operator==(const TopicStatsReply&, const TopicStatsReply&) = default;
};

/// Entries of a queue as they are stored.
/// \return topic_not_found, invalid_argument (the queue).
struct InspectQueue {
  std::string topic;
  std::int32_t queue = 0;
  std::int64_t first = 0;
  std::int32_t count = 0;  ///< At most limits::kInspectedEntriesMax.
  std::string group;       ///< Whose subscription to tell of, too; empty: nobody's.
};
struct QueueEntry {
  std::uint64_t position = 0;
  std::int32_t bytes = 0;
  std::int64_t tag_hash = 0;

  friend bool operator==(const QueueEntry&, const QueueEntry&) = default;
};
struct QueueEntriesReply {
  std::int64_t first = 0;  ///< The queue's bounds.
  std::int64_t next = 0;
  std::vector<QueueEntry> entries;
  std::optional<Subscription> subscription;

  friend bool operator==(const QueueEntriesReply&, const QueueEntriesReply&) = default;
};

// --- connections -----------------------------------------------------------------------------

struct Connection {
  std::string client_id;
  std::string address;  ///< `ip:port` of the peer.
  std::string language;
  std::int32_t version = 0;
  std::int64_t last_seen_ms = 0;  ///< Its latest heartbeat.

  friend bool operator==(const Connection&, const Connection&) = default;
};

/// \return group_offline.
struct QueryConsumers {
  std::string group;
};
struct ConsumersReply {
  std::vector<Connection> connections;
  ConsumeType type = ConsumeType::push;
  MessageModel model = MessageModel::clustering;
  std::int32_t consume_from_where = 0;
  std::vector<Subscription> subscriptions;  ///< Sorted by topic.

  friend bool operator==(const ConsumersReply&, const ConsumersReply&) = default;
};

/// \return group_has_no_members, for a group that is named.
struct QueryProducers {
  std::string group;  ///< Empty: all.
};
struct ProducersReply {
  struct Group {
    std::string name;
    std::vector<Connection> connections;

    friend bool operator==(const Group&, const Group&) = default;
  };
  std::vector<Group> groups;

  friend bool operator==(const ProducersReply&, const ProducersReply&) = default;
};

// --- progress --------------------------------------------------------------------------------

/// How far groups are.
struct QueryProgress {
  std::string group;                ///< Empty: all groups.
  std::vector<std::string> topics;  ///< Empty: all in which there is progress.
};
struct QueueProgress {
  std::string broker_name;
  std::int32_t queue = 0;
  std::int64_t next = 0;      ///< The queue's.
  std::int64_t consumed = 0;  ///< The next offset the group consumes; -1: none is known.
  std::int64_t time_ms = 0;   ///< When the last message consumed was stored; 0: not known.

  friend bool operator==(const QueueProgress&, const QueueProgress&) = default;
};
struct ProgressReply {
  struct Part {
    std::string group;
    std::string topic;
    double get_rate = 0;  ///< Messages a second over the last minute.
    std::vector<QueueProgress> queues;

    friend bool operator==(const Part&, const Part&) = default;
  };
  std::string broker_address;  ///< Of the broker that answers.
  std::vector<Part> parts;     ///< Sorted by group and topic.

  friend bool operator==(const ProgressReply&, const ProgressReply&) = default;
};

/// Groups that subscribe to a topic or have progress in it: NameListReply.
struct QueryGroupsOfTopic {
  std::string topic;
};
/// Topics in which a group has progress or to which it subscribes: NameListReply.
struct QueryTopicsOfGroup {
  std::string group;
};

struct QuerySubscription {
  std::string group;
  std::string topic;
};
struct SubscriptionReply {
  std::string group;
  std::string topic;
  std::optional<Subscription> subscription;  ///< nullopt: nobody in the group has subscribed.

  friend bool operator==(const SubscriptionReply&, const SubscriptionReply&) = default;
};

/// How far a group is behind, in time. \return topic_not_found.
struct QueryTimeSpans {
  std::string group;
  std::string topic;
};
struct TimeSpan {
  std::string broker_name;
  std::string topic;
  std::int32_t queue = 0;
  std::int64_t first_ms = 0;     ///< When the first message of the queue was stored,
  std::int64_t last_ms = 0;      ///< the last one,
  std::int64_t consumed_ms = 0;  ///< and the last one consumed, else the first. -1: there is none.
  std::int64_t delay_ms = 0;     ///< How old the one is that is consumed next; 0 if there is none.

  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};
struct TimeSpansReply {
  std::vector<TimeSpan> spans;

  friend bool operator==(const TimeSpansReply&, const TimeSpansReply&) = default;
};

/// All progress of a broker, for copies of it.
/// \return quota_exceeded over limits::kProgressEntriesPerReplyMax entries.
struct QueryAllProgress {};
struct AllProgressReply {
  struct Entry {
    std::string topic;
    std::string group;
    std::int32_t queue = 0;
    std::int64_t offset = 0;

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries;  ///< Sorted by topic, group and queue.

  friend bool operator==(const AllProgressReply&, const AllProgressReply&) = default;
};

/// Gives a group the progress of another. \return group_not_found, topic_not_found.
struct CopyProgress {
  std::string from_group;
  std::string to_group;
  std::string topic;             ///< Only in this one; empty: in all.
  bool only_subscribed = false;  ///< Not where the first group has members that do not
                                 ///< subscribe.
};

// --- the broker ------------------------------------------------------------------------------

/// How the broker fares: names and values for people, those of RocketMQ: SettingsReply.
struct QueryRuntime {};

/// How the broker is set up, by RocketMQ's names: SettingsReply.
struct QueryBrokerSettings {};

/// Changes settings until the broker stops. All or none.
/// \return permission_denied for a setting that is given at the start, and invalid_argument for one
///         that is not known, or a value out of its range.
struct ChangeBrokerSettings {
  std::vector<NameValue> settings;
};
struct SettingsReply {
  std::vector<NameValue> settings;  ///< Sorted by name.
  DataVersion version;
};

/// One of the broker's counts, by RocketMQ's name and key (`TOPIC_PUT_NUMS`, a topic).
/// \return not_found if nothing was counted under it.
struct QueryRates {
  std::string name;
  std::string key;
};
struct Rate {
  std::uint64_t sum = 0;
  double per_second = 0;
  double per_call = 0;

  friend bool operator==(const Rate&, const Rate&) = default;
};
struct RatesReply {
  Rate minute;
  Rate hour;
  Rate day;

  friend bool operator==(const RatesReply&, const RatesReply&) = default;
};

struct NameListReply {
  std::vector<std::string> names;  ///< Sorted, each once.

  friend bool operator==(const NameListReply&, const NameListReply&) = default;
};
/// Done, nothing to say.
struct Administered {};

using AdminCommand =
    std::variant<PutGroups, DeleteGroup, QueryGroups, QuerySystemTopics, QueryTopicStats,
                 InspectQueue, QueryConsumers, QueryProducers, QueryProgress, QueryGroupsOfTopic,
                 QueryTopicsOfGroup, QuerySubscription, QueryTimeSpans, QueryAllProgress,
                 CopyProgress, QueryRuntime, QueryBrokerSettings, ChangeBrokerSettings, QueryRates>;

using AdminReply =
    std::variant<Administered, GroupsReply, TopicStatsReply, QueueEntriesReply, ConsumersReply,
                 ProducersReply, ProgressReply, SubscriptionReply, TimeSpansReply, AllProgressReply,
                 SettingsReply, RatesReply, NameListReply>;

/// One of them, to a broker.
struct Administer {
  AdminCommand command;
  /// The broker meant. Empty: all where that makes sense, else the only one.
  std::string broker_name;
};

}  // namespace sluice::model
