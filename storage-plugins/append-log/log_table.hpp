#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::append_log {

/// A segment that holds entries of a log, from offset `first` on.
struct SegmentRun {
  std::uint64_t segment = 0;
  storage::Offset first{};
};

/// One log, without its entries: those are in the segments' indexes.
///
/// `first` is a lower bound of the first live offset, and `first_bound` of the position of whatever
/// stands there or above. State::is_first_exact() says when `first` is the answer itself. So an
/// index is asked only after a drop_before() and in logs that hold records of others.
struct LogState {
  storage::LogId id{};
  storage::Offset floor{};  ///< The highest offset it was truncated to.
  storage::Offset next{};
  storage::Position live_from{};      ///< Of its first record since it was made or last dropped.
  storage::Position last_position{};  ///< Of its last record.
  storage::Offset first{};
  storage::Position first_bound{};
  std::uint64_t first_epoch = 0;    ///< The State::epoch() at which `first` was looked up.
  bool has_foreign = false;         ///< Has held records that other logs own: it may have holes.
  SmallVector<SegmentRun, 1> runs;  ///< Ascending.
  std::uint32_t slot = 0;
};

/// All logs, by id. Logs stay where they are in memory. Not thread-safe.
class LogTable {
 public:
  [[nodiscard]] LogState* find(storage::LogId id) noexcept;
  [[nodiscard]] const LogState* find(storage::LogId id) const noexcept;
  LogState& create(storage::LogId id);
  void erase(storage::LogId id);

  [[nodiscard]] std::size_t size() const noexcept { return by_id_.size(); }

  /// Slots are stable while others come and go, so that a snapshot may go through them piece by
  /// piece. \return nullptr for a slot that is free.
  [[nodiscard]] std::size_t slot_count() const noexcept { return slots_.size(); }
  [[nodiscard]] LogState* slot(std::size_t i) const noexcept { return slots_[i].get(); }

 private:
  std::vector<std::unique_ptr<LogState>> slots_;
  std::vector<std::uint32_t> free_slots_;
  boost::unordered_flat_map<std::uint64_t, LogState*> by_id_;
};

}  // namespace sluice::append_log
