#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "common/runtime/join.hpp"
#include "gateway/gateway.hpp"

namespace sluice::gateway {

namespace {

/// Another broker may have what this one has not.
bool is_elsewhere(const Error& error) {
  switch (error.code) {
    case Errc::not_found:
    case Errc::topic_not_found:
    case Errc::group_not_found:
    case Errc::group_has_no_members:
    case Errc::unavailable:
      return true;
    default:
      return false;
  }
}

}  // namespace

Task<std::vector<BrokerApi*>> Gateway::brokers_of(std::string broker_name) {
  if (broker_name.empty()) {
    auto all = co_await routing_->brokers();
    co_return all;
  }
  auto broker = co_await broker_of({}, std::move(broker_name));
  SLUICE_CO_TRY(broker);
  co_return std::vector<BrokerApi*>{*broker};
}

/// Asks one broker after the other until one has what is asked for. The first says what is wrong if
/// none has.
template <class Request, class Answer>
Task<Answer> Gateway::at_first_broker(model::CallContext context, Request request,
                                      Task<Answer> (BrokerApi::*call)(model::CallContext,
                                                                      Request)) {
  auto brokers = co_await brokers_of(request.broker_name);
  SLUICE_CO_TRY(brokers);
  Error first_error;
  for (BrokerApi* broker : *brokers) {
    auto answer = co_await (broker->*call)(context, request);
    if (answer || !is_elsewhere(answer.error())) co_return answer;
    if (broker == brokers->front()) first_error = std::move(answer).error();
  }
  co_return fail(std::move(first_error));
}

// --- finding messages ------------------------------------------------------------------------

Task<model::Reply> Gateway::serve(model::CallContext context, model::QueryMessages query) {
  auto brokers = co_await brokers_of(query.broker_name);
  SLUICE_CO_TRY(brokers);
  std::vector<Task<model::MessagesReply>> tasks;
  for (BrokerApi* broker : *brokers) tasks.push_back(broker->query_messages(context, query));
  auto answers = co_await wait_for_all(std::move(tasks));
  model::MessagesReply all;
  for (auto& answer : answers) {
    if (!answer) continue;
    std::ranges::move(answer->messages, std::back_inserter(all.messages));
    if (answer->newest_stored_at_ms < all.newest_stored_at_ms) continue;
    all.newest_stored_at_ms = answer->newest_stored_at_ms;
    all.newest_position = answer->newest_position;
  }
  if (all.messages.empty()) {
    const auto worst = std::ranges::find_if(
        answers, [](const auto& answer) { return answer.error().code != Errc::not_found; });
    co_return fail(worst == answers.end() ? answers.front().error() : worst->error());
  }
  const auto order = [](const model::FoundMessage& found) {
    return std::pair(found.record.stored_at_ms, found.record.position);
  };
  std::ranges::sort(all.messages, {}, order);
  if (all.messages.size() > query.messages_max) {
    const auto surplus = all.messages.size() - query.messages_max;
    all.messages.erase(all.messages.begin(),
                       all.messages.begin() + static_cast<std::ptrdiff_t>(surplus));
  }
  co_return all;
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::ViewMessage view) {
  auto found =
      co_await at_first_broker(std::move(context), std::move(view), &BrokerApi::view_message);
  SLUICE_CO_TRY(found);
  co_return std::move(*found);
}

// --- queue locks -----------------------------------------------------------------------------

/// What is asked of each broker. Queues that no broker has are in no part.
template <class Request>
Task<std::map<BrokerApi*, Request>> Gateway::split_by_broker(Request request) {
  std::map<BrokerApi*, Request> parts;
  Error error;
  for (model::QueueName& queue : request.queues) {
    auto broker = co_await broker_of(queue.topic, queue.broker_name);
    if (!broker) {
      error = std::move(broker).error();
      continue;
    }
    const auto [part, is_new] = parts.try_emplace(*broker);
    if (is_new) {
      part->second.group = request.group;
      part->second.client_id = request.client_id;
    }
    part->second.queues.push_back(std::move(queue));
  }
  const bool has_none = parts.empty() && !request.queues.empty();
  if (has_none && error.code == Errc::unavailable) co_return fail(std::move(error));
  co_return parts;
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::LockQueues lock) {
  auto parts = co_await split_by_broker(std::move(lock));
  SLUICE_CO_TRY(parts);
  std::vector<Task<model::LocksReply>> tasks;
  for (auto& [broker, part] : *parts) {
    tasks.push_back(broker->lock_queues(context, std::move(part)));
  }
  auto answers = co_await wait_for_all(std::move(tasks));
  model::LocksReply all;
  for (auto& answer : answers) {
    // Not locked is what a client makes of a failure, too.
    if (answer) std::ranges::move(answer->locked, std::back_inserter(all.locked));
  }
  const bool has_failed = !answers.empty() && std::ranges::none_of(answers, [](const auto& answer) {
    return answer.has_value();
  });
  if (has_failed) co_return fail(std::move(answers.front()).error());
  co_return all;
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::UnlockQueues unlock) {
  auto parts = co_await split_by_broker(std::move(unlock));
  SLUICE_CO_TRY(parts);
  std::vector<Task<>> tasks;
  for (auto& [broker, part] : *parts) {
    tasks.push_back(broker->unlock_queues(context, std::move(part)));
  }
  auto answers = co_await wait_for_all(std::move(tasks));
  for (auto& answer : answers) SLUICE_CO_TRY(answer);
  co_return model::Acknowledged{};
}

// --- asking clients --------------------------------------------------------------------------

Task<model::Reply> Gateway::serve(model::CallContext context, model::AskClient ask) {
  auto answer =
      co_await at_first_broker(std::move(context), std::move(ask), &BrokerApi::ask_client);
  SLUICE_CO_TRY(answer);
  co_return std::move(*answer);
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::AnswerClientRequest answer) {
  auto broker = co_await broker_of({}, answer.broker_name);
  SLUICE_CO_TRY(broker);
  auto told = co_await (*broker)->answer_client_request(std::move(context), std::move(answer));
  SLUICE_CO_TRY(told);
  co_return model::Acknowledged{};
}

Task<model::Reply> Gateway::serve(model::CallContext context, model::QueryConsumerStatus query) {
  auto brokers = co_await routing_->brokers();
  SLUICE_CO_TRY(brokers);
  BrokerApi* const broker = brokers->front();
  auto members = co_await broker->list_members(context, {.group = query.group});
  SLUICE_CO_TRY(members);
  std::vector<std::string> ids = std::move(members->client_ids);
  if (!query.client_id.empty()) {
    std::erase_if(ids, [&](const std::string& id) { return id != query.client_id; });
  }
  std::vector<Task<model::ClientReply>> tasks;
  for (const std::string& id : ids) {
    model::AskClient ask;
    ask.question = model::ClientQuestion::consumer_status;
    ask.group = query.group;
    ask.client_id = id;
    ask.topic = query.topic;
    tasks.push_back(broker->ask_client(context, std::move(ask)));
  }
  auto answers = co_await wait_for_all(std::move(tasks));
  model::ConsumerStatusReply reply;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) continue;  // RocketMQ leaves out who does not answer.
    reply.clients.push_back({.client_id = std::move(ids[i]), .body = std::move(answers[i]->body)});
  }
  co_return reply;
}

// --- moving progress -------------------------------------------------------------------------

Task<model::Reply> Gateway::serve(model::CallContext context, model::ResetOffset reset) {
  const bool is_one_queue = reset.queue >= 0 && reset.broker_name.empty();
  if (is_one_queue) {
    auto broker = co_await broker_of(reset.topic, {});
    SLUICE_CO_TRY(broker);
    auto answer = co_await (*broker)->reset_offset(std::move(context), std::move(reset));
    SLUICE_CO_TRY(answer);
    co_return std::move(*answer);
  }
  auto brokers = co_await brokers_of(reset.broker_name);
  SLUICE_CO_TRY(brokers);
  std::vector<Task<model::QueueOffsetsReply>> tasks;
  for (BrokerApi* broker : *brokers) tasks.push_back(broker->reset_offset(context, reset));
  auto answers = co_await wait_for_all(std::move(tasks));
  model::QueueOffsetsReply all;
  bool has_moved = false;
  for (auto& answer : answers) {
    // Not every broker needs to have the topic.
    if (!answer && answer.error().code == Errc::topic_not_found) continue;
    SLUICE_CO_TRY(answer);
    has_moved = true;
    std::ranges::move(answer->offsets, std::back_inserter(all.offsets));
  }
  if (!has_moved) co_return fail(std::move(answers.front()).error());
  co_return all;
}

}  // namespace sluice::gateway
