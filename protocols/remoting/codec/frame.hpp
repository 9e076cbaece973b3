#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

/// \file
/// The frame around every RocketMQ remoting command (docs/formats/remoting.md):
/// int32 length of the rest; int8 serialization; int24 header length; header; body.

namespace sluice::remoting {

/// How a header is written. The number is the byte on the wire.
enum class SerializeType : std::uint8_t { json = 0, rocketmq = 1 };

/// Bytes before the header: the length and the header word.
inline constexpr std::size_t kFramePrefixBytes = 8;

/// One frame, as views into the bytes it was found in.
struct Frame {
  SerializeType serialize_type = SerializeType::json;
  BytesView header;
  BytesView body;        ///< Empty for "no body": the wire cannot tell the two apart.
  std::size_t size = 0;  ///< Bytes the frame took, its length field included.
};

/// The bytes that the frame at the front of `input` has in all, its length field included; nullopt
/// while fewer than 4 bytes are there. A promise of the peer: size a buffer by what has arrived.
///
/// \return malformed_packet as next_frame(), from the first bytes that show it: the length needs
///         4, the serialization and the header length need 8.
[[nodiscard]] Result<std::optional<std::size_t>> frame_bytes_needed(BytesView input);

/// The frame that `input` begins with; nullopt if it is not complete: call again with more bytes,
/// as many as frame_bytes_needed() says.
///
/// \return malformed_packet if the length is under 4 (or negative) or over
///         limits::kRemotingFrameBytesMax, the header is longer than the frame or than
///         limits::kRemotingHeaderBytesMax, or the serialization is neither JSON nor ROCKETMQ.
///         Nothing after it can be trusted: close the connection.
[[nodiscard]] Result<std::optional<Frame>> next_frame(BytesView input);

}  // namespace sluice::remoting
