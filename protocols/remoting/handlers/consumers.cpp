#include "protocols/remoting/handlers/consumers.hpp"

#include <utility>

#include "common/model/message_id.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/codec/queue_bodies.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/handlers/answer.hpp"

namespace sluice::remoting {

namespace {

void answer_offsets(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  ResetOffsetBody body;
  for (const model::QueueOffset& moved : reply_as<model::QueueOffsetsReply>(reply).offsets) {
    body.offsets[{.broker_name = moved.queue.broker_name,
                  .topic = moved.queue.topic,
                  .queue_id = moved.queue.queue}] = moved.offset;
  }
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_reset_offset_body(out, body);
  answer.end();
}

/// An offset outside the queue is no PULL_OFFSET_MOVED here.
void refuse_reset(std::string& out, const AnswerTo& to, const Error& error) {
  if (error.code != Errc::offset_out_of_range) return answer_error(out, to, error);
  Answer(out, to, response_code::kSystemError, remark_of(error)).end();
}

void answer_client_reply(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  out.append(reply_as<model::ClientReply>(reply).body.text());
  answer.end();
}

void refuse_question(std::string& out, const AnswerTo& to, const Error& error) {
  switch (error.code) {
    case Errc::deadline_exceeded:
      Answer(out, to, response_code::kConsumeMsgTimeout, remark_of(error)).end();
      return;
    case Errc::not_found:
      Answer(out, to, response_code::kSystemError, remark_of(error)).end();
      return;
    default:
      answer_error(out, to, error);
  }
}

/// A client whose answer cannot be read is left out, as one that does not answer is.
void answer_status(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  ConsumerStatusBody body;
  for (const auto& client : reply_as<model::ConsumerStatusReply>(reply).clients) {
    auto status = decode_consumer_status_body(client.body.bytes());
    if (status) body.by_client[client.client_id] = std::move(status->offsets);
  }
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_consumer_status_body(out, body);
  answer.end();
}

std::int32_t code_of(model::ClientQuestion question) {
  switch (question) {
    case model::ClientQuestion::running_info:
      return request_code::kGetConsumerRunningInfo;
    case model::ClientQuestion::consume_message:
      return request_code::kConsumeMessageDirectly;
    case model::ClientQuestion::consumer_status:
      return request_code::kGetConsumerStatusFromClient;
  }
  return request_code::kGetConsumerRunningInfo;
}

void write_running_info(FrameWriter& writer, const model::ClientRequest& request) {
  writer.field("consumerGroup", request.group);
  writer.field("clientId", request.client_id);
  writer.boolean("jstackEnable", request.wants_stack);
}

void write_consume_message(FrameWriter& writer, const model::ClientRequest& request) {
  writer.field("consumerGroup", request.group);
  writer.field("clientId", request.client_id);
  writer.field("msgId", request.message_id);
  writer.field("brokerName", request.broker_name);
  if (!request.topic.empty()) {
    writer.field("topic", request.topic);
    writer.number("topicSysFlag", request.topic_flag);
  }
}

void write_consumer_status(FrameWriter& writer, const model::ClientRequest& request) {
  writer.field("topic", request.topic);
  writer.field("group", request.group);
}

void write_question(FrameWriter& writer, const model::ClientRequest& request) {
  switch (request.question) {
    case model::ClientQuestion::running_info:
      return write_running_info(writer, request);
    case model::ClientQuestion::consume_message:
      return write_consume_message(writer, request);
    case model::ClientQuestion::consumer_status:
      return write_consumer_status(writer, request);
  }
}

}  // namespace

Result<Call> to_reset_offset(const Request& request) {
  const Fields& fields = request.fields();
  const auto group = fields.text("group");
  SLUICE_TRY(group);
  const auto topic = fields.text("topic");
  SLUICE_TRY(topic);
  const auto time = fields.int64("timestamp");
  SLUICE_TRY(time);
  const auto queue = fields.int32_or("queueId", -1);
  SLUICE_TRY(queue);
  const auto offset = fields.int64_or("offset", -1);
  SLUICE_TRY(offset);
  model::ResetOffset reset;
  reset.group = *group;
  reset.topic = *topic;
  reset.queue = *queue;
  reset.offset = *offset;
  reset.time_ms = *time;
  reset.broker_name = fields.text_or("bname", {});
  return Call{.command = std::move(reset), .answer = answer_offsets, .refuse = refuse_reset};
}

Result<Call> to_query_consumer_status(const Request& request) {
  const auto topic = request.fields().text("topic");
  SLUICE_TRY(topic);
  const auto group = request.fields().text("group");
  SLUICE_TRY(group);
  model::QueryConsumerStatus query;
  query.topic = *topic;
  query.group = *group;
  query.client_id = request.fields().text_or("clientAddr", {});
  return Call{.command = std::move(query), .answer = answer_status};
}

Result<Call> to_ask_running_info(const Request& request) {
  const auto group = request.fields().text("consumerGroup");
  SLUICE_TRY(group);
  const auto client_id = request.fields().text("clientId");
  SLUICE_TRY(client_id);
  model::AskClient ask;
  ask.question = model::ClientQuestion::running_info;
  ask.group = *group;
  ask.client_id = *client_id;
  ask.wants_stack = request.fields().boolean_or("jstackEnable", false);
  ask.broker_name = request.fields().text_or("bname", {});
  return Call{.command = std::move(ask), .answer = answer_client_reply, .refuse = refuse_question};
}

Result<Call> to_consume_directly(const Request& request) {
  const auto group = request.fields().text("consumerGroup");
  SLUICE_TRY(group);
  const auto client_id = request.fields().text("clientId");
  SLUICE_TRY(client_id);
  const auto message_id = request.fields().text("msgId");
  SLUICE_TRY(message_id);
  const auto id = model::parse_offset_message_id(*message_id);
  if (!id) return fail(invalid_field("msgId", "an offset message id", *message_id));
  model::AskClient ask;
  ask.question = model::ClientQuestion::consume_message;
  ask.group = *group;
  ask.client_id = *client_id;
  ask.topic = request.fields().text_or("topic", {});
  ask.message_id = *message_id;
  ask.position = id->position;
  ask.broker_name = request.fields().text_or("bname", {});
  return Call{.command = std::move(ask), .answer = answer_client_reply, .refuse = refuse_question};
}

Result<Call> to_answer_client_request(const Request& request) {
  const Fields& fields = request.fields();
  const auto text = fields.text(kAskNumberField);
  SLUICE_TRY(text);
  const auto number = parse_decimal<std::uint64_t>(*text);
  if (!number) return fail(invalid_field(kAskNumberField, "a question's number", *text));
  const auto code = fields.int32(kAskCodeField);
  SLUICE_TRY(code);
  model::AnswerClientRequest answer;
  answer.number = *number;
  answer.code = *code;
  answer.remark = fields.text_or(kAskRemarkField, {});
  answer.body = Slice::copy_of(request.body);
  answer.broker_name = fields.text_or("bname", {});
  return Call{.command = std::move(answer), .answer = answer_acknowledged};
}

Result<> append_client_request(std::string& out, std::int32_t opaque,
                               const model::ClientRequest& request) {
  FrameWriter writer(out, SerializeType::json,
                     {.code = code_of(request.question), .opaque = opaque});
  write_question(writer, request);
  writer.end_header();
  out.append(request.message.text());
  return writer.end_frame();
}

}  // namespace sluice::remoting
