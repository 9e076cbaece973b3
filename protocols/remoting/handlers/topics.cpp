#include "protocols/remoting/handlers/topics.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/list_bodies.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "protocols/remoting/handlers/admin.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/translate/broker_bodies.hpp"
#include "protocols/remoting/translate/data_version.hpp"
#include "protocols/remoting/translate/topic_config.hpp"

namespace sluice::remoting {

namespace {

/// `+name=value,-name` (RocketMQ's AttributeParser).
Result<model::CreateTopic> parse_attributes(std::string_view text) {
  model::CreateTopic create;
  std::size_t count = 0;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    const bool has_value = equals != std::string_view::npos;
    if (part.starts_with('+') && has_value) {
      create.config.attributes[std::string(part.substr(1, equals - 1))] = part.substr(equals + 1);
    } else if (part.starts_with('-') && !has_value) {
      create.removed_attributes.emplace_back(part.substr(1));
    } else {
      return fail(Errc::invalid_argument,
                  fmt::format("attribute \"{}\" is of neither form: +name=value, -name", part));
    }
    if (++count > limits::kTopicAttributesMax) {
      return fail(Errc::invalid_argument,
                  fmt::format("a topic has at most {} attributes", limits::kTopicAttributesMax));
    }
  }
  return create;
}

Result<model::CreateTopic> to_create_topic(const Fields& fields) {
  const auto name = fields.text("topic");
  SLUICE_TRY(name);
  const auto read_queues = fields.int32("readQueueNums");
  SLUICE_TRY(read_queues);
  const auto write_queues = fields.int32("writeQueueNums");
  SLUICE_TRY(write_queues);
  const auto permission = fields.int32("perm");
  SLUICE_TRY(permission);
  const auto system_flag = fields.int32_or("topicSysFlag", 0);
  SLUICE_TRY(system_flag);
  auto create = parse_attributes(fields.text_or("attributes", {}));
  SLUICE_TRY(create);
  model::TopicConfig& config = create->config;
  config.name = *name;
  config.read_queues = *read_queues;
  config.write_queues = *write_queues;
  config.permission = *permission;
  config.system_flag = *system_flag;
  config.is_ordered = fields.boolean_or("order", false);
  config.filter_type = fields.text_or("topicFilterType", config.filter_type);
  return create;
}

void answer_topic_configs(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& found = reply_as<model::TopicsReply>(reply);
  RegisterBrokerBody body;
  body.data_version = to_wire(found.version);
  for (const model::TopicConfig& topic : found.topics) body.topic_configs.push_back(to_wire(topic));
  Answer answer(out, to, response_code::kSuccess);
  const auto listed = static_cast<std::int64_t>(found.topics.size());
  answer.number("totalTopicNum", std::max<std::int64_t>(found.total, listed));
  answer.end_header();
  append_topic_table(out, body);
  answer.end();
}

void answer_topic_config(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& topics = reply_as<model::TopicsReply>(reply).topics;
  if (topics.empty()) {
    return answer_error(out, to, {Errc::topic_not_found, "No topic in this broker."});
  }
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_topic_config(out, to_wire(topics.front()));
  answer.end();
}

void answer_topic_names(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  TopicList list;
  for (const model::TopicConfig& topic : reply_as<model::TopicsReply>(reply).topics) {
    list.topics.push_back(topic.name);
  }
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_topic_list(out, list);
  answer.end();
}

}  // namespace

Result<Call> to_create_topic(const Request& request) {
  auto create = to_create_topic(request.fields());
  SLUICE_TRY(create);
  return Call{.command = *std::move(create), .answer = answer_acknowledged};
}

Result<Call> to_create_topics(const Request& request) {
  auto create = decode_topic_configs(request.body);
  SLUICE_TRY(create);
  return Call{.command = *std::move(create), .answer = answer_acknowledged};
}

Result<Call> to_delete_topic(const Request& request) {
  const auto topic = request.fields().text("topic");
  SLUICE_TRY(topic);
  return Call{.command = model::DeleteTopic{.topic = std::string(*topic)},
              .answer = answer_acknowledged};
}

Result<Call> to_query_topic_configs(const Request& request) {
  auto page = page_of(request.fields(), "topicSeq", "maxTopicNum");
  SLUICE_TRY(page);
  model::QueryTopics query;
  query.page = *page;
  return Call{.command = std::move(query), .answer = answer_topic_configs};
}

Result<Call> to_query_topic_config(const Request& request) {
  const auto topic = request.fields().text("topic");
  SLUICE_TRY(topic);
  model::QueryTopics query;
  query.topic = *topic;
  return Call{.command = std::move(query), .answer = answer_topic_config};
}

Result<Call> to_query_topic_names(const Request&) {
  return Call{.command = model::QueryTopics{}, .answer = answer_topic_names};
}

}  // namespace sluice::remoting
