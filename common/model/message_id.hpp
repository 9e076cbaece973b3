#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/model/endpoint.hpp"

namespace sluice::model {

/// RocketMQ's offset message id: upper-case hex of address, port (4 bytes) and position (8 bytes):
/// 32 characters, 56 for IPv6 (MessageDecoder.createMessageId). Appended to `out`.
void append_offset_message_id(std::string& out, const Endpoint& store_host, std::uint64_t position);

struct OffsetMessageId {
  Endpoint store_host;
  std::uint64_t position = 0;

  friend bool operator==(const OffsetMessageId&, const OffsetMessageId&) = default;
};

/// The other way, in either case.
/// \return invalid_argument, quoting the text, if it is no offset message id.
[[nodiscard]] Result<OffsetMessageId> parse_offset_message_id(std::string_view text);

/// A unique key for a message that came without one: 32 upper-case hex characters in the layout of
/// RocketMQ's MessageClientIDSetter (address, process, hash, milliseconds of the month, counter).
[[nodiscard]] std::string make_unique_key(const Endpoint& host, std::uint64_t random_bits,
                                          std::int64_t now_ms);

}  // namespace sluice::model
