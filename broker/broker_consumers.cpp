#include <utility>

#include "broker/broker.hpp"
#include "common/base/limits.hpp"
#include "common/model/stored_message.hpp"

namespace sluice::broker {

// --- queue locks -----------------------------------------------------------------------------

Task<model::LocksReply> Broker::lock_queues(model::CallContext context, model::LockQueues lock) {
  SLUICE_CO_TRY(check_time(context));
  const ClientKey key = key_of(context);
  const auto now = runtime_.environment().steady_now();
  model::LocksReply reply;
  // A group is made by its consumers' heartbeats, within the limits of their connections.
  if (!metadata_.find_group(lock.group)) co_return reply;
  const std::lock_guard guard(locks_mutex_);
  for (model::QueueName& queue : lock.queues) {
    if (!find_queue(queue.topic, queue.queue)) continue;
    if (!locks_.lock(lock.group, queue, lock.client_id, key, now)) continue;
    reply.locked.push_back(std::move(queue));
  }
  co_return reply;
}

Task<> Broker::unlock_queues(model::CallContext context, model::UnlockQueues unlock) {
  SLUICE_CO_TRY(check_time(context));
  const std::lock_guard guard(locks_mutex_);
  for (const model::QueueName& queue : unlock.queues) {
    locks_.unlock(unlock.group, queue, unlock.client_id);
  }
  co_return Result<>{};
}

// --- asking clients --------------------------------------------------------------------------

Task<model::ClientReply> Broker::ask_client(model::CallContext context, model::AskClient ask) {
  SLUICE_CO_TRY(check_time(context));
  std::optional<ClientKey> key;
  {
    const std::lock_guard lock(membership_mutex_);
    key = membership_.find(ask.group, ask.client_id);
  }
  const std::string who = "<" + ask.group + "> <" + ask.client_id + ">";
  if (!key) co_return fail(Errc::group_has_no_members, "The Consumer " + who + " not online");
  auto request = co_await request_of(std::move(ask));
  SLUICE_CO_TRY(request);
  auto post = [this, key = *key, asked = std::move(*request)](std::uint64_t number) mutable {
    asked.number = number;
    Membership::Notices notices;
    notices.emplace_back(key.via, model::Notice{key.session, std::move(asked)});
    notices_.post(std::move(notices));
  };
  auto reply = co_await client_calls_.ask(*key, std::move(post));
  if (!reply && reply.error().code == Errc::deadline_exceeded) {
    co_return fail(Errc::deadline_exceeded, "consumer " + who + " Timeout: it did not answer");
  }
  co_return reply;
}

Task<model::ClientRequest> Broker::request_of(model::AskClient ask) {
  model::ClientRequest request;
  request.broker_name = options_.name;
  request.question = ask.question;
  request.group = std::move(ask.group);
  request.client_id = std::move(ask.client_id);
  request.wants_stack = ask.wants_stack;
  request.topic = std::move(ask.topic);
  request.message_id = std::move(ask.message_id);
  const TopicPtr topic = metadata_.find_topic(request.topic);
  if (topic) request.topic_flag = topic->config().system_flag;
  if (request.question != model::ClientQuestion::consume_message) co_return request;
  auto record = co_await engine_.read_at(storage::Position{ask.position});
  SLUICE_CO_TRY(record);
  const auto stored = model::StoredMessageView::parse(record->payload.bytes());
  SLUICE_CO_TRY(stored);
  const bool is_meant = request.topic.empty() || stored->topic() == request.topic;
  if (!is_meant) {
    co_return fail(Errc::not_found,
                   "message " + request.message_id + " is not in topic " + request.topic);
  }
  const auto message = Buffer::make(record->payload.size());
  std::ranges::copy(record->payload.bytes(), message->data());
  model::fill_in_stored_message(message->data(), record->offset.value, record->position.value,
                                record->stored_at.value, options_.advertised);
  request.message = message->slice(0, message->size());
  co_return request;
}

Task<> Broker::answer_client_request(model::CallContext context,
                                     model::AnswerClientRequest answer) {
  SLUICE_CO_TRY(check_time(context));
  Result<model::ClientReply> reply = model::ClientReply{std::move(answer.body)};
  if (answer.code != 0) {
    reply = fail(Errc::internal, "the client answered with code " + std::to_string(answer.code) +
                                     ": \"" + answer.remark + "\"");
  }
  client_calls_.answer(key_of(context), answer.number, std::move(reply));
  co_return Result<>{};
}

// --- moving progress -------------------------------------------------------------------------

Task<model::QueueOffsetsReply> Broker::reset_offset(model::CallContext context,
                                                    model::ResetOffset reset) {
  SLUICE_CO_TRY(check_time(context));
  const TopicPtr topic = metadata_.find_topic(reset.topic);
  if (!topic) {
    co_return fail(Errc::topic_not_found, "Topic " + reset.topic + " does not exist");
  }
  if (!metadata_.find_group(reset.group)) {
    co_return fail(Errc::group_not_found, "Group " + reset.group + " does not exist");
  }
  const std::int32_t queues = topic->config().read_queues;
  if (reset.queue >= queues) {
    co_return fail(Errc::invalid_argument, "topic " + reset.topic + " has queues 0 to " +
                                               std::to_string(queues - 1) + ", not " +
                                               std::to_string(reset.queue));
  }
  model::QueueOffsetsReply reply;
  const std::int32_t first = std::max(reset.queue, 0);
  const std::int32_t last = reset.queue < 0 ? queues - 1 : reset.queue;
  for (std::int32_t queue = first; queue <= last; ++queue) {
    const auto& target = topic->queues()[static_cast<std::size_t>(queue)];
    auto offset = co_await reset_target(target, reset);
    SLUICE_CO_TRY(offset);
    reply.offsets.push_back({.queue = {options_.name, reset.topic, queue}, .offset = *offset});
  }
  for (const model::QueueOffset& moved : reply.offsets) {
    SLUICE_CO_TRY(resets_.set(topic->number(), moved.queue.queue, reset.group, moved.offset));
    auto stored =
        co_await offsets_.store(topic->number(), moved.queue.queue, reset.group, moved.offset);
    SLUICE_CO_TRY(stored);
    topic->queues()[static_cast<std::size_t>(moved.queue.queue)]->waiters.wake();
  }
  co_return reply;
}

Task<std::int64_t> Broker::reset_target(std::shared_ptr<Queue> queue, model::ResetOffset reset) {
  auto bounds = co_await engine_.bounds(queue->log);
  SLUICE_CO_TRY(bounds);
  const bool is_by_offset = reset.queue >= 0 && reset.offset != -1;
  if (is_by_offset) {
    const bool is_inside =
        reset.offset >= bounds->first.value && reset.offset <= bounds->next.value + 1;
    if (is_inside) co_return reset.offset;
    co_return fail(Errc::offset_out_of_range, "Target offset " + std::to_string(reset.offset) +
                                                  " not in consume queue range [" +
                                                  std::to_string(bounds->first.value) + "-" +
                                                  std::to_string(bounds->next.value) + "]");
  }
  if (reset.time_ms < 0) co_return bounds->next.value;
  auto offset = co_await engine_.offset_at(queue->log, UnixMillis{reset.time_ms});
  SLUICE_CO_TRY(offset);
  co_return offset->value;
}

}  // namespace sluice::broker
