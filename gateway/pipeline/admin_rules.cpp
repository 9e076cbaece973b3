#include "gateway/pipeline/admin_rules.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "common/base/limits.hpp"
#include "common/model/names.hpp"
#include "gateway/pipeline/accesses.hpp"

namespace sluice::gateway {

namespace {

// --- accesses --------------------------------------------------------------------------------

/// One group, or all: then the cluster.
Access to_see_group(std::string_view group) {
  return group.empty() ? to_cluster(Action::describe) : to_group(Action::describe, group);
}

Accesses needs(const model::PutGroups& put) {
  Accesses accesses;
  for (const model::GroupConfig& group : put.groups) {
    accesses.push_back(to_group(Action::manage, group.name));
  }
  if (accesses.empty()) accesses.push_back(to_cluster(Action::manage));
  return accesses;
}
Accesses needs(const model::DeleteGroup& remove) {
  return {to_group(Action::manage, remove.group)};
}
Accesses needs(const model::QueryGroups& query) {
  Accesses accesses{to_see_group(query.group)};
  if (query.makes_missing) accesses.push_back(to_group(Action::consume, query.group));
  return accesses;
}
Accesses needs(const model::QuerySystemTopics& /*query*/) {
  return {to_cluster(Action::describe)};
}
Accesses needs(const model::QueryTopicStats& query) {
  return {to_topic(Action::describe, query.topic)};
}
Accesses needs(const model::InspectQueue& query) {
  Accesses accesses{to_topic(Action::describe, query.topic)};
  if (!query.group.empty()) accesses.push_back(to_group(Action::describe, query.group));
  return accesses;
}
Accesses needs(const model::QueryConsumers& query) {
  return {to_group(Action::describe, query.group)};
}
Accesses needs(const model::QueryProducers& query) {
  return {to_see_group(query.group)};
}
Accesses needs(const model::QueryProgress& query) {
  Accesses accesses{to_see_group(query.group)};
  for (const std::string& topic : query.topics) {
    accesses.push_back(to_topic(Action::describe, topic));
  }
  return accesses;
}
Accesses needs(const model::QueryGroupsOfTopic& query) {
  return {to_topic(Action::describe, query.topic)};
}
Accesses needs(const model::QueryTopicsOfGroup& query) {
  return {to_group(Action::describe, query.group)};
}
Accesses needs(const model::QuerySubscription& query) {
  return {to_group(Action::describe, query.group), to_topic(Action::describe, query.topic)};
}
Accesses needs(const model::QueryTimeSpans& query) {
  return {to_group(Action::describe, query.group), to_topic(Action::describe, query.topic)};
}
Accesses needs(const model::QueryAllProgress& /*query*/) {
  return {to_cluster(Action::describe)};
}
Accesses needs(const model::CopyProgress& copy) {
  return {to_group(Action::describe, copy.from_group), to_group(Action::manage, copy.to_group)};
}
Accesses needs(const model::QueryRuntime& /*query*/) {
  return {to_cluster(Action::describe)};
}
Accesses needs(const model::QueryBrokerSettings& /*query*/) {
  return {to_cluster(Action::describe)};
}
Accesses needs(const model::ChangeBrokerSettings& /*change*/) {
  return {to_cluster(Action::manage)};
}
Accesses needs(const model::QueryRates& /*query*/) {
  return {to_cluster(Action::describe)};
}

// --- rules -----------------------------------------------------------------------------------

Result<> check_text(std::string_view what, std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return {};
  return fail(Errc::invalid_argument, std::string(what) + " has " + std::to_string(text.size()) +
                                          " bytes; the limit is " + std::to_string(bytes_max));
}

Result<> check_range(std::string_view what, std::int64_t value, std::int64_t min,
                     std::int64_t max) {
  if (value >= min && value <= max) return {};
  return fail(Errc::invalid_argument, std::string(what) + " is from " + std::to_string(min) +
                                          " to " + std::to_string(max) + ", not " +
                                          std::to_string(value));
}

Result<> check_group_config(const model::GroupConfig& group) {
  constexpr std::int32_t kRetriesMax = 1'000'000;
  constexpr std::int32_t kTimeoutMinutesMax = 7 * 24 * 60;
  SLUICE_TRY(model::check_group_name(group.name));
  SLUICE_TRY(check_range("retryQueueNums", group.retry_queues, 0, limits::kQueuesPerTopicMax));
  SLUICE_TRY(check_range("retryMaxTimes", group.retry_max, -1, kRetriesMax));
  SLUICE_TRY(
      check_range("consumeTimeoutMinute", group.consume_timeout_minutes, 0, kTimeoutMinutesMax));
  SLUICE_TRY(check_text("groupRetryPolicy", group.retry_policy, limits::kGroupTextBytesMax));
  SLUICE_TRY(check_text("subscriptionDataSet", group.subscriptions, limits::kGroupTextBytesMax));
  SLUICE_TRY(check_range("the number of attributes",
                         static_cast<std::int64_t>(group.attributes.size()), 0,
                         limits::kGroupAttributesMax));
  for (const auto& [name, value] : group.attributes) {
    SLUICE_TRY(check_text("an attribute's name", name, limits::kAttributeBytesMax));
    SLUICE_TRY(check_text("an attribute", value, limits::kAttributeBytesMax));
  }
  return {};
}

Result<> check(model::PutGroups& put) {
  SLUICE_TRY(check_range("the number of groups", static_cast<std::int64_t>(put.groups.size()), 0,
                         limits::kGroupsPerRequestMax));
  for (const model::GroupConfig& group : put.groups) SLUICE_TRY(check_group_config(group));
  return {};
}
Result<> check(model::DeleteGroup& remove) {
  return model::check_group_name(remove.group);
}
Result<> check(model::QueryGroups& query) {
  if (query.page.count_max > limits::kNamesPerPageMax) {
    query.page.count_max = limits::kNamesPerPageMax;
  }
  return query.group.empty() ? Result<>{} : model::check_group_name(query.group);
}
Result<> check(model::QueryTopicStats& query) {
  return model::check_topic_name(query.topic);
}
Result<> check(model::InspectQueue& query) {
  query.count = std::clamp(query.count, 0, limits::kInspectedEntriesMax);
  return model::check_topic_name(query.topic);
}
Result<> check(model::QueryProgress& query) {
  if (!query.group.empty()) SLUICE_TRY(model::check_group_name(query.group));
  return check_range("the number of topics", static_cast<std::int64_t>(query.topics.size()), 0,
                     limits::kTopicsPerProgressQueryMax);
}
Result<> check(model::QueryTimeSpans& query) {
  SLUICE_TRY(model::check_group_name(query.group));
  return model::check_topic_name(query.topic);
}
Result<> check(model::CopyProgress& copy) {
  SLUICE_TRY(model::check_group_name(copy.from_group));
  SLUICE_TRY(model::check_group_name(copy.to_group));
  return copy.topic.empty() ? Result<>{} : model::check_topic_name(copy.topic);
}
Result<> check(model::ChangeBrokerSettings& change) {
  return check_range("the number of settings", static_cast<std::int64_t>(change.settings.size()), 0,
                     limits::kSettingsPerRequestMax);
}

// A name that nothing can have is found nowhere: no need to say more.
Result<> check(model::QuerySystemTopics& /*query*/) {
  return {};
}
Result<> check(model::QueryConsumers& /*query*/) {
  return {};
}
Result<> check(model::QueryProducers& /*query*/) {
  return {};
}
Result<> check(model::QueryGroupsOfTopic& /*query*/) {
  return {};
}
Result<> check(model::QueryTopicsOfGroup& /*query*/) {
  return {};
}
Result<> check(model::QuerySubscription& /*query*/) {
  return {};
}
Result<> check(model::QueryAllProgress& /*query*/) {
  return {};
}
Result<> check(model::QueryRuntime& /*query*/) {
  return {};
}
Result<> check(model::QueryBrokerSettings& /*query*/) {
  return {};
}
Result<> check(model::QueryRates& /*query*/) {
  return {};
}

}  // namespace

Accesses accesses_of(const model::AdminCommand& command) {
  return std::visit([](const auto& request) { return needs(request); }, command);
}

Result<> validate(model::AdminCommand& command) {
  return std::visit([](auto& request) { return check(request); }, command);
}

}  // namespace sluice::gateway
