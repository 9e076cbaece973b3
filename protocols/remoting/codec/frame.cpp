#include "protocols/remoting/codec/frame.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/base/byte_reader.hpp"
#include "common/base/limits.hpp"

namespace sluice::remoting {

namespace {

constexpr std::size_t kLengthFieldBytes = 4;
/// "HTTP", with which every answer of an HTTP/1 server begins (RFC 9112 §4).
constexpr std::int32_t kHttpLength = 0x4854'5450;
constexpr std::uint32_t kHeaderLengthMask = 0x00FF'FFFF;
constexpr std::uint32_t kSerializeTypeShift = 24;

/// The two numbers in front of every header.
struct Prefix {
  std::size_t frame_bytes;  // all of the frame
  std::size_t header_bytes;
  std::uint32_t serialize_type;
};

tl::unexpected<Error> malformed(std::string text) {
  return fail(Errc::malformed_packet, std::move(text));
}

Result<std::size_t> read_frame_bytes(BytesView input) {
  const auto length = load_big_endian<std::int32_t>(input.data());
  if (length == kHttpLength) return malformed("this port speaks HTTP, not remoting");
  if (length < static_cast<std::int32_t>(kFramePrefixBytes - kLengthFieldBytes)) {
    return malformed(fmt::format("frame length is {}, at least 4 is needed", length));
  }
  const std::size_t frame_bytes = static_cast<std::size_t>(length) + kLengthFieldBytes;
  if (frame_bytes > limits::kRemotingFrameBytesMax) {
    return malformed(fmt::format("frame of {} bytes is over the limit of {}", frame_bytes,
                                 limits::kRemotingFrameBytesMax));
  }
  return frame_bytes;
}

Result<Prefix> read_prefix(BytesView input) {
  const auto frame_bytes = read_frame_bytes(input);
  SLUICE_TRY(frame_bytes);
  const auto word = load_big_endian<std::uint32_t>(input.data() + kLengthFieldBytes);
  const Prefix prefix{.frame_bytes = *frame_bytes,
                      .header_bytes = word & kHeaderLengthMask,
                      .serialize_type = word >> kSerializeTypeShift};
  if (prefix.serialize_type > static_cast<std::uint32_t>(SerializeType::rocketmq)) {
    return malformed(fmt::format("serialization {} is neither 0 (JSON) nor 1 (ROCKETMQ)",
                                 prefix.serialize_type));
  }
  if (prefix.header_bytes > prefix.frame_bytes - kFramePrefixBytes) {
    return malformed(fmt::format("header of {} bytes does not fit into a frame of {}",
                                 prefix.header_bytes, prefix.frame_bytes));
  }
  if (prefix.header_bytes > limits::kRemotingHeaderBytesMax) {
    return malformed(fmt::format("header of {} bytes is over the limit of {}", prefix.header_bytes,
                                 limits::kRemotingHeaderBytesMax));
  }
  return prefix;
}

}  // namespace

Result<std::optional<std::size_t>> frame_bytes_needed(BytesView input) {
  if (input.size() < kLengthFieldBytes) return std::optional<std::size_t>{};
  if (input.size() < kFramePrefixBytes) {
    const auto frame_bytes = read_frame_bytes(input);
    SLUICE_TRY(frame_bytes);
    return std::optional<std::size_t>{*frame_bytes};
  }
  const auto prefix = read_prefix(input);
  SLUICE_TRY(prefix);
  return std::optional<std::size_t>{prefix->frame_bytes};
}

Result<std::optional<Frame>> next_frame(BytesView input) {
  if (input.size() < kFramePrefixBytes) {
    const auto needed = frame_bytes_needed(input);
    SLUICE_TRY(needed);
    return std::optional<Frame>{};
  }
  const auto prefix = read_prefix(input);
  SLUICE_TRY(prefix);
  if (input.size() < prefix->frame_bytes) return std::optional<Frame>{};
  const std::size_t body_begin = kFramePrefixBytes + prefix->header_bytes;
  return std::optional<Frame>{
      Frame{.serialize_type = static_cast<SerializeType>(prefix->serialize_type),
            .header = input.subspan(kFramePrefixBytes, prefix->header_bytes),
            .body = input.subspan(body_begin, prefix->frame_bytes - body_begin),
            .size = prefix->frame_bytes}};
}

}  // namespace sluice::remoting
