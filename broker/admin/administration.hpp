#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/membership/connections.hpp"
#include "broker/membership/membership.hpp"
#include "broker/metadata/metadata.hpp"
#include "broker/offsets/offsets.hpp"
#include "broker/options.hpp"
#include "broker/settings/settings.hpp"
#include "broker/statistics/statistics.hpp"
#include "common/model/admin.hpp"
#include "common/runtime/runtime.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::broker {

/// Serves what operators ask of a broker (model/admin.hpp says what each request is replied to
/// with). Looks at the broker's parts and changes them through their own members. Safe from any
/// loop.
class Administration {
 public:
  /// The parts, which outlive this.
  struct Parts {
    Runtime& runtime;
    storage::StorageEngine& engine;
    const BrokerOptions& options;
    Settings& settings;
    Metadata& metadata;
    Offsets& offsets;
    Statistics& statistics;
    std::mutex& membership_mutex;  ///< For the two below.
    Membership& membership;
    Connections& connections;
  };

  explicit Administration(Parts parts);

  Task<model::AdminReply> run(model::AdminCommand command);

 private:
  // Groups, topics and connections (administration.cpp).
  Task<model::AdminReply> serve(model::PutGroups put);
  Task<model::AdminReply> serve(model::DeleteGroup remove);
  Task<model::AdminReply> serve(model::QueryGroups query);
  Task<model::AdminReply> serve(model::QuerySystemTopics query);
  Task<model::AdminReply> serve(model::QueryTopicStats query);
  Task<model::AdminReply> serve(model::InspectQueue query);
  Task<model::AdminReply> serve(model::QueryConsumers query);
  Task<model::AdminReply> serve(model::QueryProducers query);
  Task<> forget_progress(std::string group);

  // Progress (progress.cpp).
  Task<model::AdminReply> serve(model::QueryProgress query);
  Task<model::AdminReply> serve(model::QueryGroupsOfTopic query);
  Task<model::AdminReply> serve(model::QueryTopicsOfGroup query);
  Task<model::AdminReply> serve(model::QuerySubscription query);
  Task<model::AdminReply> serve(model::QueryTimeSpans query);
  Task<model::AdminReply> serve(model::QueryAllProgress query);
  Task<model::AdminReply> serve(model::CopyProgress copy);
  Task<model::ProgressReply::Part> progress_of(std::string group, TopicPtr topic);
  [[nodiscard]] std::vector<TopicPtr> topics_with_progress(std::string_view group) const;
  [[nodiscard]] std::vector<std::pair<std::string, TopicPtr>> parts_of(
      const model::QueryProgress& query) const;
  [[nodiscard]] bool has_unsubscribed(std::string_view group, std::string_view topic) const;
  Task<> copy_progress(std::string from_group, std::string to_group, TopicPtr topic);
  Task<GroupPtr> group_to_change(std::string name);

  // The broker itself (runtime_info.cpp).
  Task<model::AdminReply> serve(model::QueryRuntime query);
  Task<model::AdminReply> serve(model::QueryBrokerSettings query);
  Task<model::AdminReply> serve(model::ChangeBrokerSettings change);
  Task<model::AdminReply> serve(model::QueryRates query);
  [[nodiscard]] std::vector<model::NameValue> flow_info() const;
  [[nodiscard]] std::vector<model::NameValue> load_info() const;
  Task<std::vector<model::NameValue>> store_info();

  /// Lets others use the loop: long answers are made of many short parts.
  static Task<> pause();
  /// When the record at `offset` was stored; `absent` if it is not there.
  Task<std::int64_t> stored_at(storage::LogId log, std::int64_t offset, std::int64_t absent);
  [[nodiscard]] Result<TopicPtr> topic_named(const std::string& name) const;
  [[nodiscard]] std::optional<model::Subscription> subscription(std::string_view group,
                                                                std::string_view topic) const;

  Parts parts_;
  Environment::Instant started_;
  UnixMillis started_at_;
};

}  // namespace sluice::broker
