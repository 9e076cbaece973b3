#pragma once

#include <string>

#include "common/base/error.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "protocols/remoting/handlers/request.hpp"

/// \file
/// SEND_MESSAGE (10), SEND_MESSAGE_V2 (310), SEND_BATCH_MESSAGE (320).

namespace sluice::remoting {

/// The messages stay where they were received; the properties of a JSON header, which is decoded
/// elsewhere, are put where that header was.
///
/// \return protocol_error, naming the field; malformed_packet or message_illegal if the body of a
///         batch is none.
[[nodiscard]] Result<model::Send> to_send(const Request& request);

void answer_send(std::string& out, const AnswerTo& to, const Result<model::SendReply>& result);

}  // namespace sluice::remoting
