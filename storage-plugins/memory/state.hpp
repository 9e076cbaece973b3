#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::memory_engine {

/// All that an engine holds, and what each operation means for it. No threads, no clock: the engine
/// around it has those. Written to be read; nothing here is fast.
class State {
 public:
  /// Applies the whole batch or nothing. The batch has passed check_batch().
  /// \return conflict, offset_out_of_range: as StorageEngine::commit().
  Result<storage::CommitReceipt> apply(const storage::WriteBatch& batch, UnixMillis now,
                                       storage::PositionCounter& positions);

  // As the members of ReadView.
  [[nodiscard]] Result<storage::ReadResult> read(storage::LogId log, storage::Offset from,
                                                 storage::ReadLimits limits,
                                                 std::span<const std::uint64_t> tag_hashes) const;
  [[nodiscard]] Result<storage::Record> read_at(storage::Position position) const;
  [[nodiscard]] storage::LogBounds bounds(storage::LogId log) const;
  [[nodiscard]] storage::Offset offset_at(storage::LogId log, UnixMillis time) const;
  [[nodiscard]] std::optional<storage::Position> position_at(UnixMillis time) const;
  [[nodiscard]] std::optional<storage::Position> position_to_free(std::uint64_t bytes) const;
  [[nodiscard]] std::vector<storage::Position> find(const Bytes& index_key, UnixMillis first,
                                                    UnixMillis last, std::uint32_t positions_max,
                                                    std::optional<storage::Position> before) const;
  [[nodiscard]] std::optional<Bytes> get(const Bytes& key) const;
  [[nodiscard]] std::vector<storage::KeyValue> scan(const Bytes& first, const Bytes& last,
                                                    std::uint32_t entries_max) const;
  [[nodiscard]] storage::Usage usage() const;
  [[nodiscard]] storage::Sequence sequence() const { return sequence_; }

 private:
  /// A record that its first log still has.
  struct Stored {
    storage::NewRecord record;
    SmallVector<storage::Offset, 1> offsets;  ///< One per record.logs.
    UnixMillis stored_at;
  };

  struct Log {
    storage::Offset next;
    std::map<storage::Offset, storage::Position> entries;  ///< An offset that is missing is a hole.
  };

  using Keys = std::map<Bytes, Bytes>;

  [[nodiscard]] Result<> check_expectations(const storage::WriteBatch& batch) const;
  [[nodiscard]] Result<> check_truncations(const storage::WriteBatch& batch) const;

  storage::Appended append(const storage::NewRecord& record, storage::Position position,
                           UnixMillis stored_at);
  void truncate_before(storage::LogId log, storage::Offset keep_from);
  void drop_before(storage::Position position);
  void drop_log(storage::LogId log);
  void erase_range(const Bytes& first, const Bytes& last);

  /// Takes the entry out of `log`, and with it the record if `log` is the one that owns it.
  void forget(storage::LogId log, storage::Offset offset, storage::Position position);
  void forget_record(storage::Position position);

  [[nodiscard]] Keys::const_iterator end_of_range(const Bytes& first, const Bytes& last) const;
  [[nodiscard]] storage::Record record_in_log(storage::Position position,
                                              storage::Offset offset) const;

  std::map<storage::Position, Stored> records_;
  std::map<storage::LogId, Log> logs_;
  Keys keys_;
  storage::Sequence sequence_;
  UnixMillis last_stored_at_;
};

}  // namespace sluice::memory_engine
