#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/runtime/runtime.hpp"
#include "common/runtime/task.hpp"
#include "storage-plugins/spi/write_batch.hpp"

/// \file
/// The Storage SPI: all that the broker asks of a disk or a database. It knows bytes, logs and
/// keys; it knows nothing of topics, groups or protocols.
///
/// An engine holds two things that one call, commit(), changes together:
///   - logs, each a gap-free sequence of records;
///   - one map from bytes to bytes, ordered by unsigned comparison.
///
/// Order. commit() is linearizable: its changes appear all at one instant while it runs. So a read
/// started after it completed includes them, and one finished before it was called has none. In
/// between, either. No read sees half a batch, or a record without all records below it.
///
/// Threads. Any member may be called from any loop of the runtime at any time, except close(). The
/// coroutine resumes on the executor it was awaited from; blocking work runs on other threads.
///
/// Errors that every member may return, beside those listed with it:
///   - io_error: the device or server failed. Once a sync has failed, every later commit() returns
///     io_error until the engine is opened anew: after a failed sync the operating system may serve
///     from memory what the disk never got.
///   - corrupt_record: a checksum did not match. The engine never returns bytes that fail theirs.
///
/// There are no optional members. An engine either passes spi/conformance or is not one. Members
/// marked "reserved" answer `unsupported` in every engine until they are built in every engine.

namespace sluice::storage {

enum class Durability : std::uint8_t {
  buffered,  ///< Survives a crash of the process. Maps to RocketMQ's ASYNC_FLUSH.
  synced,    ///< Survives loss of power. Maps to SYNC_FLUSH.
};

struct Appended {
  SmallVector<Offset, 1> offsets;  ///< One per NewRecord::logs, in that order.
  Position position;
  UnixMillis stored_at;  ///< Taken by the engine: never less than that of any earlier commit.
};

struct CommitReceipt {
  std::vector<Appended> appended;  ///< One per append() in the batch, in that order.
  Sequence sequence;
};

struct Record {
  Offset offset;
  Position position;
  UnixMillis stored_at;
  std::uint64_t tag_hash = 0;
  std::uint32_t offset_count = 1;
  Slice payload;  ///< A view with an owner: its memory stays while any copy of it lives.
};

struct ReadLimits {
  std::uint32_t records_max = 32;        ///< Must be at least 1.
  std::uint32_t bytes_max = 256 * 1024;  ///< Payload bytes. The first record comes even if larger.
  std::uint32_t scan_max = 16'000;       ///< Records looked at, so that a rare tag cannot hold a
                                         ///< thread. Must be at least 1.
};

struct ReadResult {
  std::vector<Record> records;
  Offset next;  ///< Where to read on. Past skipped records and holes too, so a filter that matches
                ///< nothing still makes progress.
};

struct LogBounds {
  Offset first;  ///< Oldest record kept. Equal to `next` in an empty log.
  Offset next;   ///< The offset the next append will get.

  friend bool operator==(const LogBounds&, const LogBounds&) = default;
};

struct KeyValue {
  Bytes key;
  Bytes value;

  friend bool operator==(const KeyValue&, const KeyValue&) = default;
};

struct Usage {
  std::uint64_t record_count = 0;   ///< Records that can be read, each counted once.
  std::uint64_t payload_bytes = 0;  ///< Their payloads.
  std::uint64_t disk_bytes = 0;     ///< What the engine holds on disk; 0 in memory.
  std::optional<Position> oldest;   ///< Of the oldest readable record.
  std::optional<Position> newest;  ///< No readable record is above it, every later one is. There if
                                   ///< `oldest` is.
};

/// A consistent view. The engine itself is the view that moves; snapshot() gives one that does not.
class ReadView {
 public:
  virtual ~ReadView() = default;

  /// Reads records of `log` from `from` on, in offset order.
  ///
  /// With bounds {first 100, next 104}: read(104) gives no records and next 104; read(99) and
  /// read(105) fail.
  ///
  /// \param tag_hashes  If not empty, records with another tag_hash are skipped.
  /// \return offset_out_of_range if `from` is outside [first, next].
  virtual Task<ReadResult> read(LogId log, Offset from, ReadLimits limits,
                                std::vector<std::uint64_t> tag_hashes) = 0;

  /// \return not_found if the record was truncated or never existed.
  virtual Task<Record> read_at(Position position) = 0;

  /// A log that was never appended to has bounds {0, 0}.
  virtual Task<LogBounds> bounds(LogId log) = 0;

  /// The first kept offset whose record was stored at or after `time`; `next` if there is none.
  virtual Task<Offset> offset_at(LogId log, UnixMillis time) = 0;

  /// The position of the first readable record (over all logs) stored at or after `time`; nullopt
  /// if there is none. Retention by age is drop_before(position_at(limit)); where that is nullopt,
  /// drop_before() what follows Usage::newest, asked for before: what came since is not too old.
  virtual Task<std::optional<Position>> position_at(UnixMillis time) = 0;

  /// Retention by size: the position to drop_before() so that at least `bytes` of Usage::disk_bytes
  /// (of Usage::payload_bytes in an engine without a disk) can be given back, keeping as much as
  /// that allows; nullopt if dropping everything would not give back as much, or anything at all.
  /// An engine that stores records in segments answers the first position of a segment.
  virtual Task<std::optional<Position>> position_to_free(std::uint64_t bytes) = 0;

  /// Positions of readable records that carry `index_key` and were stored in [first, last), newest
  /// first, at most `positions_max` (1 or more) of them. Exact: an engine whose index hashes keys
  /// compares the key.
  /// \param before  If given, only positions below it.
  virtual Task<std::vector<Position>> find(Bytes index_key, UnixMillis first, UnixMillis last,
                                           std::uint32_t positions_max,
                                           std::optional<Position> before) = 0;

  /// The last commit that this view includes; 0 before the first.
  virtual Sequence sequence() const = 0;

  virtual Task<std::optional<Bytes>> get(Bytes key) = 0;

  /// Entries with keys in [first, last), in key order, at most `entries_max` of them. An empty
  /// `last` means: to the end.
  virtual Task<std::vector<KeyValue>> scan(Bytes first, Bytes last, std::uint32_t entries_max) = 0;

  /// What is stored, over all logs.
  virtual Task<Usage> usage() = 0;
};

class StorageEngine : public ReadView {
 public:
  /// The only way in. Completes when the batch is as durable as asked.
  ///
  /// \return conflict if an expect() did not hold: nothing was changed, try again.
  /// \return invalid_argument if a record, key or batch is over its limit (limits.hpp), a record
  ///         names no log, log 0, or one log twice, or expectations aside the batch is empty.
  /// \return offset_out_of_range for a truncate_before() above the log's `next`.
  /// \return quota_exceeded if more than limits::kPendingCommitBytesMax would wait to be written:
  ///         nothing was changed, try again when less does.
  /// \return storage_full if there is no space: nothing was changed; later commits are tried anew.
  virtual Task<CommitReceipt> commit(WriteBatch batch, Durability durability) = 0;

  /// Replication repair: undoes every commit after `last_kept`, records and keys alike. Reserved.
  /// \return offset_out_of_range if the engine no longer knows how.
  virtual Task<> rewind(Sequence last_kept) = 0;

  /// A view of this instant. It pins disk space: drop it soon. Reserved.
  virtual Task<std::unique_ptr<ReadView>> snapshot() = 0;

  /// Writes a copy that open() accepts. `directory` must not exist; on failure it does not.
  /// Reserved.
  virtual Task<> checkpoint(std::filesystem::path directory) = 0;

  /// Makes everything durable and lets go of the store. Call once, with no other call outstanding.
  /// Later calls are bugs.
  virtual Task<> close() = 0;
};

/// Hands out positions, one broker's engines sharing one. Any thread.
class PositionCounter {
 public:
  /// \param broker_number  0 to 32,767: the bits above the low 48, so that ids of different brokers
  ///        differ and the sign bit is 0.
  explicit PositionCounter(std::uint16_t broker_number) noexcept
      : next_((std::uint64_t{broker_number} & 0x7FFF) << 48U | 1U) {}

  /// Takes `count` positions. \return the first of them.
  [[nodiscard]] Position take(std::uint64_t count) noexcept {
    return Position{next_.fetch_add(count, std::memory_order_relaxed)};
  }

  /// What an engine found on its disk: no id comes twice.
  void raise_above(Position seen) noexcept {
    std::uint64_t next = next_.load(std::memory_order_relaxed);
    while (next <= seen.value &&
           !next_.compare_exchange_weak(next, seen.value + 1, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<std::uint64_t> next_;
};

struct EngineOptions {
  std::filesystem::path data_directory;
  std::map<std::string, std::string, std::less<>>
      settings;                          ///< The plugin's block of the
                                         ///< configuration, keys without prefix.
  Runtime* runtime = nullptr;            ///< Loops, worker threads, clock. Outlives the engine.
  PositionCounter* positions = nullptr;  ///< One per broker, shared by its engines. Outlives them.
  Disk* disk = nullptr;                  ///< Tests hand in a disk that fails. Outlives the engine.
};

/// What a storage plugin gives to apps/wiring.
class StoragePlugin {
 public:
  virtual ~StoragePlugin() = default;

  /// The value of `storage.engine` in the configuration that selects this plugin.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Opens or creates. Recovers first, so that the engine returned has no torn batch in it.
  /// \return invalid_argument, naming the setting, if a setting is unknown or out of range.
  /// \return corrupt_record, saying what to do, if something acknowledged is damaged.
  virtual Task<std::unique_ptr<StorageEngine>> open(EngineOptions options) = 0;
};

}  // namespace sluice::storage
