#pragma once

#include <cstdint>
#include <vector>

#include "common/runtime/disk.hpp"
#include "storage-plugins/append-log/frame_codec.hpp"
#include "storage-plugins/append-log/segment_codec.hpp"

namespace sluice::append_log {

/// Reads the frames of a segment one after another, a few MiB of the file at a time. Blocks.
class SegmentReader {
 public:
  /// `file` outlives the reader.
  SegmentReader(const DiskFile& file, std::uint64_t file_bytes)
      : file_(file), file_bytes_(file_bytes) {}

  struct Frame {
    FrameHeader header;
    BytesView bytes;  ///< Until the next call.
  };
  using Outcome = std::variant<Frame, FrameError>;

  /// The frame at `at`, verified, if it is the one expected.
  [[nodiscard]] Result<Outcome> next_frame(std::uint64_t at, const ExpectedFrame& expected);

  /// Calls visit(std::uint64_t at, const FrameHeader&) for each whole frame of the segment of
  /// `header` from `from` on, wherever it begins and whatever its sequence.
  template <class Visit>
  [[nodiscard]] Result<> search(std::uint64_t from, const SegmentHeader& header, Visit visit);

  /// The first `size` bytes at `at`, or what the file has of them. Until the next call.
  [[nodiscard]] Result<BytesView> bytes_at(std::uint64_t at, std::size_t size);

 private:
  /// The first place at or after `at` (a multiple of kFrameAlignment) that holds the magic.
  [[nodiscard]] Result<std::uint64_t> find_magic(std::uint64_t at);

  const DiskFile& file_;
  std::uint64_t file_bytes_;
  std::vector<std::byte> window_;
  std::uint64_t window_begin_ = 0;
  std::size_t window_bytes_ = 0;
};

template <class Visit>
Result<> SegmentReader::search(std::uint64_t from, const SegmentHeader& segment, Visit visit) {
  std::uint64_t at = round_up(from, kFrameAlignment);
  while (at + kFrameHeaderBytes <= file_bytes_) {
    const auto found = find_magic(at);
    SLUICE_TRY(found);
    at = *found;
    const auto head = bytes_at(at, kFrameHeaderBytes);
    SLUICE_TRY(head);
    const auto peeked = peek_frame_header(*head);
    const auto* header = std::get_if<FrameHeader>(&peeked);
    const bool is_candidate = header != nullptr && header->generation == segment.generation() &&
                              at + header->frame_bytes <= file_bytes_;
    std::uint64_t step = kFrameAlignment;
    if (is_candidate) {
      const auto bytes = bytes_at(at, header->frame_bytes);
      SLUICE_TRY(bytes);
      const auto verified = verify_frame(*bytes, segment.salt);
      if (std::holds_alternative<FrameHeader>(verified)) {
        visit(at, std::get<FrameHeader>(verified));
        step = header->frame_bytes;
      }
    }
    at += step;
  }
  return {};
}

}  // namespace sluice::append_log
