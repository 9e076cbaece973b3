// Administration: how far groups are.

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "broker/admin/administration.hpp"
#include "common/base/limits.hpp"

namespace sluice::broker {

namespace {

void sort_and_unite(std::vector<std::string>& names) {
  std::ranges::sort(names);
  const auto repeats = std::ranges::unique(names);
  names.erase(repeats.begin(), repeats.end());
}

tl::unexpected<Error> too_long(std::size_t max) {
  return fail(Errc::quota_exceeded, "the answer would have more than " + std::to_string(max) +
                                        " entries: ask for one group, or for some of its topics");
}

}  // namespace

std::vector<TopicPtr> Administration::topics_with_progress(std::string_view group) const {
  std::vector<TopicPtr> topics;
  for (const keys::TopicNumber number : parts_.offsets.index().topics_of(group)) {
    TopicPtr topic = parts_.metadata.find_topic(number);
    if (topic) topics.push_back(std::move(topic));
  }
  std::ranges::sort(topics, {},
                    [](const TopicPtr& topic) -> const auto& { return topic->config().name; });
  return topics;
}

std::vector<std::pair<std::string, TopicPtr>> Administration::parts_of(
    const model::QueryProgress& query) const {
  std::vector<std::pair<std::string, TopicPtr>> parts;
  if (query.group.empty()) {
    for (const auto& [number, group] : parts_.offsets.index().all()) {
      TopicPtr topic = parts_.metadata.find_topic(number);
      if (topic) parts.emplace_back(group, std::move(topic));
    }
    std::ranges::sort(parts, {}, [](const auto& part) {
      return std::pair<std::string_view, std::string_view>(part.first, part.second->config().name);
    });
    return parts;
  }
  if (query.topics.empty()) {
    for (TopicPtr& topic : topics_with_progress(query.group)) {
      parts.emplace_back(query.group, std::move(topic));
    }
    return parts;
  }
  for (const std::string& name : query.topics) {
    TopicPtr topic = parts_.metadata.find_topic(name);
    if (topic) parts.emplace_back(query.group, std::move(topic));
  }
  return parts;
}

Task<model::AdminReply> Administration::serve(model::QueryProgress query) {
  model::ProgressReply reply;
  reply.broker_address = model::to_string(parts_.options.advertised);
  std::size_t queues = 0;
  for (auto& [group, topic] : parts_of(query)) {
    queues += static_cast<std::size_t>(topic->config().read_queues);
    if (queues > limits::kQueuesPerReplyMax) co_return too_long(limits::kQueuesPerReplyMax);
    auto part = co_await progress_of(std::move(group), std::move(topic));
    SLUICE_CO_TRY(part);
    reply.parts.push_back(std::move(*part));
  }
  co_return reply;
}

Task<model::ProgressReply::Part> Administration::progress_of(std::string group, TopicPtr topic) {
  co_await pause();
  model::ProgressReply::Part part;
  part.topic = topic->config().name;
  part.get_rate = parts_.statistics.rate(Statistics::Kind::group_get, part.topic + "@" + group);
  for (std::int32_t queue = 0; queue < topic->config().read_queues; ++queue) {
    const storage::LogId log = topic->queues()[static_cast<std::size_t>(queue)]->log;
    auto bounds = co_await parts_.engine.bounds(log);
    SLUICE_CO_TRY(bounds);
    const std::int64_t consumed =
        std::max<std::int64_t>(parts_.offsets.find(topic->number(), queue, group).value_or(-1), -1);
    auto time = co_await stored_at(log, consumed - 1, 0);
    SLUICE_CO_TRY(time);
    part.queues.push_back({.broker_name = parts_.options.name,
                           .queue = queue,
                           .next = bounds->next.value,
                           .consumed = consumed,
                           .time_ms = *time});
  }
  part.group = std::move(group);
  co_return part;
}

Task<model::AdminReply> Administration::serve(model::QueryGroupsOfTopic query) {
  model::NameListReply reply;
  {
    const std::lock_guard lock(parts_.membership_mutex);
    reply.names = parts_.membership.subscribers(query.topic);
  }
  const TopicPtr topic = parts_.metadata.find_topic(query.topic);
  if (topic) {
    std::ranges::move(parts_.offsets.index().groups_of(topic->number()),
                      std::back_inserter(reply.names));
  }
  sort_and_unite(reply.names);
  co_return reply;
}

Task<model::AdminReply> Administration::serve(model::QueryTopicsOfGroup query) {
  model::NameListReply reply;
  for (const TopicPtr& topic : topics_with_progress(query.group)) {
    reply.names.push_back(topic->config().name);
  }
  {
    const std::lock_guard lock(parts_.membership_mutex);
    const auto view = parts_.membership.view(query.group);
    if (view) {
      for (const model::Subscription& subscription : view->subscriptions) {
        reply.names.push_back(subscription.topic);
      }
    }
  }
  sort_and_unite(reply.names);
  co_return reply;
}

Task<model::AdminReply> Administration::serve(model::QuerySubscription query) {
  model::SubscriptionReply reply;
  reply.subscription = subscription(query.group, query.topic);
  reply.group = std::move(query.group);
  reply.topic = std::move(query.topic);
  co_return reply;
}

Task<model::AdminReply> Administration::serve(model::QueryTimeSpans query) {
  auto topic = topic_named(query.topic);
  SLUICE_CO_TRY(topic);
  model::TimeSpansReply reply;
  const std::int64_t now = parts_.runtime.environment().now().value;
  for (std::int32_t queue = 0; queue < (*topic)->config().write_queues; ++queue) {
    const storage::LogId log = (*topic)->queues()[static_cast<std::size_t>(queue)]->log;
    auto bounds = co_await parts_.engine.bounds(log);
    SLUICE_CO_TRY(bounds);
    const std::int64_t consumed =
        parts_.offsets.find((*topic)->number(), queue, query.group).value_or(0);
    auto first = co_await stored_at(log, bounds->first.value, -1);
    SLUICE_CO_TRY(first);
    auto last = co_await stored_at(log, bounds->next.value - 1, -1);
    SLUICE_CO_TRY(last);
    auto latest = co_await stored_at(log, consumed - 1, *first);
    SLUICE_CO_TRY(latest);
    auto next = co_await stored_at(log, std::max(consumed, bounds->first.value), now);
    SLUICE_CO_TRY(next);
    reply.spans.push_back({.broker_name = parts_.options.name,
                           .topic = query.topic,
                           .queue = queue,
                           .first_ms = *first,
                           .last_ms = *last,
                           .consumed_ms = *latest,
                           .delay_ms = std::max<std::int64_t>(now - *next, 0)});
  }
  co_return reply;
}

Task<model::AdminReply> Administration::serve(model::QueryAllProgress /*query*/) {
  model::AllProgressReply reply;
  for (const auto& [number, group] : parts_.offsets.index().all()) {
    co_await pause();
    const TopicPtr topic = parts_.metadata.find_topic(number);
    if (!topic) continue;
    const auto queues = static_cast<std::int32_t>(topic->queues().size());
    for (std::int32_t queue = 0; queue < queues; ++queue) {
      const auto offset = parts_.offsets.find(number, queue, group);
      if (!offset) continue;
      if (reply.entries.size() == limits::kProgressEntriesPerReplyMax) {
        co_return too_long(limits::kProgressEntriesPerReplyMax);
      }
      reply.entries.push_back({topic->config().name, group, queue, *offset});
    }
  }
  std::ranges::sort(reply.entries, {}, [](const auto& entry) {
    return std::tuple<std::string_view, std::string_view, std::int32_t>(entry.topic, entry.group,
                                                                        entry.queue);
  });
  co_return reply;
}

// --- copying ---------------------------------------------------------------------------------

Task<GroupPtr> Administration::group_to_change(std::string name) {
  GroupPtr group = parts_.metadata.find_group(name);
  if (group) co_return group;
  if (!parts_.settings.creates_groups()) {
    co_return fail(Errc::group_not_found, "group '" + name + "' does not exist: create it");
  }
  auto made = co_await parts_.metadata.ensure_group(std::move(name));
  co_return made;
}

bool Administration::has_unsubscribed(std::string_view group, std::string_view topic) const {
  const std::lock_guard lock(parts_.membership_mutex);
  return parts_.membership.view(group) && !parts_.membership.subscription(group, topic);
}

Task<model::AdminReply> Administration::serve(model::CopyProgress copy) {
  std::vector<TopicPtr> topics;
  if (copy.topic.empty()) {
    topics = topics_with_progress(copy.from_group);
  } else {
    auto topic = topic_named(copy.topic);
    SLUICE_CO_TRY(topic);
    topics.push_back(*std::move(topic));
  }
  auto group = co_await group_to_change(copy.to_group);
  SLUICE_CO_TRY(group);
  for (TopicPtr& topic : topics) {
    const bool is_left_out =
        copy.only_subscribed && has_unsubscribed(copy.from_group, topic->config().name);
    if (is_left_out) continue;
    auto copied = co_await copy_progress(copy.from_group, copy.to_group, std::move(topic));
    SLUICE_CO_TRY(copied);
  }
  co_return model::Administered{};
}

Task<> Administration::copy_progress(std::string from_group, std::string to_group, TopicPtr topic) {
  const auto queues = static_cast<std::int32_t>(topic->queues().size());
  for (std::int32_t queue = 0; queue < queues; ++queue) {
    const auto offset = parts_.offsets.find(topic->number(), queue, from_group);
    if (!offset) continue;
    auto stored = co_await parts_.offsets.store(topic->number(), queue, to_group, *offset);
    SLUICE_CO_TRY(stored);
  }
  co_return Result<>{};
}

}  // namespace sluice::broker
