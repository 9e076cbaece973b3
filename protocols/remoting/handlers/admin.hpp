#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "common/model/admin.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/call.hpp"
#include "protocols/remoting/translate/data_version.hpp"

/// \file
/// What the handlers of administration share.

namespace sluice::remoting {

/// The reply that an AdminCommand gives if it gives any.
template <class T>
[[nodiscard]] const T& admin_reply_as(const model::Reply& reply) {
  const T* const expected = std::get_if<T>(&reply_as<model::AdminReply>(reply));
  SLUICE_ASSERT(expected != nullptr, "a command is replied to with the reply of its kind");
  return *expected;
}

/// A success whose body `append(out, reply)` writes.
template <class T, void (*append)(std::string& out, const T& reply)>
void answer_with_body(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const T& answered = admin_reply_as<T>(reply);
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append(out, answered);
  answer.end();
}

/// To the broker that the request names, if it names one.
[[nodiscard]] inline Call admin_call(const Request& request, model::AdminCommand command,
                                     decltype(Call::answer) answer = answer_acknowledged) {
  model::Administer administer;
  administer.command = std::move(command);
  administer.broker_name = request.fields().text_or("bname", {});
  return {.command = std::move(administer), .answer = answer};
}

/// The part of a list that a request asks for: all, if it has none of these fields.
/// \return protocol_error, naming the field.
[[nodiscard]] inline Result<model::Page> page_of(const Fields& fields, std::string_view first_field,
                                                 std::string_view count_field) {
  const auto first = fields.int32_or(first_field, 0);
  SLUICE_TRY(first);
  const auto count = fields.int32_or(count_field, 0);
  SLUICE_TRY(count);
  const std::string_view text = fields.text_or("dataVersion", {});
  const bool is_paged = fields.find(first_field) || fields.find(count_field) || !text.empty();
  model::Page page;
  page.first = *first;
  if (is_paged) page.count_max = *count > 0 ? *count : limits::kNamesPerPageMax;
  if (text.empty()) return page;
  const auto version = decode_data_version(as_bytes(text));
  SLUICE_TRY(version);
  page.version = to_model(*version);
  return page;
}

}  // namespace sluice::remoting
