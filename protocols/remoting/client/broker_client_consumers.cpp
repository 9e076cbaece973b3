#include <utility>

#include "common/model/message_id.hpp"
#include "protocols/remoting/client/ask.hpp"
#include "protocols/remoting/client/broker_client.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/codec/queue_bodies.hpp"
#include "protocols/remoting/codec/request_codes.hpp"

namespace sluice::remoting {

namespace {

namespace rc = request_code;

constexpr auto kNoFields = [](FrameWriter&) {};

template <class Command>
Slice lock_body_of(Command command) {
  QueueLockRequest body;
  body.client_id = std::move(command.client_id);
  body.consumer_group = std::move(command.group);
  for (model::QueueName& queue : command.queues) {
    body.queues.push_back({.broker_name = std::move(queue.broker_name),
                           .topic = std::move(queue.topic),
                           .queue_id = queue.queue});
  }
  std::string text;
  append_queue_lock_request(text, body);
  return Slice::copy_of(text);
}

model::QueueName to_model(MessageQueue queue) {
  return {.broker_name = std::move(queue.broker_name),
          .topic = std::move(queue.topic),
          .queue = queue.queue_id};
}

}  // namespace

// --- queue locks -----------------------------------------------------------------------------

Task<model::LocksReply> lock_queues(BrokerRequest request, model::LockQueues lock) {
  auto response =
      co_await ask(std::move(request), rc::kLockBatchMq, kNoFields, lock_body_of(std::move(lock)));
  SLUICE_CO_TRY(response);
  auto answer = decode_queue_lock_answer(response->body().bytes());
  SLUICE_CO_TRY(answer);
  model::LocksReply reply;
  for (MessageQueue& queue : answer->locked) reply.locked.push_back(to_model(std::move(queue)));
  co_return reply;
}

Task<> unlock_queues(BrokerRequest request, model::UnlockQueues unlock) {
  return tell(std::move(request), rc::kUnlockBatchMq, kNoFields, lock_body_of(std::move(unlock)));
}

// --- moving progress -------------------------------------------------------------------------

Task<model::QueueOffsetsReply> reset_offset(BrokerRequest request, model::ResetOffset reset) {
  const bool is_by_offset = reset.queue >= 0 && reset.offset != -1;
  auto fields = [&reset](FrameWriter& writer) {
    writer.field("group", reset.group);
    writer.field("topic", reset.topic);
    writer.number("queueId", reset.queue);
    writer.number("offset", reset.offset);
    writer.number("timestamp", reset.time_ms);
    writer.boolean("isForce", true);
    write_broker_name(writer, reset.broker_name);
  };
  auto response =
      co_await ask_anyhow(std::move(request), rc::kInvokeBrokerToResetOffset, fields, Slice{});
  SLUICE_CO_TRY(response);
  const Errc meaning = is_by_offset ? Errc::offset_out_of_range : Errc::internal;
  SLUICE_CO_TRY(check_success(*response, response_code::kSystemError, meaning));
  auto body = decode_reset_offset_body(response->body().bytes());
  SLUICE_CO_TRY(body);
  model::QueueOffsetsReply reply;
  for (const auto& [queue, offset] : body->offsets) {
    reply.offsets.push_back({.queue = to_model(queue), .offset = offset});
  }
  co_return reply;
}

// --- asking clients --------------------------------------------------------------------------

namespace {

Task<Response> ask_question(BrokerRequest request, model::AskClient ask) {
  const bool is_consume = ask.question == model::ClientQuestion::consume_message;
  const std::int32_t code = is_consume ? rc::kConsumeMessageDirectly : rc::kGetConsumerRunningInfo;
  auto fields = [&](FrameWriter& writer) {
    writer.field("consumerGroup", ask.group);
    writer.field("clientId", ask.client_id);
    if (is_consume) {
      writer.field("msgId", ask.message_id);
      if (!ask.topic.empty()) writer.field("topic", ask.topic);
    } else {
      writer.boolean("jstackEnable", ask.wants_stack);
    }
    write_broker_name(writer, ask.broker_name);
  };
  auto response = co_await ask_anyhow(std::move(request), code, fields, Slice{});
  SLUICE_CO_TRY(response);
  const bool is_late = response->code() == response_code::kConsumeMsgTimeout;
  SLUICE_CO_TRY(
      is_late ? check_success(*response, response->code(), Errc::deadline_exceeded)
              : check_success(*response, response_code::kSystemError, Errc::group_has_no_members));
  co_return std::move(response);
}

/// One client of the group; the broker's answer is then about it alone.
Task<model::ClientReply> ask_status(BrokerRequest request, model::AskClient ask) {
  auto fields = [&ask](FrameWriter& writer) {
    writer.field("topic", ask.topic);
    writer.field("group", ask.group);
    writer.field("clientAddr", ask.client_id);
    write_broker_name(writer, ask.broker_name);
  };
  auto response = co_await ask_anyhow(std::move(request), rc::kInvokeBrokerToGetConsumerStatus,
                                      fields, Slice{});
  SLUICE_CO_TRY(response);
  SLUICE_CO_TRY(check_success(*response, response_code::kSystemError, Errc::group_has_no_members));
  auto body = decode_consumer_status_body(response->body().bytes());
  SLUICE_CO_TRY(body);
  const auto found = body->by_client.find(ask.client_id);
  if (found == body->by_client.end()) {
    co_return fail(Errc::deadline_exceeded, "client " + ask.client_id + " did not answer");
  }
  std::string text;
  append_consumer_status_body(text, {.offsets = std::move(found->second)});
  co_return model::ClientReply{Slice::copy_of(text)};
}

}  // namespace

Task<model::ClientReply> ask_client(BrokerRequest request, model::AskClient ask) {
  request.timeout += limits::kClientAnswerMax;
  if (ask.question == model::ClientQuestion::consumer_status) {
    auto status = co_await ask_status(std::move(request), std::move(ask));
    co_return status;
  }
  auto response = co_await ask_question(std::move(request), std::move(ask));
  SLUICE_CO_TRY(response);
  co_return model::ClientReply{response->body()};
}

Task<> answer_client_request(BrokerRequest request, model::AnswerClientRequest answer) {
  auto fields = [number = answer.number, code = answer.code, remark = std::move(answer.remark),
                 broker_name = std::move(answer.broker_name)](FrameWriter& writer) {
    writer.field(kAskNumberField, std::to_string(number));
    writer.number(kAskCodeField, code);
    if (!remark.empty()) writer.field(kAskRemarkField, remark);
    write_broker_name(writer, broker_name);
  };
  return tell(std::move(request), rc::kAnswerClientRequest, std::move(fields),
              std::move(answer.body));
}

}  // namespace sluice::remoting
