#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/slice.hpp"
#include "common/base/types.hpp"

namespace sluice::storage {

/// Names one append-only log. The broker hands them out (one per topic queue, one per light queue);
/// 0 is never used.
using LogId = Strong<std::uint64_t, struct LogIdTag>;

/// Index in a log: 0, 1, 2, … given out without gaps.
using Offset = Strong<std::int64_t, struct OffsetTag>;

/// Names one record for ever. Handed out by the broker's one counter (EngineOptions::positions),
/// larger for later records, kept by copies, replicas and switches of engine. It is the 8 bytes in
/// a RocketMQ offset message id: broker number in the high bits, sign bit 0.
using Position = Strong<std::uint64_t, struct PositionTag>;

/// Counts commits of one engine: 1, 2, 3, … Commits that survive a crash are a prefix of this
/// sequence.
using Sequence = Strong<std::uint64_t, struct SequenceTag>;

/// Where a copied record must stand. Offsets not used before it become holes. Reserved: engines
/// answer `unsupported` until copies and replicas exist.
struct Place {
  SmallVector<Offset, 1> offsets;  ///< One per NewRecord::logs.
  Position position;
  UnixMillis stored_at;
};

struct NewRecord {
  SmallVector<LogId, 1> logs;  ///< logs[0] owns the payload: when it forgets the record, the others
                               ///< have a hole. At most limits::kLogsPerRecordMax, all different.
  std::uint32_t offset_count = 1;    ///< More than 1: a stored batch that takes that many offsets.
                                     ///< Reserved: engines answer `unsupported` until it is built.
  std::uint64_t tag_hash = 0;        ///< Lets read() skip a record without touching its payload.
  SmallVector<Bytes, 2> index_keys;  ///< Looked up by find(). At most limits::kKeyBytesMax each.
  Slice payload;  ///< At most limits::kRecordBytesMax. Shared, not copied, until the engine writes
                  ///< it.
  std::optional<Place> place;  ///< Only for copies and replicas; otherwise the engine assigns.
};

/// Changes that happen together or not at all, applied in the order added; expectations are checked
/// before any of them. Reusable: clear() keeps its memory.
class WriteBatch {
 public:
  struct Append {
    Append() = default;
    explicit Append(NewRecord&& record_in) noexcept : record(std::move(record_in)) {}

    NewRecord record;
  };
  struct Put {
    Bytes key;
    Bytes value;
  };
  struct Erase {
    Bytes key;
  };
  struct EraseRange {
    Bytes first;
    Bytes last;  ///< Not erased. Empty: to the end.
  };
  struct Expect {
    Bytes key;
    std::optional<Bytes> value;
  };
  struct TruncateBefore {
    LogId log;
    Offset keep_from;
  };
  struct DropBefore {
    Position position;
  };
  struct Forget {
    LogId log;
    std::vector<Offset> offsets;
  };
  struct DropLog {
    LogId log;
  };
  using Operation = std::variant<Append, Put, Erase, EraseRange, Expect, TruncateBefore, DropBefore,
                                 Forget, DropLog>;

  void append(NewRecord record) {
    operations_.emplace_back(std::in_place_type<Append>, std::move(record));
  }
  /// An empty record, to be filled in where it stands until the next change.
  [[nodiscard]] NewRecord& append() {
    return std::get<Append>(operations_.emplace_back(std::in_place_type<Append>)).record;
  }
  void put(Bytes key, Bytes value) {
    operations_.emplace_back(Put{std::move(key), std::move(value)});
  }
  void erase(Bytes key) { operations_.emplace_back(Erase{std::move(key)}); }

  /// Keys in [first, last); an empty `last` means: to the end.
  void erase_range(Bytes first, Bytes last) {
    operations_.emplace_back(EraseRange{std::move(first), std::move(last)});
  }

  /// The whole batch fails with Errc::conflict unless `key` holds `value` (nullopt: is absent) at
  /// commit time, before the batch's own changes.
  void expect(Bytes key, std::optional<Bytes> value) {
    operations_.emplace_back(Expect{std::move(key), std::move(value)});
  }

  /// Retention. Forgets records below `keep_from`. With bounds {100, 104}: 102 gives {102, 104};
  /// 104 gives {104, 104}; 99 changes nothing; 105 fails the batch with offset_out_of_range.
  void truncate_before(LogId log, Offset keep_from) {
    operations_.emplace_back(TruncateBefore{log, keep_from});
  }

  /// Retention by size or age over all logs of the engine: forgets every record whose position is
  /// below `position`. A log whose records are all forgotten keeps its `next`.
  void drop_before(Position position) { operations_.emplace_back(DropBefore{position}); }

  /// Compaction. Forgets these records; other offsets do not change, read() passes over the holes.
  /// Reserved: engines answer `unsupported` until compaction is built.
  void forget(LogId log, std::span<const Offset> offsets) {
    operations_.emplace_back(Forget{log, {offsets.begin(), offsets.end()}});
  }

  /// The log becomes {0, 0} again, as if it had never been appended to.
  void drop_log(LogId log) { operations_.emplace_back(DropLog{log}); }

  [[nodiscard]] std::span<const Operation> operations() const noexcept { return operations_; }
  [[nodiscard]] bool empty() const noexcept { return operations_.empty(); }
  void reserve(std::size_t operations) { operations_.reserve(operations); }
  void clear() noexcept { operations_.clear(); }

 private:
  std::vector<Operation> operations_;  // not small: a batch is moved more often than it is made
};

}  // namespace sluice::storage
