#include "bench/load/response.hpp"

#include <algorithm>
#include <charconv>

#include "bench/load/fail.hpp"
#include "bench/load/request.hpp"
#include "bench/load/wire.hpp"

namespace sluice::bench {
namespace {

constexpr std::size_t kFrameBytesMax = 16U
                                       << 20;  // RocketMQ's com.rocketmq.remoting.frameMaxLength
constexpr std::size_t kDescriptionBytesMax = 500;
constexpr std::uint32_t kHeaderLengthMask = 0x00FF'FFFF;

}  // namespace

std::string Response::describe() const {
  return fmt::format("code {}: {}", code,
                     header.substr(0, std::min(header.size(), kDescriptionBytesMax)));
}

HeaderNumber::HeaderNumber(std::string_view name) : pattern_(fmt::format(R"("{}":)", name)) {}

std::optional<std::int64_t> HeaderNumber::find(std::string_view header) {
  const bool is_where_it_was = last_position_ < header.size() &&
                               header.compare(last_position_, pattern_.size(), pattern_) == 0;
  const std::size_t position = is_where_it_was ? last_position_ : header.find(pattern_);
  if (position == std::string_view::npos) return std::nullopt;
  last_position_ = position;
  std::string_view text = header.substr(position + pattern_.size());
  if (text.starts_with('"')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

Response ResponseParser::parse(std::string_view frame) {
  const std::uint32_t header_info = load_u32(frame, kFrameLengthBytes);
  const std::size_t header_bytes = header_info & kHeaderLengthMask;
  const bool is_json = header_info == header_bytes;
  if (!is_json) fail("a response whose header is not JSON");
  if (header_bytes > frame.size() - kFramePrefixBytes) fail("a header longer than its frame");
  Response response;
  response.header = frame.substr(kFramePrefixBytes, header_bytes);
  response.body = frame.substr(kFramePrefixBytes + header_bytes);
  const auto code = code_.find(response.header);
  const auto opaque = opaque_.find(response.header);
  if (!code || !opaque) fail("a header without code or opaque: {}", response.header);
  response.code = static_cast<int>(*code);
  response.opaque = static_cast<std::uint32_t>(*opaque);
  return response;
}

std::optional<std::size_t> announced_frame_size(std::string_view bytes) {
  if (bytes.size() < kFrameLengthBytes) return std::nullopt;
  const std::size_t size = kFrameLengthBytes + load_u32(bytes);
  if (size < kFramePrefixBytes || size > kFrameBytesMax) fail("a frame of {} bytes", size);
  return size;
}

std::optional<std::size_t> complete_frame_size(std::string_view bytes) {
  const auto size = announced_frame_size(bytes);
  if (!size || *size > bytes.size()) return std::nullopt;
  return size;
}

}  // namespace sluice::bench
