#include "protocols/remoting/handlers/admin_progress.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "protocols/remoting/codec/list_bodies.hpp"
#include "protocols/remoting/handlers/admin.hpp"
#include "protocols/remoting/translate/connection_bodies.hpp"
#include "protocols/remoting/translate/progress_bodies.hpp"

namespace sluice::remoting {

namespace {

void append_topic_names(std::string& out, const model::NameListReply& reply) {
  append_topic_list(out, {.topics = reply.names});
}

/// `a;b`, or the one topic of older tools, or none.
std::vector<std::string> topics_of(const Fields& fields) {
  std::vector<std::string> topics;
  std::string_view rest = fields.text_or("topicList", {});
  while (!rest.empty()) {
    const std::string_view topic = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), topic.size() + 1));
    if (!topic.empty()) topics.emplace_back(topic);
  }
  const std::string_view topic = fields.text_or("topic", {});
  if (topics.empty() && !topic.empty()) topics.emplace_back(topic);
  return topics;
}

}  // namespace

Result<Call> to_query_topic_stats(const Request& request) {
  const auto topic = request.fields().text("topic");
  SLUICE_TRY(topic);
  return admin_call(request, model::QueryTopicStats{std::string(*topic)},
                    answer_with_body<model::TopicStatsReply, append_topic_stats>);
}

Result<Call> to_query_system_topics(const Request& request) {
  return admin_call(request, model::QuerySystemTopics{},
                    answer_with_body<model::NameListReply, append_topic_names>);
}

Result<Call> to_inspect_queue(const Request& request) {
  const Fields& fields = request.fields();
  const auto topic = fields.text("topic");
  SLUICE_TRY(topic);
  const auto queue = fields.int32("queueId");
  SLUICE_TRY(queue);
  const auto first = fields.int64("index");
  SLUICE_TRY(first);
  const auto count = fields.int32("count");
  SLUICE_TRY(count);
  model::InspectQueue inspect;
  inspect.topic = *topic;
  inspect.queue = *queue;
  inspect.first = *first;
  inspect.count = *count;
  inspect.group = fields.text_or("consumerGroup", {});
  return admin_call(request, std::move(inspect),
                    answer_with_body<model::QueueEntriesReply, append_queue_entries>);
}

Result<Call> to_query_progress(const Request& request) {
  const auto group = request.fields().text("consumerGroup");
  SLUICE_TRY(group);
  if (group->empty()) return fail(missing_field("consumerGroup"));
  model::QueryProgress query;
  query.group = *group;
  query.topics = topics_of(request.fields());
  return admin_call(request, std::move(query),
                    answer_with_body<model::ProgressReply, append_consume_stats>);
}

Result<Call> to_query_progress_of_all(const Request& request) {
  return admin_call(request, model::QueryProgress{},
                    answer_with_body<model::ProgressReply, append_consume_stats_list>);
}

Result<Call> to_query_groups_of_topic(const Request& request) {
  const auto topic = request.fields().text("topic");
  SLUICE_TRY(topic);
  return admin_call(request, model::QueryGroupsOfTopic{std::string(*topic)},
                    answer_with_body<model::NameListReply, append_group_names>);
}

Result<Call> to_query_topics_of_group(const Request& request) {
  const auto group = request.fields().text("group");
  SLUICE_TRY(group);
  return admin_call(request, model::QueryTopicsOfGroup{std::string(*group)},
                    answer_with_body<model::NameListReply, append_topic_names>);
}

Result<Call> to_query_subscription(const Request& request) {
  const auto group = request.fields().text("group");
  SLUICE_TRY(group);
  model::QuerySubscription query;
  query.group = *group;
  query.topic = request.fields().text_or("topic", {});
  return admin_call(request, std::move(query),
                    answer_with_body<model::SubscriptionReply, append_group_subscription>);
}

Result<Call> to_query_time_spans(const Request& request) {
  const auto topic = request.fields().text("topic");
  SLUICE_TRY(topic);
  const auto group = request.fields().text("group");
  SLUICE_TRY(group);
  model::QueryTimeSpans query;
  query.topic = *topic;
  query.group = *group;
  return admin_call(request, std::move(query),
                    answer_with_body<model::TimeSpansReply, append_time_spans>);
}

Result<Call> to_query_all_progress(const Request& request) {
  return admin_call(request, model::QueryAllProgress{},
                    answer_with_body<model::AllProgressReply, append_all_progress>);
}

Result<Call> to_copy_progress(const Request& request) {
  const auto from_group = request.fields().text("srcGroup");
  SLUICE_TRY(from_group);
  const auto to_group = request.fields().text("destGroup");
  SLUICE_TRY(to_group);
  model::CopyProgress copy;
  copy.from_group = *from_group;
  copy.to_group = *to_group;
  copy.topic = request.fields().text_or("topic", {});
  copy.only_subscribed = !request.fields().boolean_or("offline", false);
  return admin_call(request, std::move(copy));
}

}  // namespace sluice::remoting
