#include "protocols/remoting/handlers/locks.hpp"

#include <utility>

#include "protocols/remoting/codec/queue_bodies.hpp"
#include "protocols/remoting/handlers/answer.hpp"

namespace sluice::remoting {

namespace {

template <class Command>
Result<Command> to_command(const Request& request) {
  auto body = decode_queue_lock_request(request.body);
  SLUICE_TRY(body);
  Command command;
  command.group = std::move(body->consumer_group);
  command.client_id = std::move(body->client_id);
  for (MessageQueue& queue : body->queues) {
    command.queues.push_back({.broker_name = std::move(queue.broker_name),
                              .topic = std::move(queue.topic),
                              .queue = queue.queue_id});
  }
  return command;
}

void answer_locks(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  QueueLockAnswer body;
  for (const model::QueueName& queue : reply_as<model::LocksReply>(reply).locked) {
    body.locked.push_back(
        {.broker_name = queue.broker_name, .topic = queue.topic, .queue_id = queue.queue});
  }
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_queue_lock_answer(out, body);
  answer.end();
}

}  // namespace

Result<Call> to_lock_queues(const Request& request) {
  auto command = to_command<model::LockQueues>(request);
  SLUICE_TRY(command);
  return Call{.command = *std::move(command), .answer = answer_locks};
}

Result<Call> to_unlock_queues(const Request& request) {
  auto command = to_command<model::UnlockQueues>(request);
  SLUICE_TRY(command);
  return Call{.command = *std::move(command), .answer = answer_acknowledged};
}

}  // namespace sluice::remoting
