#pragma once

#include <string>
#include <variant>

#include "common/base/assert.hpp"
#include "common/base/error.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/request.hpp"

namespace sluice::remoting {

/// A request in the words of the model, and how its reply becomes an answer.
struct Call {
  model::Command command;
  void (*answer)(std::string& out, const AnswerTo& to, const model::Reply& reply);
  /// Errors of the command. By the error table, unless RocketMQ has a code of its own here.
  void (*refuse)(std::string& out, const AnswerTo& to, const Error& error) = answer_error;
};

/// The reply that a command gives if it gives any.
template <class T>
[[nodiscard]] const T& reply_as(const model::Reply& reply) {
  const T* const expected = std::get_if<T>(&reply);
  SLUICE_ASSERT(expected != nullptr, "a command is replied to with the reply of its kind");
  return *expected;
}

/// For commands that are only done.
void answer_acknowledged(std::string& out, const AnswerTo& to, const model::Reply& reply);

}  // namespace sluice::remoting
