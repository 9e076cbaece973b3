#pragma once

#include "common/base/error.hpp"
#include "common/base/slice.hpp"
#include "common/model/reply.hpp"
#include "protocols/remoting/codec/header.hpp"

namespace sluice::remoting {

/// Reads the answer to a send (10, 310, 320).
/// \return what the broker refused it for; protocol_error or invalid_argument if the answer lacks
///         or misspells what clients need.
[[nodiscard]] Result<model::SendReply> decode_send_answer(const Header& header);

/// Reads the answer to a pull (11). The records' payloads are parts of `body`.
/// \return what the broker refused it for; protocol_error as above; corrupt_record if the body is
///         not stored messages one behind the other.
[[nodiscard]] Result<model::PullReply> decode_pull_answer(const Header& header, const Slice& body);

/// Reads the body of the answers to 12 and 33: at least one message. The payloads are parts of it.
/// \return corrupt_record as above; not_found if the body is empty.
[[nodiscard]] Result<model::MessagesReply> decode_found_messages(const Slice& body);

}  // namespace sluice::remoting
