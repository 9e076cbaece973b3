#include "protocols/remoting/handlers/clients.hpp"

#include <utility>

#include "protocols/remoting/codec/heartbeat_body.hpp"
#include "protocols/remoting/codec/list_bodies.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/translate/subscription.hpp"

namespace sluice::remoting {

namespace {

model::ConsumerRegistration to_model(ConsumerData&& data) {
  model::ConsumerRegistration consumer;
  consumer.group = std::move(data.group_name);
  consumer.type = to_model(data.consume_type);
  consumer.model = to_model(data.message_model);
  consumer.consume_from_where = static_cast<std::int32_t>(data.consume_from_where);
  for (SubscriptionData& subscription : data.subscriptions) {
    consumer.subscriptions.push_back(to_model(std::move(subscription)));
  }
  return consumer;
}

void answer_members(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_consumer_list(out, {.consumer_ids = reply_as<model::MembersReply>(reply).client_ids});
  answer.end();
}

/// RocketMQ's answer of a broker that has not been told to filter by properties.
void refuse_check(std::string& out, const AnswerTo& to, const Error& error) {
  if (error.code != Errc::unsupported) return answer_error(out, to, error);
  Answer(out, to, response_code::kSystemError, remark_of(error)).end();
}

}  // namespace

Result<Call> to_heartbeat(const Request& request) {
  auto heartbeat = decode_heartbeat(request.body);
  SLUICE_TRY(heartbeat);
  // Only clients that were offered heartbeat V2 leave their subscriptions out, and none is. Taken
  // as a heartbeat, it would end every subscription.
  if (heartbeat->without_sub) {
    return fail(Errc::invalid_argument, "heartbeat without subscriptions: send all of them");
  }
  model::RegisterClient client;
  client.client_id = std::move(heartbeat->client_id);
  client.language = name_of(request.header.language);
  client.version = request.header.version;
  client.producer_groups = std::move(heartbeat->producer_groups);
  for (ConsumerData& consumer : heartbeat->consumers) {
    client.consumers.push_back(to_model(std::move(consumer)));
  }
  return Call{.command = std::move(client), .answer = answer_acknowledged};
}

Result<Call> to_unregister_client(const Request& request) {
  const auto wire = decode_unregister_client(request.fields());
  SLUICE_TRY(wire);
  model::UnregisterClient client;
  client.client_id = wire->client_id;
  client.producer_group = wire->producer_group;
  client.consumer_group = wire->consumer_group;
  return Call{.command = std::move(client), .answer = answer_acknowledged};
}

Result<Call> to_list_members(const Request& request) {
  const auto group = request.fields().text("consumerGroup");
  SLUICE_TRY(group);
  return Call{.command = model::ListMembers{.group = std::string(*group)},
              .answer = answer_members};
}

Result<Call> to_check_client(const Request& request) {
  auto check = decode_check_client_request(request.body);
  SLUICE_TRY(check);
  model::CheckSubscription command{.subscription = to_model(std::move(check->subscription))};
  return Call{.command = std::move(command), .answer = answer_acknowledged, .refuse = refuse_check};
}

void append_group_changed(std::string& out, std::int32_t opaque, std::string_view group) {
  FrameWriter writer(
      out, SerializeType::json,
      {.code = request_code::kNotifyConsumerIdsChanged, .opaque = opaque, .flag = kOnewayFlag});
  writer.field("consumerGroup", group);
  const auto written = writer.end_frame();
  SLUICE_ASSERT(written, "a group's name fits a frame");
}

}  // namespace sluice::remoting
