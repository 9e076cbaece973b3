#pragma once

#include <cstdint>
#include <vector>

#include "storage-plugins/append-log/store.hpp"

namespace sluice::append_log {

/// Asks the index of one segment, wherever it is: in memory, or in its file, block by block.
///
/// Takes the store's mutex itself; call without it. An index file that turns out to be damaged is
/// made anew (in ReadMode::blocking) and the call gives corrupt_record all the same: try again.
class IndexAccess {
 public:
  IndexAccess(Store& store, SegmentPtr segment, ReadMode mode);

  [[nodiscard]] const Segment& segment() const noexcept { return *segment_; }
  [[nodiscard]] const SegmentPtr& segment_ptr() const noexcept { return segment_; }

  /// The run of `log`; count 0 if it has none here.
  [[nodiscard]] Lookup<RunView> run_of(storage::LogId log) const;

  /// All runs, by log. Blocks: for upkeep.
  [[nodiscard]] Result<std::vector<RunView>> runs() const;

  /// Up to `count_max` records of a run, from its entry `first` on.
  [[nodiscard]] Lookup<std::vector<RecordEntry>> run_records(const RunView& run,
                                                             std::uint32_t first,
                                                             std::uint32_t count_max) const;

  /// Up to `count_max` records of the segment, from number `first` on.
  [[nodiscard]] Lookup<std::vector<RecordEntry>> records(std::uint32_t first,
                                                         std::uint32_t count_max) const;

  /// The number of the first record at or above `position`, or stored at or after `time`; the
  /// number of records if there is none.
  [[nodiscard]] Lookup<std::uint32_t> lower_bound(storage::Position position) const;
  [[nodiscard]] Lookup<std::uint32_t> lower_bound(UnixMillis time) const;

  /// Numbers of the records that have a key of this hash, ascending.
  [[nodiscard]] Lookup<std::vector<std::uint32_t>> records_with_key(std::uint64_t hash) const;

 private:
  [[nodiscard]] Lookup<Slice> block(std::uint32_t number) const;
  [[nodiscard]] Lookup<BytesView> entry(const IndexSection& section, std::uint32_t i) const;
  template <class IsBelow>
  [[nodiscard]] Lookup<std::uint32_t> partition_point(const IndexSection& section,
                                                      IsBelow is_below) const;

  Store& store_;
  SegmentPtr segment_;
  ReadMode mode_;
  std::shared_ptr<SegmentIndex> memory_;  ///< nullptr: in the file.
  std::optional<IndexHeader> header_;     ///< Of the file.
  mutable Slice last_block_;              ///< Of the last entry().
  mutable std::uint32_t last_block_number_ = 0;
};

}  // namespace sluice::append_log
