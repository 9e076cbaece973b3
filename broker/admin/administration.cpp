#include "broker/admin/administration.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "common/base/limits.hpp"
#include "common/model/names.hpp"

namespace sluice::broker {

Administration::Administration(Parts parts)
    : parts_(parts),
      started_(parts.runtime.environment().steady_now()),
      started_at_(parts.runtime.environment().now()) {}

Task<model::AdminReply> Administration::run(model::AdminCommand command) {
  return std::visit([this](auto& request) { return serve(std::move(request)); }, command);
}

Result<TopicPtr> Administration::topic_named(const std::string& name) const {
  TopicPtr topic = parts_.metadata.find_topic(name);
  if (!topic) return fail(Errc::topic_not_found, "topic '" + name + "' does not exist");
  return topic;
}

std::optional<model::Subscription> Administration::subscription(std::string_view group,
                                                                std::string_view topic) const {
  const std::lock_guard lock(parts_.membership_mutex);
  return parts_.membership.subscription(group, topic);
}

Task<> Administration::pause() {
  const Executor executor = co_await boost::asio::this_coro::executor;
  co_await boost::asio::post(executor, kAwait);
  co_return Result<>{};
}

Task<std::int64_t> Administration::stored_at(storage::LogId log, std::int64_t offset,
                                             std::int64_t absent) {
  if (offset < 0) co_return absent;
  const storage::ReadLimits one{.records_max = 1, .bytes_max = 1};
  auto read = co_await parts_.engine.read(log, storage::Offset{offset}, one, {});
  if (!read && read.error().code == Errc::offset_out_of_range) co_return absent;
  SLUICE_CO_TRY(read);
  if (read->records.empty()) co_return absent;
  co_return read->records.front().stored_at.value;
}

// --- groups ----------------------------------------------------------------------------------

Task<model::AdminReply> Administration::serve(model::PutGroups put) {
  auto done = co_await parts_.metadata.put_groups(std::move(put.groups));
  SLUICE_CO_TRY(done);
  co_return model::Administered{};
}

Task<model::AdminReply> Administration::serve(model::DeleteGroup remove) {
  auto done = co_await parts_.metadata.delete_group(remove.group);
  SLUICE_CO_TRY(done);
  if (remove.forgets_progress) {
    auto forgotten = co_await forget_progress(std::move(remove.group));
    SLUICE_CO_TRY(forgotten);
  }
  co_return model::Administered{};
}

Task<> Administration::forget_progress(std::string group) {
  for (const TopicPtr& topic : topics_with_progress(group)) {
    // Queues that the topic is too small for by now may have progress, too.
    const auto queues = static_cast<std::int32_t>(topic->queues().size());
    for (std::int32_t queue = 0; queue < queues; ++queue) {
      auto erased = co_await parts_.offsets.erase(topic->number(), queue, group);
      SLUICE_CO_TRY(erased);
    }
    parts_.offsets.erase_from_index(topic->number(), group);
  }
  co_return Result<>{};
}

Task<model::AdminReply> Administration::serve(model::QueryGroups query) {
  model::GroupsReply reply;
  reply.version = parts_.metadata.group_version();
  if (query.group.empty()) {
    std::vector<GroupPtr> groups = parts_.metadata.groups();
    reply.total = static_cast<std::int32_t>(groups.size());
    model::keep_page(groups, query.page, reply.version);
    reply.groups.reserve(groups.size());
    for (const GroupPtr& group : groups) reply.groups.push_back(*group);
    co_return reply;
  }
  // The broker has made one that was missing, if it may.
  const GroupPtr group = parts_.metadata.find_group(query.group);
  if (group) reply.groups.push_back(*group);
  reply.total = static_cast<std::int32_t>(reply.groups.size());
  co_return reply;
}

// --- topics ----------------------------------------------------------------------------------

Task<model::AdminReply> Administration::serve(model::QuerySystemTopics /*query*/) {
  co_return model::NameListReply{model::system_topics()};
}

Task<model::AdminReply> Administration::serve(model::QueryTopicStats query) {
  auto topic = topic_named(query.topic);
  SLUICE_CO_TRY(topic);
  const model::TopicConfig config = (*topic)->config();
  const std::int32_t queues = std::max(config.read_queues, config.write_queues);
  model::TopicStatsReply reply;
  reply.put_rate = parts_.statistics.rate(Statistics::Kind::topic_put, config.name);
  for (std::int32_t queue = 0; queue < queues; ++queue) {
    const storage::LogId log = (*topic)->queues()[static_cast<std::size_t>(queue)]->log;
    auto bounds = co_await parts_.engine.bounds(log);
    SLUICE_CO_TRY(bounds);
    auto updated = co_await stored_at(log, bounds->next.value - 1, 0);
    SLUICE_CO_TRY(updated);
    reply.queues.push_back({.broker_name = parts_.options.name,
                            .topic = config.name,
                            .queue = queue,
                            .first = bounds->first.value,
                            .next = bounds->next.value,
                            .updated_at_ms = *updated});
  }
  co_return reply;
}

Task<model::AdminReply> Administration::serve(model::InspectQueue query) {
  auto topic = topic_named(query.topic);
  SLUICE_CO_TRY(topic);
  const auto& queues = (*topic)->queues();
  if (query.queue < 0 || static_cast<std::size_t>(query.queue) >= queues.size()) {
    co_return fail(Errc::invalid_argument,
                   "topic " + query.topic + " has no queue " + std::to_string(query.queue));
  }
  const storage::LogId log = queues[static_cast<std::size_t>(query.queue)]->log;
  auto bounds = co_await parts_.engine.bounds(log);
  SLUICE_CO_TRY(bounds);
  model::QueueEntriesReply reply;
  reply.first = bounds->first.value;
  reply.next = bounds->next.value;
  if (!query.group.empty()) reply.subscription = subscription(query.group, query.topic);
  std::int64_t offset = std::clamp(query.first, reply.first, reply.next);
  const std::int64_t end = std::min<std::int64_t>(
      reply.next, offset + std::clamp(query.count, 0, limits::kInspectedEntriesMax));
  while (offset < end) {
    const storage::ReadLimits rest{.records_max = static_cast<std::uint32_t>(end - offset)};
    auto read = co_await parts_.engine.read(log, storage::Offset{offset}, rest, {});
    SLUICE_CO_TRY(read);
    for (const storage::Record& record : read->records) {
      if (record.offset.value >= end) break;
      reply.entries.push_back({.position = record.position.value,
                               .bytes = static_cast<std::int32_t>(record.payload.size()),
                               .tag_hash = static_cast<std::int64_t>(record.tag_hash)});
    }
    if (read->next.value <= offset) break;
    offset = read->next.value;
  }
  co_return reply;
}

// --- connections -----------------------------------------------------------------------------

Task<model::AdminReply> Administration::serve(model::QueryConsumers query) {
  const std::lock_guard lock(parts_.membership_mutex);
  auto view = parts_.membership.view(query.group);
  if (!view) {
    co_return fail(Errc::group_offline, "the consumer group[" + query.group + "] not online");
  }
  model::ConsumersReply reply;
  reply.type = view->type;
  reply.model = view->model;
  reply.consume_from_where = view->consume_from_where;
  reply.subscriptions = std::move(view->subscriptions);
  for (const auto& [key, client_id] : view->members) {
    auto connection = parts_.connections.find(key, client_id);
    if (connection) reply.connections.push_back(*std::move(connection));
  }
  co_return reply;
}

Task<model::AdminReply> Administration::serve(model::QueryProducers query) {
  const std::lock_guard lock(parts_.membership_mutex);
  model::ProducersReply reply{parts_.connections.producers(query.group)};
  if (!query.group.empty() && reply.groups.empty()) {
    co_return fail(Errc::group_has_no_members, "the producer group[" + query.group + "] not exist");
  }
  co_return reply;
}

}  // namespace sluice::broker
