#pragma once

#include "storage-plugins/append-log/store.hpp"

namespace sluice::append_log {

/// What a segment's frames say when they are read from its first to its last.
struct ScannedSegment {
  SegmentSummary summary;
  std::shared_ptr<SegmentIndex> index;
};

/// Reads a whole sealed segment. Blocks.
/// \return corrupt_record, naming file and offset, if a frame in it is damaged.
[[nodiscard]] Result<ScannedSegment> scan_segment(Store& store, std::uint64_t number);

/// Makes the index of a sealed segment anew, in memory, because its file is damaged. Upkeep writes
/// it later. Blocks.
[[nodiscard]] Result<> rebuild_index(Store& store, const SegmentPtr& segment);

/// Writes the index of a sealed segment to its file, durably but for its name. Blocks.
/// \return what block 0 of it says.
[[nodiscard]] Result<IndexHeader> write_index_file(Store& store, std::uint64_t number,
                                                   const SegmentSummary& summary,
                                                   const SegmentIndex& index);

/// Reads block 0 and the runs of an index file.
struct LoadedIndex {
  IndexHeader header;
  std::vector<RunView> runs;
};
/// \return corrupt_record or not_found if there is no whole index of this segment.
[[nodiscard]] Result<LoadedIndex> load_index_file(Store& store, std::uint64_t number);

}  // namespace sluice::append_log
