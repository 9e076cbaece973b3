#include "common/compression/stored_body.hpp"

#include "common/base/limits.hpp"
#include "common/compression/zlib_inflate.hpp"

namespace sluice::compression {

namespace {

constexpr std::string_view kZlib = "zlib";

// MessageSysFlag.COMPRESSION_TYPE_COMPARATOR: bits 8 to 10. 0 is what clients before 5.0 write.
std::string_view encoding_of(std::int32_t system_flag) {
  if ((system_flag & model::system_flag::kCompressed) == 0) return {};
  switch ((system_flag >> 8) & 0x7) {
    case 0:
    case 3:
      return kZlib;
    case 1:
      return "lz4";
    case 2:
      return "zstd";
    default:
      return "unknown";
  }
}

}  // namespace

StoredBody StoredBody::of(const model::StoredMessageView& message) {
  StoredBody body;
  body.stored_ = message.body();
  body.encoding_ = encoding_of(message.system_flag());
  if (body.encoding_ != kZlib) return body;
  auto inflated = zlib_inflate(body.stored_, limits::kInflatedBodyBytesMax);
  if (!inflated) return body;
  body.inflated_ = std::move(*inflated);
  body.encoding_ = {};
  return body;
}

}  // namespace sluice::compression
