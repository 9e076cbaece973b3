#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "storage-plugins/append-log/chunked_vector.hpp"
#include "storage-plugins/append-log/frame_codec.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::append_log {

/// Where one record of a segment is, and what can be said of it without reading it.
struct RecordEntry {
  storage::Position position{};
  UnixMillis stored_at{};
  std::uint64_t tag_hash = 0;
  storage::LogId owner{};  ///< logs[0]: the record lives as long as this log keeps it.
  storage::Offset owner_offset{};
  std::uint32_t append_at = 0;  ///< Offset of the append operation in the segment's file.
  std::uint32_t append_bytes = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t offset_count = 1;

  friend bool operator==(const RecordEntry&, const RecordEntry&) = default;
};

/// A key of a record, by hash.
struct KeyEntry {
  std::uint64_t hash = 0;
  std::uint32_t record = 0;  ///< Its number in the segment.

  friend auto operator<=>(const KeyEntry&, const KeyEntry&) = default;
};

/// What one log has in one segment. Its offsets have no gap: entry i stands at first + i.
struct LogRun {
  storage::LogId log{};
  storage::Offset first{};
  storage::Position first_position{};
  std::uint64_t owned_bytes = 0;  ///< Payload bytes of the records the log owns.
  std::uint32_t owned_count = 0;
  bool has_foreign = false;  ///< Holds records that other logs own.
  SmallVector<std::uint32_t, 4> records;

  [[nodiscard]] storage::Offset end() const noexcept {
    return first + static_cast<std::int64_t>(records.size());
  }
};

/// What is known of a whole segment.
struct SegmentSummary {
  storage::Sequence first_sequence{};
  storage::Sequence last_sequence{};  ///< Below first_sequence while there is no frame.
  std::uint64_t end = 0;              ///< Where its frames end in the file.
  std::uint32_t last_crc = 0;         ///< Of the last frame; of the header while there is none.
  storage::Position first_position{};
  storage::Position last_position{};
  UnixMillis first_stored_at{};
  UnixMillis last_stored_at{};
  std::uint64_t payload_bytes = 0;
  std::uint32_t record_count = 0;

  friend bool operator==(const SegmentSummary&, const SegmentSummary&) = default;
};

/// The 64-bit hash that find() looks keys up by: FNV-1a, then fmix64 of MurmurHash3.
[[nodiscard]] std::uint64_t hash_of_key(std::string_view key) noexcept;

/// The index of one segment in memory: filled while it is written, frozen when it is sealed. Not
/// thread-safe while it is filled.
class SegmentIndex {
 public:
  /// Adds a record. Its entries go to the runs of its logs.
  /// \param frame_at  Where its frame begins in the file.
  /// \return the record's number.
  std::uint32_t add(const AppendView& append, std::uint64_t frame_at);

  /// Adds an entry of `record` to the run of `log`.
  /// \return true if this is the log's first in the segment.
  bool add_entry(LogEntry entry, std::uint32_t record);

  /// The log was dropped: what it had here is no run of a living log.
  void remove_run(storage::LogId log);

  [[nodiscard]] const LogRun* run_of(storage::LogId log) const noexcept;
  [[nodiscard]] const ChunkedVector<RecordEntry>& records() const noexcept { return records_; }
  [[nodiscard]] const ChunkedVector<KeyEntry>& keys() const noexcept { return keys_; }

  /// Calls visit(const LogRun&) for each, in no order.
  template <class Visit>
  void visit_runs(Visit visit) const {
    for (const auto& [log, slot] : run_slots_) visit(runs_[slot]);
  }
  [[nodiscard]] std::size_t run_count() const noexcept { return run_slots_.size(); }

  /// The number of the first record at or above `position`; records().size() if there is none.
  [[nodiscard]] std::uint32_t lower_bound(storage::Position position) const noexcept;
  /// The number of the first record stored at or after `time`; records().size() if there is none.
  [[nodiscard]] std::uint32_t lower_bound(UnixMillis time) const noexcept;

 private:
  ChunkedVector<RecordEntry> records_;
  ChunkedVector<KeyEntry> keys_;
  std::deque<LogRun> runs_;                                            ///< Stays in place.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> run_slots_;  ///< By log.
};

}  // namespace sluice::append_log
