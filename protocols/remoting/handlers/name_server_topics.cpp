#include "protocols/remoting/handlers/name_server_topics.hpp"

#include <utility>

#include "protocols/remoting/codec/list_bodies.hpp"
#include "protocols/remoting/codec/route_body.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/name_server_config.hpp"
#include "protocols/remoting/handlers/name_server_reply.hpp"

namespace sluice::remoting {

namespace {

void answer_names(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& names = name_server_reply_as<model::NamesReply>(reply);
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_topic_list(out, {.topics = names.names, .broker_addr = names.broker_address});
  answer.end();
}

Call list(model::TopicSelection selection, std::string_view cluster = {}) {
  return name_server_call(
      model::ListTopicNames{.selection = selection, .cluster = std::string(cluster)}, answer_names);
}

}  // namespace

Result<Call> to_forget_topic(const Request& request) {
  const auto topic = request.fields().text("topic");
  SLUICE_TRY(topic);
  return name_server_call(
      model::ForgetTopic{.topic = std::string(*topic),
                         .cluster = std::string(request.fields().text_or("clusterName", {}))},
      answer_acknowledged);
}

Result<Call> to_register_topic(const Request& request) {
  const Fields& fields = request.fields();
  const bool asks_for_kv = !fields.find("topic") && fields.find("namespace");
  if (asks_for_kv) return to_find_kv_keys(request);
  const auto topic = fields.text("topic");
  SLUICE_TRY(topic);
  model::RegisterTopic command{.topic = std::string(*topic), .queues = {}};
  const auto route = decode_topic_route(request.body);
  SLUICE_TRY(route);
  for (const QueueData& queues : route->queue_datas) {
    command.queues.push_back({.broker_name = queues.broker_name,
                              .read_queues = queues.read_queue_nums,
                              .write_queues = queues.write_queue_nums,
                              .permission = queues.perm,
                              .topic_system_flag = queues.topic_sys_flag});
  }
  return name_server_call(std::move(command), answer_acknowledged);
}

Result<Call> to_list_topics_of_cluster(const Request& request) {
  const auto cluster = request.fields().text("cluster");
  SLUICE_TRY(cluster);
  return list(model::TopicSelection::of_cluster, *cluster);
}

Result<Call> to_list_system_topics(const Request& /*request*/) {
  return list(model::TopicSelection::system);
}

Result<Call> to_list_unit_topics(const Request& /*request*/) {
  return list(model::TopicSelection::unit);
}

Result<Call> to_list_unit_subscribed(const Request& /*request*/) {
  return list(model::TopicSelection::unit_subscribed);
}

Result<Call> to_list_unit_subscribed_alone(const Request& /*request*/) {
  return list(model::TopicSelection::unit_subscribed_alone);
}

}  // namespace sluice::remoting
