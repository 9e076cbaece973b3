#pragma once

#include <cstddef>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/metadata/records.hpp"
#include "broker/queue/waiters.hpp"
#include "broker/statistics/topic_traffic.hpp"
#include "common/base/environment.hpp"
#include "common/base/limits.hpp"
#include "common/base/text_hash.hpp"
#include "common/base/unique_function.hpp"
#include "common/model/command.hpp"
#include "common/runtime/async_mutex.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::broker {

/// One queue of a topic, for as long as anybody holds it.
struct Queue {
  Queue(storage::LogId log_in, std::shared_ptr<WaiterCount> waiter_count) noexcept
      : log(log_in), waiters(std::move(waiter_count)) {}

  const storage::LogId log;
  Waiters waiters;
};

/// Goes with the last version of a topic that anybody holds.
class TopicUse {
 public:
  TopicUse() = default;
  ~TopicUse() {
    if (on_end_) on_end_();
  }
  TopicUse(const TopicUse&) = delete;
  TopicUse& operator=(const TopicUse&) = delete;

  void on_end(UniqueFunction<void()> tell) { on_end_ = std::move(tell); }

 private:
  UniqueFunction<void()> on_end_;
};

/// A topic as it was at one moment: a change makes a new one, which shares the queues.
class Topic {
 public:
  /// \param waiter_count  Shared by all topics of a broker.
  Topic(TopicRecord record, std::shared_ptr<WaiterCount> waiter_count);
  Topic(TopicRecord record, const Topic& before);

  [[nodiscard]] const TopicRecord& record() const noexcept { return record_; }
  [[nodiscard]] const model::TopicConfig& config() const noexcept { return record_.config; }
  [[nodiscard]] keys::TopicNumber number() const noexcept { return record_.number; }
  [[nodiscard]] const std::vector<std::shared_ptr<Queue>>& queues() const noexcept {
    return queues_;
  }

  [[nodiscard]] TopicUse& use() const noexcept { return *use_; }
  [[nodiscard]] TopicTraffic& traffic() const noexcept { return *traffic_; }

  [[nodiscard]] bool is_writable() const noexcept {
    return (config().permission & model::permission::kWrite) != 0;
  }
  [[nodiscard]] bool is_readable() const noexcept {
    return (config().permission & model::permission::kRead) != 0;
  }

 private:
  void add_queues();

  TopicRecord record_;
  std::shared_ptr<WaiterCount> waiter_count_;
  std::vector<std::shared_ptr<Queue>> queues_;
  std::shared_ptr<TopicUse> use_;
  std::shared_ptr<TopicTraffic> traffic_;
};
using TopicPtr = std::shared_ptr<const Topic>;

/// Lets go of a topic that nobody can find any more, and completes when all others have. For the
/// one call that deleted it.
[[nodiscard]] Task<> wait_until_unused(TopicPtr topic);
using GroupPtr = std::shared_ptr<const model::GroupConfig>;

/// What a broker has at most.
struct MetadataBounds {
  std::size_t topics_max = limits::kTopicsMax;
  std::size_t groups_max = limits::kGroupsMax;
};

/// The topics and groups of a broker: looked up on every request, changed rarely, kept in the
/// engine. Look-ups are safe from any loop; changes go one after the other.
class Metadata {
 public:
  Metadata(storage::StorageEngine& engine, Environment& environment, MetadataBounds bounds = {});

  /// Reads all topics and groups. Once, before anything else.
  Task<> load();

  /// nullptr if there is none.
  [[nodiscard]] TopicPtr find_topic(std::string_view name) const;
  [[nodiscard]] TopicPtr find_topic(keys::TopicNumber number) const;
  [[nodiscard]] GroupPtr find_group(std::string_view name) const;

  /// Sorted by name.
  [[nodiscard]] std::vector<TopicPtr> topics() const;
  /// Of the topics.
  [[nodiscard]] model::DataVersion version() const;

  /// Sorted by name.
  [[nodiscard]] std::vector<GroupPtr> groups() const;
  [[nodiscard]] model::DataVersion group_version() const;

  /// Makes the topic, or changes its configuration. Queues are never taken away: a smaller number
  /// hides the others.
  /// \return invalid_argument, quota_exceeded (counted), and what commit() may return.
  Task<TopicPtr> put_topic(model::CreateTopic create);

  /// The topic of that name if there is one by now, else one made from `config`.
  Task<TopicPtr> ensure_topic(model::TopicConfig config);

  /// Forgets the topic, its messages and all progress in it. It cannot be found from the begin on,
  /// but calls that found it before may go on to store: wait_until_unused(), then sweep().
  /// \return topic_not_found.
  Task<TopicPtr> delete_topic(std::string name);

  /// Forgets what was stored under a topic while it was being deleted.
  Task<> sweep(TopicRecord record);

  /// The group of that name, made with defaults if there is none.
  /// \return invalid_argument, quota_exceeded (counted), and what commit() may return.
  Task<GroupPtr> ensure_group(std::string name);

  /// Makes the groups, or changes those of these names: all or none.
  /// \return as ensure_group().
  Task<> put_groups(std::vector<model::GroupConfig> groups);

  /// Forgets the group, but not its progress. Nothing happens if there is none.
  Task<> delete_group(std::string name);

 private:
  template <class Value>
  using ByName = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

  Task<> load_topics();
  Task<> load_groups();
  Task<> load_counters();
  Task<TopicPtr> store_topic(model::TopicConfig config, TopicPtr before);
  /// Gives `ranges` the next `count` LogIds. Ids of a batch that then fails are never used.
  void take_logs(std::uint32_t count, storage::WriteBatch& batch, std::vector<LogRange>& ranges);
  /// Adds what forgets all that is stored under a topic but its record.
  static void forget_content(const TopicRecord& record, storage::WriteBatch& batch);
  // Under the mutex.
  void remember(const TopicPtr& topic);
  void forget(const Topic& topic);
  void changed();
  void groups_changed();
  [[nodiscard]] Result<> check_room(const std::vector<model::GroupConfig>& groups) const;

  storage::StorageEngine& engine_;
  Environment& environment_;
  const MetadataBounds bounds_;
  const std::shared_ptr<WaiterCount> waiter_count_ = std::make_shared<WaiterCount>();
  AsyncMutex changing_;

  mutable std::shared_mutex mutex_;  ///< For the tables below.
  ByName<TopicPtr> topics_;
  std::unordered_map<keys::TopicNumber, TopicPtr> topics_by_number_;
  ByName<GroupPtr> groups_;
  model::DataVersion version_;
  model::DataVersion group_version_;

  // Under changing_.
  std::uint64_t next_log_id_ = 1;
  std::uint32_t next_topic_number_ = 1;
};

}  // namespace sluice::broker
