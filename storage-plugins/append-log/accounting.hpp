#pragma once

#include <optional>

#include "storage-plugins/append-log/index_access.hpp"

namespace sluice::append_log {

/// Counts what lives. Any thread; not under the store's mutex.
class Accounting {
 public:
  explicit Accounting(Store& store) : store_(store) {}

  [[nodiscard]] Lookup<storage::Usage> usage(ReadMode mode);

  /// See ReadView::position_to_free().
  [[nodiscard]] std::optional<storage::Position> position_to_free(std::uint64_t bytes) const;

  /// Whether a sealed segment still has a live record. Blocks.
  [[nodiscard]] Result<bool> has_live(const SegmentPtr& segment);

  /// Live records of a segment. Remembered until something is forgotten.
  [[nodiscard]] Lookup<LiveCount> count(const SegmentPtr& segment, ReadMode mode);

 private:
  [[nodiscard]] Result<LiveCount> count_runs(const IndexAccess& index, LiveCount count);
  [[nodiscard]] Result<> count_entries(const IndexAccess& index, const RunView& run,
                                       LiveCount& count);
  [[nodiscard]] Lookup<std::optional<storage::Position>> oldest(const SegmentPtr& segment,
                                                                ReadMode mode);

  Store& store_;
};

}  // namespace sluice::append_log
