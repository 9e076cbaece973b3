#pragma once

#include "common/base/assert.hpp"
#include "protocols/remoting/handlers/call.hpp"

namespace sluice::remoting {

/// The reply that a NameServerCommand gives if it gives any.
template <class T>
[[nodiscard]] const T& name_server_reply_as(const model::Reply& reply) {
  const T* const expected = std::get_if<T>(&reply_as<model::NameServerReply>(reply));
  SLUICE_ASSERT(expected != nullptr, "a command is replied to with the reply of its kind");
  return *expected;
}

[[nodiscard]] inline Call name_server_call(model::NameServerCommand command,
                                           decltype(Call::answer) answer) {
  return {.command = std::move(command), .answer = answer};
}

}  // namespace sluice::remoting
