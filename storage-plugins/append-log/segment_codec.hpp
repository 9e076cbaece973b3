#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/base/types.hpp"
#include "storage-plugins/append-log/format.hpp"
#include "storage-plugins/spi/write_batch.hpp"

namespace sluice::append_log {

/// The first page of a segment (docs/formats/append-log.md, "Segment header").
struct SegmentHeader {
  std::uint64_t number = 0;
  std::uint32_t previous_crc = 0;  ///< Of the last frame of the segment before.
  storage::Sequence first_sequence{};
  UnixMillis created_at{};
  std::uint32_t salt = 0;  ///< Random: what the crcs of frames begin with.
  std::uint32_t crc = 0;   ///< As decoded, or as encode_segment_header() gave it.

  [[nodiscard]] std::uint32_t generation() const noexcept {
    return static_cast<std::uint32_t>(number);
  }

  friend bool operator==(const SegmentHeader&, const SegmentHeader&) = default;
};

/// Fills `page` (kSegmentHeaderBytes). \return the header's crc.
std::uint32_t encode_segment_header(const SegmentHeader& header, std::span<std::byte> page);

struct DecodedSegmentHeader {
  SegmentHeader header{};
  bool is_whole = false;  ///< Both halves of the page are right. If not, one of them is.
};

/// \return nullopt if `page` has no valid header of a version this program knows.
[[nodiscard]] std::optional<DecodedSegmentHeader> decode_segment_header(BytesView page) noexcept;

}  // namespace sluice::append_log
