#pragma once

#include <cstdint>

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// PULL_MESSAGE (11), LITE_PULL_MESSAGE (361).

namespace sluice::remoting {

/// The command is a model::Pull, with its wait if the client allows one.
/// \return protocol_error, naming the field.
[[nodiscard]] Result<Call> to_pull(const Request& request);

void answer_pull(std::string& out, const AnswerTo& to, const model::Reply& reply);

/// Tells the peer to ask again at `offset`: what it would have got found no room.
void answer_pull_again(std::string& out, const AnswerTo& to, const model::PullReply& reply,
                       std::int64_t offset);

}  // namespace sluice::remoting
