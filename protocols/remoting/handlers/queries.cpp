#include "protocols/remoting/handlers/queries.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/stored_record.hpp"

namespace sluice::remoting {

namespace {

/// Clients that ask for a unique key say so here; they look at 32 messages then, whatever they ask.
constexpr std::string_view kUniqueKeyFlag = "_UNIQUE_KEY_QUERY";
constexpr std::uint32_t kUniqueKeyMessagesMax = 32;

/// As 5.5 has it. Older clients say nothing, and mean either kind of key.
model::MessageIndex index_of(const Fields& fields) {
  const std::string_view type = fields.text_or("indexType", {});
  if (type == "K") return model::MessageIndex::key;
  if (type == "U") return model::MessageIndex::unique_key;
  if (type == "T") return model::MessageIndex::tag;
  return model::MessageIndex::any_key;
}

std::uint32_t messages_max_of(std::int32_t asked) {
  constexpr auto kMax = static_cast<std::int32_t>(limits::kQueryMessagesMax);
  return static_cast<std::uint32_t>(std::clamp(asked, 1, kMax));
}

void write_newest(Answer& answer, std::int64_t stored_at_ms, std::uint64_t position) {
  answer.number("indexLastUpdatePhyoffset", static_cast<std::int64_t>(position));
  answer.number("indexLastUpdateTimestamp", stored_at_ms);
}

void append_messages(std::string& out, const model::MessagesReply& found) {
  for (const model::FoundMessage& message : found.messages) {
    append_stored_record(out, message.record, message.store_host);
  }
}

void answer_query(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& found = reply_as<model::MessagesReply>(reply);
  Answer answer(out, to, response_code::kSuccess);
  write_newest(answer, found.newest_stored_at_ms, found.newest_position);
  answer.end_header();
  append_messages(out, found);
  answer.end();
}

/// Clients read the header of this one refusal, too.
void refuse_query(std::string& out, const AnswerTo& to, const Error& error) {
  if (error.code != Errc::not_found) return answer_error(out, to, error);
  Answer answer(out, to, response_code::kQueryNotFound, remark_of(error));
  write_newest(answer, 0, 0);
  answer.end();
}

void answer_view(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_messages(out, reply_as<model::MessagesReply>(reply));
  answer.end();
}

void refuse_view(std::string& out, const AnswerTo& to, const Error& error) {
  if (error.code != Errc::not_found) return answer_error(out, to, error);
  Answer(out, to, response_code::kSystemError, remark_of(error)).end();
}

}  // namespace

Result<Call> to_query_messages(const Request& request) {
  const Fields& fields = request.fields();
  const auto topic = fields.text("topic");
  SLUICE_TRY(topic);
  const auto key = fields.text("key");
  SLUICE_TRY(key);
  const auto messages_max = fields.int32("maxNum");
  SLUICE_TRY(messages_max);
  const auto first = fields.int64("beginTimestamp");
  SLUICE_TRY(first);
  const auto last = fields.int64("endTimestamp");
  SLUICE_TRY(last);
  const bool is_unique_key = fields.text_or(kUniqueKeyFlag, {}) == "true";
  model::QueryMessages query;
  query.topic = *topic;
  query.key = *key;
  query.index = index_of(fields);
  query.messages_max = is_unique_key ? kUniqueKeyMessagesMax : messages_max_of(*messages_max);
  query.first_ms = *first;
  query.last_ms = *last;
  query.broker_name = fields.text_or("bname", {});
  return Call{.command = std::move(query), .answer = answer_query, .refuse = refuse_query};
}

Result<Call> to_view_message(const Request& request) {
  const auto offset = request.fields().int64("offset");
  SLUICE_TRY(offset);
  model::ViewMessage view;
  view.topic = request.fields().text_or("topic", {});
  view.position = static_cast<std::uint64_t>(*offset);
  view.broker_name = request.fields().text_or("bname", {});
  return Call{.command = std::move(view), .answer = answer_view, .refuse = refuse_view};
}

}  // namespace sluice::remoting
