#include "protocols/remoting/handlers/topics.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/list_bodies.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/translate/topic_config.hpp"

namespace sluice::remoting {

namespace {

using Attributes = decltype(model::TopicConfig::attributes);

/// `+name=value,+name=value` (RocketMQ's AttributeParser).
Result<Attributes> parse_attributes(std::string_view text) {
  Attributes attributes;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    const bool is_addition = part.starts_with('+') && equals != std::string_view::npos;
    if (!is_addition) {
      return fail(Errc::invalid_argument,
                  fmt::format("attribute \"{}\" is not of the form +name=value", part));
    }
    attributes[std::string(part.substr(1, equals - 1))] = part.substr(equals + 1);
    if (attributes.size() > limits::kTopicAttributesMax) {
      return fail(Errc::invalid_argument,
                  fmt::format("a topic has at most {} attributes", limits::kTopicAttributesMax));
    }
  }
  return attributes;
}

Result<model::TopicConfig> to_topic_config(const Fields& fields) {
  model::TopicConfig config;
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
  auto attributes = parse_attributes(fields.text_or("attributes", {}));
  SLUICE_TRY(attributes);
  config.name = *name;
  config.read_queues = *read_queues;
  config.write_queues = *write_queues;
  config.permission = *permission;
  config.system_flag = *system_flag;
  config.is_ordered = fields.boolean_or("order", false);
  config.filter_type = fields.text_or("topicFilterType", config.filter_type);
  config.attributes = *std::move(attributes);
  return config;
}

void answer_topic_configs(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& topics = reply_as<model::TopicsReply>(reply).topics;
  RegisterBrokerBody body;
  for (const model::TopicConfig& topic : topics) body.topic_configs.push_back(to_wire(topic));
  Answer answer(out, to, response_code::kSuccess);
  answer.number("totalTopicNum", static_cast<std::int64_t>(topics.size()));
  answer.end_header();
  append_topic_table(out, body);
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
  auto config = to_topic_config(request.fields());
  SLUICE_TRY(config);
  return Call{.command = model::CreateTopic{.config = *std::move(config)},
              .answer = answer_acknowledged};
}

Result<Call> to_delete_topic(const Request& request) {
  const auto topic = request.fields().text("topic");
  SLUICE_TRY(topic);
  return Call{.command = model::DeleteTopic{.topic = std::string(*topic)},
              .answer = answer_acknowledged};
}

Result<Call> to_query_topic_configs(const Request&) {
  return Call{.command = model::QueryTopics{}, .answer = answer_topic_configs};
}

Result<Call> to_query_topic_names(const Request&) {
  return Call{.command = model::QueryTopics{}, .answer = answer_topic_names};
}

}  // namespace sluice::remoting
