#pragma once

#include <cstdint>
#include <vector>

#include "storage-plugins/append-log/frame_codec.hpp"
#include "storage-plugins/append-log/key_map.hpp"
#include "storage-plugins/append-log/log_table.hpp"
#include "storage-plugins/append-log/segment.hpp"

namespace sluice::append_log {

/// Everything that is published: what reads see. Frames change it and nothing else does, so that a
/// store that was replayed is the store that was running. Not thread-safe: Store has the mutex.
class State {
 public:
  // --- changes ---

  /// Applies a verified frame that stands at `frame_at` in the newest segment.
  void apply(BytesView frame, const FrameHeader& header, std::uint64_t frame_at);

  /// From now on frames go to `segment`, whose number is above all others.
  void begin_segment(SegmentPtr segment);

  /// Adds a sealed segment below all that frames are applied to; for opening. `run` is told for
  /// each log in it by attach_run().
  void add_sealed_segment(SegmentPtr segment);
  void attach_run(std::uint64_t segment, const RunView& run);

  /// All runs are attached and all frames applied. What a log had below its first run was retired:
  /// nothing of it lives, though the log may not have been truncated that far.
  void settle_firsts() noexcept;

  /// Takes a segment without live records out of the list. detach_run() for each log in it.
  void remove_segment(std::uint64_t number);
  void detach_run(std::uint64_t segment, storage::LogId log);

  // --- questions ---

  [[nodiscard]] storage::Sequence sequence() const noexcept { return sequence_; }
  [[nodiscard]] storage::Position last_position() const noexcept { return last_position_; }
  [[nodiscard]] UnixMillis last_stored_at() const noexcept { return last_stored_at_; }
  [[nodiscard]] storage::Position drop_floor() const noexcept { return drop_floor_; }
  /// Changes whenever something is forgotten.
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  [[nodiscard]] const LogTable& logs() const noexcept { return logs_; }
  [[nodiscard]] LogTable& logs() noexcept { return logs_; }
  [[nodiscard]] const KeyMap& keys() const noexcept { return keys_; }
  [[nodiscard]] KeyMap& keys() noexcept { return keys_; }

  /// Ascending by number. The last one is being written.
  [[nodiscard]] const std::vector<SegmentPtr>& segments() const noexcept { return segments_; }
  /// \return nullptr if it is not there, or no more.
  [[nodiscard]] SegmentPtr segment(std::uint64_t number) const noexcept;

  /// True while the owner of the record keeps it.
  [[nodiscard]] bool is_live(const RecordEntry& record) const noexcept;
  /// True if `log` still shows the record at `offset`.
  [[nodiscard]] bool is_visible(const LogState& log, storage::Offset offset,
                                const RecordEntry& record) const noexcept;
  /// True if log.first is the first live offset, or next if there is none.
  [[nodiscard]] bool is_first_exact(const LogState& log) const noexcept;

  // --- for loading a checkpoint ---

  void restore(storage::Sequence sequence, storage::Position last_position,
               UnixMillis last_stored_at, storage::Position drop_floor) noexcept;

 private:
  void append(const AppendView& append, std::uint64_t frame_at);
  void append_entry(LogEntry entry, std::uint32_t record, Segment& segment);
  void truncate_before(const TruncateBeforeView& truncate);
  void drop_before(storage::Position position);
  void drop_log(storage::LogId log);

  LogTable logs_;
  KeyMap keys_;
  std::vector<SegmentPtr> segments_;
  storage::Sequence sequence_;
  storage::Position last_position_;
  UnixMillis last_stored_at_;
  storage::Position drop_floor_;
  std::uint64_t epoch_ = 1;  ///< Above LogState::first_epoch of a log that was just loaded.
};

}  // namespace sluice::append_log
