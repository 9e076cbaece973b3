#include "broker/broker.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/limits.hpp"
#include "common/base/log.hpp"
#include "common/model/names.hpp"
#include "common/model/properties.hpp"
#include "common/runtime/spawn.hpp"

namespace sluice::broker {

namespace {

constexpr std::int32_t kTemplatePermission =
    model::permission::kRead | model::permission::kWrite | model::permission::kInherit;

std::string broker_properties_of(const BrokerOptions& options) {
  std::string properties;
  const std::pair<std::string_view, std::string_view> all[] = {
      {model::property::kRegion, "DefaultRegion"},
      {model::property::kTraceOn, "true"},
      {model::property::kCluster, options.cluster}};
  for (const auto& [name, value] : all) {
    properties.append(name).append("\x01").append(value).append("\x02");
  }
  return properties;
}

}  // namespace

Broker::Broker(Runtime& runtime, storage::StorageEngine& engine, BrokerOptions options)
    : runtime_(runtime),
      engine_(engine),
      options_(std::move(options)),
      append_settings_{options_.advertised, broker_properties_of(options_)},
      metadata_(engine, runtime.environment()),
      offsets_(engine),
      notices_(runtime),
      client_calls_(runtime),
      settings_(options_, runtime.environment()),
      administration_({.runtime = runtime,
                       .engine = engine,
                       .options = options_,
                       .settings = settings_,
                       .metadata = metadata_,
                       .offsets = offsets_,
                       .statistics = statistics_,
                       .membership_mutex = membership_mutex_,
                       .membership = membership_,
                       .connections = connections_}) {}

Broker::~Broker() = default;

Task<std::unique_ptr<Broker>> Broker::open(Runtime& runtime, storage::StorageEngine& engine,
                                           BrokerOptions options) {
  std::unique_ptr<Broker> broker(new Broker(runtime, engine, std::move(options)));
  auto loaded = co_await broker->metadata_.load();
  SLUICE_CO_TRY(loaded);
  auto progress = co_await broker->offsets_.load();
  SLUICE_CO_TRY(progress);
  broker->start_background_work();
  co_return broker;
}

Task<> Broker::stop() {
  is_stopping_ = true;
  expiry_timer_.cancel();
  retention_timer_.cancel();
  statistics_timer_.cancel();
  notices_timer_.cancel();
  for (const TopicPtr& topic : metadata_.topics()) {
    for (const auto& queue : topic->queues()) queue->waiters.release();
  }
  notices_.release();
  client_calls_.release();
  auto guard = co_await background_.lock();
  co_await offsets_.stop();
  co_return Result<>{};
}

// --- background work -------------------------------------------------------------------------

void Broker::start_background_work() {
  const Executor loop = runtime_.loop(0);
  expiry_timer_.on_fire([this, loop] { spawn(loop, expire_members()); });
  retention_timer_.on_fire([this, loop] { spawn(loop, enforce_retention()); });
  statistics_timer_.on_fire([this, loop] { spawn(loop, sample_statistics()); });
  notices_timer_.on_fire([this] { tell_members(); });
  boost::asio::post(loop, [this] {
    schedule(expiry_timer_, limits::kClientScanInterval);
    schedule(retention_timer_, options_.retention_interval);
    schedule(statistics_timer_, limits::kStatisticsInterval);
  });
}

void Broker::schedule(TimerWheel::Timer& timer, std::chrono::milliseconds interval) {
  if (is_stopping_) return;
  runtime_.timers(runtime_.loop(0)).arm(timer, runtime_.environment().steady_now() + interval);
}

Task<> Broker::expire_members() {
  {
    const auto now = runtime_.environment().steady_now();
    const std::lock_guard lock(membership_mutex_);
    membership_.expire(now);
    connections_.expire(now);
  }
  tell_members_soon();
  {
    const std::lock_guard lock(locks_mutex_);
    locks_.expire(runtime_.environment().steady_now());
  }
  schedule(expiry_timer_, limits::kClientScanInterval);
  co_return Result<>{};
}

Task<> Broker::sample_statistics() {
  constexpr std::int64_t kMillisPerDay = 24LL * 3600 * 1000;
  const Environment& environment = runtime_.environment();
  statistics_.sample(environment.steady_now(), environment.now().value / kMillisPerDay);
  schedule(statistics_timer_, limits::kStatisticsInterval);
  co_return Result<>{};
}

Task<> Broker::enforce_retention() {
  auto guard = co_await background_.lock();
  if (is_stopping_) co_return Result<>{};
  const std::int64_t now = runtime_.environment().now().value;
  const std::chrono::milliseconds age = settings_.retention_age();
  if (age.count() > 0) {
    const UnixMillis limit{now - age.count()};
    auto dropped = co_await drop_older_than(limit);
    if (!dropped) log::warn("retention by age: {}", describe(dropped.error()));
  }
  if (options_.retention_bytes > 0) {
    auto dropped = co_await drop_beyond(options_.retention_bytes);
    if (!dropped) log::warn("retention by size: {}", describe(dropped.error()));
  }
  schedule(retention_timer_, options_.retention_interval);
  co_return Result<>{};
}

Task<> Broker::drop_older_than(UnixMillis limit) {
  auto usage = co_await engine_.usage();
  SLUICE_CO_TRY(usage);
  if (!usage->oldest) co_return Result<>{};
  auto keep_from = co_await engine_.position_at(limit);
  SLUICE_CO_TRY(keep_from);
  // With every record older, all go that were there before the question: not what came since.
  const storage::Position position = keep_from->value_or(*usage->newest + 1);
  if (position <= *usage->oldest) co_return Result<>{};
  storage::WriteBatch batch;
  batch.drop_before(position);
  auto committed = co_await engine_.commit(std::move(batch), storage::Durability::buffered);
  SLUICE_CO_TRY(committed);
  co_return Result<>{};
}

Task<> Broker::drop_beyond(std::uint64_t bytes_max) {
  auto usage = co_await engine_.usage();
  SLUICE_CO_TRY(usage);
  if (usage->disk_bytes <= bytes_max) co_return Result<>{};
  auto keep_from = co_await engine_.position_to_free(usage->disk_bytes - bytes_max);
  SLUICE_CO_TRY(keep_from);
  if (!*keep_from) co_return Result<>{};
  storage::WriteBatch batch;
  batch.drop_before(**keep_from);
  auto committed = co_await engine_.commit(std::move(batch), storage::Durability::buffered);
  SLUICE_CO_TRY(committed);
  co_return Result<>{};
}

Result<> Broker::check_time(const model::CallContext& context) const {
  const bool has_deadline = context.deadline != Environment::Instant::max();
  if (!has_deadline || runtime_.environment().steady_now() < context.deadline) return {};
  return fail(Errc::deadline_exceeded, "the deadline passed before the broker was asked");
}

// --- offsets ---------------------------------------------------------------------------------

std::shared_ptr<Queue> Broker::find_queue(std::string_view topic, std::int32_t queue) const {
  const TopicPtr found = metadata_.find_topic(topic);
  const bool exists =
      found && queue >= 0 && static_cast<std::size_t>(queue) < found->queues().size();
  return exists ? found->queues()[static_cast<std::size_t>(queue)] : nullptr;
}

Task<model::OffsetReply> Broker::query_offset(model::CallContext context,
                                              model::QueryOffset query) {
  SLUICE_CO_TRY(check_time(context));
  const TopicPtr topic = metadata_.find_topic(query.topic);
  const auto unknown = [&] {
    return fail(Errc::not_found, "group " + query.group + " has no progress in " + query.topic +
                                     " queue " + std::to_string(query.queue));
  };
  if (!topic) co_return unknown();
  const auto offset = offsets_.find(topic->number(), query.queue, query.group);
  if (offset && *offset >= 0) co_return model::OffsetReply{*offset};
  const auto queue = find_queue(query.topic, query.queue);
  if (!query.zero_if_not_found || !queue) co_return unknown();
  // RocketMQ's rule: a new group starts a young queue, which still has its first message, there.
  auto bounds = co_await engine_.bounds(queue->log);
  SLUICE_CO_TRY(bounds);
  const bool is_young = bounds->first.value == 0 && bounds->next.value > 0;
  if (!is_young) co_return unknown();
  co_return model::OffsetReply{0};
}

Task<> Broker::update_offset(model::CallContext context, model::UpdateOffset update) {
  SLUICE_CO_TRY(check_time(context));
  const TopicPtr topic = metadata_.find_topic(update.topic);
  if (!topic) {
    co_return fail(Errc::topic_not_found, "topic '" + update.topic + "' does not exist");
  }
  // RocketMQ keeps it, and nobody ever asks for it: here it would be kept for good.
  if (!find_queue(update.topic, update.queue)) co_return Result<>{};
  auto group = co_await find_or_create_group(key_of(context), update.group);
  SLUICE_CO_TRY(group);
  // From before an operator moved it: the group does not know yet.
  if (resets_.has(topic->number(), update.queue, update.group)) co_return Result<>{};
  auto stored = co_await offsets_.store(topic->number(), update.queue, std::move(update.group),
                                        update.offset);
  co_return stored;
}

Task<model::BoundsReply> Broker::query_bounds(model::CallContext context,
                                              model::QueryBounds query) {
  SLUICE_CO_TRY(check_time(context));
  const auto queue = find_queue(query.topic, query.queue);
  if (!queue) co_return model::BoundsReply{};
  auto bounds = co_await engine_.bounds(queue->log);
  SLUICE_CO_TRY(bounds);
  co_return model::BoundsReply{bounds->first.value, bounds->next.value};
}

Task<model::OffsetReply> Broker::search_offset(model::CallContext context,
                                               model::SearchOffset search) {
  SLUICE_CO_TRY(check_time(context));
  const auto queue = find_queue(search.topic, search.queue);
  if (!queue) co_return model::OffsetReply{0};
  if (search.boundary == model::Boundary::lower) {
    auto offset = co_await engine_.offset_at(queue->log, UnixMillis{search.time_ms});
    SLUICE_CO_TRY(offset);
    co_return model::OffsetReply{offset->value};
  }
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  const UnixMillis behind{search.time_ms == kLast ? kLast : search.time_ms + 1};
  auto after = co_await engine_.offset_at(queue->log, behind);
  SLUICE_CO_TRY(after);
  auto bounds = co_await engine_.bounds(queue->log);
  SLUICE_CO_TRY(bounds);
  // RocketMQ's answer where nothing is that old, whatever the first offset is.
  const bool is_before_all = *after <= bounds->first;
  co_return model::OffsetReply{is_before_all ? 0 : after->value - 1};
}

Task<model::OffsetReply> Broker::query_earliest_time(model::CallContext context,
                                                     model::QueryEarliestTime query) {
  SLUICE_CO_TRY(check_time(context));
  const auto queue = find_queue(query.topic, query.queue);
  if (!queue) co_return model::OffsetReply{-1};
  auto bounds = co_await engine_.bounds(queue->log);
  SLUICE_CO_TRY(bounds);
  if (bounds->first == bounds->next) co_return model::OffsetReply{-1};
  const storage::ReadLimits one{.records_max = 1};
  auto read = co_await engine_.read(queue->log, bounds->first, one, {});
  SLUICE_CO_TRY(read);
  if (read->records.empty()) co_return model::OffsetReply{-1};
  co_return model::OffsetReply{read->records.front().stored_at.value};
}

// --- topics ----------------------------------------------------------------------------------

Task<> Broker::announce_topics() {
  if (!options_.on_topics_changed) co_return Result<>{};
  auto told = co_await options_.on_topics_changed();
  if (!told) log::warn("{}", describe(told.error()));
  co_return Result<>{};
}

Task<> Broker::create_topic(model::CallContext context, model::CreateTopic create) {
  SLUICE_CO_TRY(check_time(context));
  if (model::is_system_topic(create.config.name)) {
    co_return fail(Errc::invalid_argument,
                   "topic " + create.config.name + " belongs to the broker: choose another name");
  }
  auto topic = co_await metadata_.put_topic(std::move(create));
  SLUICE_CO_TRY(topic);
  co_await announce_topics();
  co_return Result<>{};
}

Task<> Broker::delete_topic(model::CallContext context, model::DeleteTopic remove) {
  SLUICE_CO_TRY(check_time(context));
  auto topic = co_await metadata_.delete_topic(std::move(remove.topic));
  SLUICE_CO_TRY(topic);
  for (const auto& queue : (*topic)->queues()) queue->waiters.release();
  co_await announce_topics();
  // Calls that found the topic before it was gone may have stored more since.
  const TopicRecord record = (*topic)->record();
  co_await wait_until_unused(*std::move(topic));
  co_await offsets_.forget(record.number);
  resets_.forget(record.number);
  statistics_.forget_topic(record.config.name);
  auto swept = co_await metadata_.sweep(record);
  if (!swept) log::warn("topic {}: {}", record.config.name, describe(swept.error()));
  co_return Result<>{};
}

Task<model::TopicsReply> Broker::query_topics(model::CallContext context,
                                              model::QueryTopics query) {
  SLUICE_CO_TRY(check_time(context));
  model::TopicsReply reply;
  if (!query.topic.empty()) {
    const TopicPtr topic = metadata_.find_topic(query.topic);
    if (topic) reply.topics.push_back(topic->config());
    if (reply.topics.empty()) {
      reply.topics = own_topics();
      std::erase_if(reply.topics, [&](const auto& config) { return config.name != query.topic; });
    }
    co_return reply;
  }
  model::RegisterBroker all = registration();
  std::ranges::sort(all.topics, {}, &model::TopicConfig::name);
  reply.total = static_cast<std::int32_t>(all.topics.size());
  reply.version = all.version;
  model::keep_page(all.topics, query.page, all.version);
  reply.topics = std::move(all.topics);
  co_return reply;
}

Task<model::AdminReply> Broker::administer(model::CallContext context,
                                           model::AdminCommand command) {
  SLUICE_CO_TRY(check_time(context));
  if (is_stopping_) co_return fail(Errc::draining, "the broker is stopping");
  const auto* const query = std::get_if<model::QueryGroups>(&command);
  const bool may_make_group = query != nullptr && query->makes_missing && !query->group.empty() &&
                              settings_.creates_groups();
  if (may_make_group) {
    auto group = co_await find_or_create_group(key_of(context), query->group);
    SLUICE_CO_TRY(group);
  }
  auto reply = co_await administration_.run(std::move(command));
  co_return reply;
}

std::vector<model::TopicConfig> Broker::own_topics() const {
  std::vector<model::TopicConfig> topics;
  if (settings_.creates_topics()) {
    model::TopicConfig pattern;
    pattern.name = model::kAutoCreateTopic;
    pattern.read_queues = pattern.write_queues = settings_.default_queues();
    pattern.permission = kTemplatePermission;
    topics.push_back(std::move(pattern));
  }
  // A Java name server refuses the first registration of a broker that has a single topic.
  model::TopicConfig self_test;
  self_test.name = "SELF_TEST_TOPIC";
  self_test.read_queues = self_test.write_queues = 1;
  topics.push_back(std::move(self_test));
  return topics;
}

model::RegisterBroker Broker::registration() const {
  model::RegisterBroker registration;
  registration.cluster = options_.cluster;
  registration.broker_name = options_.name;
  registration.broker_id = options_.id;
  registration.address = model::to_string(options_.advertised);
  registration.version = metadata_.version();
  registration.topics = own_topics();
  for (const TopicPtr& topic : metadata_.topics()) registration.topics.push_back(topic->config());
  return registration;
}

}  // namespace sluice::broker
