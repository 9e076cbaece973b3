#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/types.hpp"
#include "common/model/stored_message.hpp"

namespace sluice::compression {

/// A message's body as its reader wants it.
class StoredBody {
 public:
  /// Undoes the compression that RocketMQ's clients apply to bodies over 4 KiB (system flag bit 0;
  /// bits 8 to 10 say which). What cannot be undone comes as it is stored, with its encoding: LZ4
  /// and ZSTD, damaged streams, and what would be over limits::kInflatedBodyBytesMax.
  [[nodiscard]] static StoredBody of(const model::StoredMessageView& message);

  /// Valid while this object and the stored message live.
  [[nodiscard]] BytesView bytes() const noexcept {
    return inflated_ ? as_bytes(*inflated_) : stored_;
  }

  /// How bytes() are compressed: empty (not at all), `zlib`, `lz4`, `zstd` or `unknown`.
  [[nodiscard]] std::string_view encoding() const noexcept { return encoding_; }

 private:
  BytesView stored_;
  std::optional<std::string> inflated_;
  std::string_view encoding_;
};

}  // namespace sluice::compression
