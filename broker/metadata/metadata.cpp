#include "broker/metadata/metadata.hpp"

#include <algorithm>
#include <mutex>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "common/model/names.hpp"

namespace sluice::broker {

namespace {

constexpr std::uint32_t kScanPage = 1000;

Bytes after_prefix(char prefix) {
  return Bytes(1, static_cast<char>(prefix + 1));
}

Result<> check_config(const model::TopicConfig& config) {
  SLUICE_TRY(model::check_topic_name(config.name));
  const auto is_count = [](std::int32_t queues) {
    return queues >= 0 && queues <= limits::kQueuesPerTopicMax;
  };
  if (!is_count(config.read_queues) || !is_count(config.write_queues)) {
    return fail(Errc::invalid_argument, "topic " + config.name + ": queue numbers go from 0 to " +
                                            std::to_string(limits::kQueuesPerTopicMax));
  }
  return {};
}

std::uint32_t queue_count(const model::TopicConfig& config) noexcept {
  return static_cast<std::uint32_t>(std::max(config.read_queues, config.write_queues));
}

std::uint32_t log_count(const std::vector<LogRange>& ranges) noexcept {
  std::uint32_t count = 0;
  for (const LogRange& range : ranges) count += range.count;
  return count;
}

tl::unexpected<Error> refuse_topic(std::size_t max) {
  static metrics::Counter& refused = metrics::counter(
      "sluice_topics_refused_total", "", "Topics not made: the broker had its limit of topics");
  refused.add();
  return fail(Errc::quota_exceeded, "this broker has its limit of " + std::to_string(max) +
                                        " topics: delete some, or add a broker");
}

}  // namespace

Topic::Topic(TopicRecord record, std::shared_ptr<WaiterCount> waiter_count)
    : record_(std::move(record)),
      waiter_count_(std::move(waiter_count)),
      use_(std::make_shared<TopicUse>()),
      traffic_(std::make_shared<TopicTraffic>()) {
  add_queues();
}

Topic::Topic(TopicRecord record, const Topic& before)
    : record_(std::move(record)),
      waiter_count_(before.waiter_count_),
      queues_(before.queues_),
      use_(before.use_),
      traffic_(before.traffic_) {
  add_queues();
}

void Topic::add_queues() {
  std::size_t index = 0;
  for (const LogRange& range : record_.logs) {
    for (std::uint32_t i = 0; i < range.count; ++i, ++index) {
      if (index < queues_.size()) continue;
      queues_.push_back(std::make_shared<Queue>(range.first + i, waiter_count_));
    }
  }
}

Task<> wait_until_unused(TopicPtr topic) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  auto start = [&](UniqueFunction<void(bool)> resume) {
    // Posted: the last holder ends anywhere, also inside of another call.
    topic->use().on_end([executor, resume = std::move(resume)]() mutable {
      boost::asio::post(executor, [resume = std::move(resume)]() mutable { resume(true); });
    });
    topic.reset();
  };
  co_await wait_for_completion<bool>(start);
  co_return Result<>{};
}

Metadata::Metadata(storage::StorageEngine& engine, Environment& environment, MetadataBounds bounds)
    : engine_(engine), environment_(environment), bounds_(bounds) {
  version_.timestamp_ms = environment_.now().value;
  version_.counter = 1;
  group_version_ = version_;
}

Task<> Metadata::load() {
  auto counters = co_await load_counters();
  SLUICE_CO_TRY(counters);
  auto topics = co_await load_topics();
  SLUICE_CO_TRY(topics);
  auto groups = co_await load_groups();
  co_return groups;
}

Task<> Metadata::load_counters() {
  auto log_ids = co_await engine_.get(keys::next_log_id());
  SLUICE_CO_TRY(log_ids);
  if (*log_ids) next_log_id_ = keys::decode_number(**log_ids);
  auto numbers = co_await engine_.get(keys::next_topic_number());
  SLUICE_CO_TRY(numbers);
  if (*numbers) next_topic_number_ = static_cast<std::uint32_t>(keys::decode_number(**numbers));
  co_return Result<>{};
}

Task<> Metadata::load_topics() {
  Bytes from(1, keys::kTopicPrefix);
  const Bytes end = after_prefix(keys::kTopicPrefix);
  while (true) {
    auto page = co_await engine_.scan(from, end, kScanPage);
    SLUICE_CO_TRY(page);
    for (const storage::KeyValue& entry : *page) {
      auto record = decode_topic(std::string_view(entry.key).substr(1), entry.value);
      SLUICE_CO_TRY(record);
      remember(std::make_shared<const Topic>(std::move(*record), waiter_count_));
    }
    if (page->size() < kScanPage) co_return Result<>{};
    from = page->back().key + '\0';
  }
}

TopicPtr Metadata::find_topic(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = topics_.find(name);
  return found == topics_.end() ? nullptr : found->second;
}

TopicPtr Metadata::find_topic(keys::TopicNumber number) const {
  const std::shared_lock lock(mutex_);
  const auto found = topics_by_number_.find(number);
  return found == topics_by_number_.end() ? nullptr : found->second;
}

std::vector<TopicPtr> Metadata::topics() const {
  std::vector<TopicPtr> all;
  {
    const std::shared_lock lock(mutex_);
    all.reserve(topics_.size());
    for (const auto& [name, topic] : topics_) all.push_back(topic);
  }
  std::ranges::sort(all, {},
                    [](const TopicPtr& topic) -> const auto& { return topic->config().name; });
  return all;
}

model::DataVersion Metadata::version() const {
  const std::shared_lock lock(mutex_);
  return version_;
}

void Metadata::remember(const TopicPtr& topic) {
  topics_[topic->config().name] = topic;
  topics_by_number_[topic->number()] = topic;
}

void Metadata::forget(const Topic& topic) {
  topics_.erase(topic.config().name);
  topics_by_number_.erase(topic.number());
}

void Metadata::changed() {
  version_.timestamp_ms = environment_.now().value;
  ++version_.counter;
}

Task<TopicPtr> Metadata::put_topic(model::CreateTopic create) {
  auto guard = co_await changing_.lock();
  model::TopicConfig& config = create.config;
  const TopicPtr before = find_topic(config.name);
  // What the request says of an attribute comes first: insert() changes nothing that is there.
  if (before) {
    const auto& kept = before->config().attributes;
    config.attributes.insert(kept.begin(), kept.end());
  }
  for (const std::string& name : create.removed_attributes) config.attributes.erase(name);
  auto stored = co_await store_topic(std::move(config), before);
  co_return stored;
}

Task<TopicPtr> Metadata::ensure_topic(model::TopicConfig config) {
  auto guard = co_await changing_.lock();
  // Somebody may have made it while this waited.
  TopicPtr found = find_topic(config.name);
  if (found) co_return found;
  auto stored = co_await store_topic(std::move(config), nullptr);
  co_return stored;
}

Task<TopicPtr> Metadata::store_topic(model::TopicConfig config, TopicPtr before) {
  auto checked = check_config(config);
  SLUICE_CO_TRY(checked);
  TopicRecord record;
  storage::WriteBatch batch;
  if (before) {
    record.number = before->number();
    record.logs = before->record().logs;
  } else {
    {
      const std::shared_lock lock(mutex_);
      if (topics_.size() >= bounds_.topics_max) co_return refuse_topic(bounds_.topics_max);
    }
    record.number.value = next_topic_number_++;
    batch.put(keys::next_topic_number(), keys::encode_number(next_topic_number_));
  }
  const std::uint32_t missing =
      queue_count(config) - std::min(queue_count(config), log_count(record.logs));
  if (missing > 0) take_logs(missing, batch, record.logs);
  record.config = std::move(config);
  batch.put(keys::topic(record.config.name), encode(record));
  auto committed = co_await engine_.commit(std::move(batch), storage::Durability::synced);
  SLUICE_CO_TRY(committed);

  TopicPtr topic = before ? std::make_shared<const Topic>(std::move(record), *before)
                          : std::make_shared<const Topic>(std::move(record), waiter_count_);
  const std::unique_lock lock(mutex_);
  remember(topic);
  changed();
  co_return topic;
}

void Metadata::take_logs(std::uint32_t count, storage::WriteBatch& batch,
                         std::vector<LogRange>& ranges) {
  ranges.push_back({storage::LogId{next_log_id_}, count});
  next_log_id_ += count;
  batch.put(keys::next_log_id(), keys::encode_number(next_log_id_));
}

Task<TopicPtr> Metadata::delete_topic(std::string name) {
  auto guard = co_await changing_.lock();
  TopicPtr topic = find_topic(name);
  if (!topic) co_return fail(Errc::topic_not_found, "topic '" + name + "' does not exist");
  {
    const std::unique_lock lock(mutex_);
    forget(*topic);
    changed();
  }
  storage::WriteBatch batch;
  batch.erase(keys::topic(name));
  forget_content(topic->record(), batch);
  auto committed = co_await engine_.commit(std::move(batch), storage::Durability::synced);
  if (!committed) {
    const std::unique_lock lock(mutex_);
    remember(topic);
    changed();
    co_return fail(std::move(committed).error());
  }
  co_return topic;
}

Task<> Metadata::sweep(TopicRecord record) {
  storage::WriteBatch batch;
  forget_content(record, batch);
  auto committed = co_await engine_.commit(std::move(batch), storage::Durability::buffered);
  SLUICE_CO_TRY(committed);
  co_return Result<>{};
}

void Metadata::forget_content(const TopicRecord& record, storage::WriteBatch& batch) {
  batch.erase_range(keys::offsets_of(record.number), keys::offsets_of(record.number + 1));
  for (const LogRange& range : record.logs) {
    for (std::uint32_t i = 0; i < range.count; ++i) batch.drop_log(range.first + i);
  }
}

}  // namespace sluice::broker
