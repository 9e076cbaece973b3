#pragma once

#include <cstdint>
#include <vector>

#include "storage-plugins/append-log/commit_list.hpp"
#include "storage-plugins/append-log/frame_codec.hpp"
#include "storage-plugins/append-log/segment_codec.hpp"
#include "storage-plugins/append-log/store.hpp"

namespace sluice::append_log {

/// The segment that is written.
struct OpenSegment {
  SegmentPtr segment{};
  std::shared_ptr<DiskFile> file{};
  SegmentHeader header{};
  std::uint64_t at = 0;  ///< Where the next frame goes.
  bool is_header_written = false;
};

/// What the next frame continues.
struct Chain {
  storage::Sequence last_sequence{};
  std::uint32_t last_crc = 0;  ///< Of the last frame, or of the segment's header.
  UnixMillis last_stored_at{};
  storage::Position last_position{};
};

/// Commits written together.
struct Round {
  CommitList written;
  CommitList refused;  ///< Their results say why.
  struct Frame {
    std::uint64_t at;
    FrameHeader header;
  };
  std::vector<Frame> frames;  ///< One per written commit.
  std::uint64_t begin = 0;    ///< Of what is to be written, in the file.
  std::uint64_t end = 0;
  std::uint64_t needs_room = 0;  ///< Not 0: the next commit needs another segment with so much.
};

}  // namespace sluice::append_log
