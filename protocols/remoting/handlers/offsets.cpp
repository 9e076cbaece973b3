#include "protocols/remoting/handlers/offsets.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "protocols/remoting/handlers/answer.hpp"

namespace sluice::remoting {

namespace {

constexpr std::string_view kBrokerName = "bname";

void answer_number(std::string& out, const AnswerTo& to, std::string_view key,
                   std::int64_t number) {
  Answer answer(out, to, response_code::kSuccess);
  answer.number(key, number);
  answer.end();
}

void answer_offset(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  answer_number(out, to, "offset", reply_as<model::OffsetReply>(reply).offset);
}

void answer_time(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  answer_number(out, to, "timestamp", reply_as<model::OffsetReply>(reply).offset);
}

void answer_next_offset(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  answer_number(out, to, "offset", reply_as<model::BoundsReply>(reply).next);
}

void answer_first_offset(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  answer_number(out, to, "offset", reply_as<model::BoundsReply>(reply).first);
}

/// The fields that all of these requests have.
template <class Command>
Result<Command> queue_of(const Fields& fields) {
  const auto topic = fields.text("topic");
  SLUICE_TRY(topic);
  const auto queue = fields.int32("queueId");
  SLUICE_TRY(queue);
  Command command;
  command.topic = *topic;
  command.queue = *queue;
  command.broker_name = fields.text_or(kBrokerName, {});
  return command;
}

template <class Command>
Result<Command> group_and_queue_of(const Fields& fields) {
  const auto group = fields.text("consumerGroup");
  SLUICE_TRY(group);
  auto command = queue_of<Command>(fields);
  SLUICE_TRY(command);
  command->group = *group;
  return command;
}

/// By name in any case, as BoundaryType.getType() has it: clients write the enumerator or its
/// lower-case property. The upper one is the one to be recognized, everything else is the default.
model::Boundary boundary_of(const Fields& fields) {
  constexpr auto kToLower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const std::string_view name = fields.text_or("boundaryType", {});
  const bool is_upper = std::ranges::equal(name, std::string_view("upper"), {}, kToLower);
  return is_upper ? model::Boundary::upper : model::Boundary::lower;
}

Result<Call> to_query_bounds(const Request& request, decltype(Call::answer) answer) {
  auto query = queue_of<model::QueryBounds>(request.fields());
  SLUICE_TRY(query);
  return Call{.command = *std::move(query), .answer = answer};
}

}  // namespace

Result<Call> to_query_offset(const Request& request) {
  auto query = group_and_queue_of<model::QueryOffset>(request.fields());
  SLUICE_TRY(query);
  query->zero_if_not_found = request.fields().boolean_or("setZeroIfNotFound", true);
  return Call{.command = *std::move(query), .answer = answer_offset};
}

Result<Call> to_update_offset(const Request& request) {
  auto update = group_and_queue_of<model::UpdateOffset>(request.fields());
  SLUICE_TRY(update);
  const auto offset = request.fields().int64("commitOffset");
  SLUICE_TRY(offset);
  update->offset = *offset;
  return Call{.command = *std::move(update), .answer = answer_acknowledged};
}

Result<Call> to_search_offset(const Request& request) {
  auto search = queue_of<model::SearchOffset>(request.fields());
  SLUICE_TRY(search);
  const auto time = request.fields().int64("timestamp");
  SLUICE_TRY(time);
  search->time_ms = *time;
  search->boundary = boundary_of(request.fields());
  return Call{.command = *std::move(search), .answer = answer_offset};
}

Result<Call> to_query_max_offset(const Request& request) {
  return to_query_bounds(request, answer_next_offset);
}

Result<Call> to_query_min_offset(const Request& request) {
  return to_query_bounds(request, answer_first_offset);
}

Result<Call> to_query_earliest_time(const Request& request) {
  auto query = queue_of<model::QueryEarliestTime>(request.fields());
  SLUICE_TRY(query);
  return Call{.command = *std::move(query), .answer = answer_time};
}

}  // namespace sluice::remoting
