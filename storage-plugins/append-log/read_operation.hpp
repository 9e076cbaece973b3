#pragma once

#include <optional>
#include <vector>

#include "storage-plugins/append-log/index_access.hpp"
#include "storage-plugins/append-log/record_fetch.hpp"

namespace sluice::append_log {

/// One read() of a log: walks its runs, takes payloads from the tail cache, and fetches the others.
class ReadOperation {
 public:
  ReadOperation(Store& store, storage::LogId log, storage::Offset from, storage::ReadLimits limits,
                const std::vector<std::uint64_t>& tag_hashes)
      : store_(store),
        log_(log),
        cursor_(from),
        limits_(limits),
        tag_hashes_(tag_hashes),
        fetch_(store) {}

  /// Once. `from` lies in `bounds`, which were taken at `epoch`.
  /// \return nullopt: would block. A result is whole only if the epoch is still the same.
  [[nodiscard]] Lookup<storage::ReadResult> run(storage::LogBounds bounds, ReadMode mode);

 private:
  enum class Step : std::uint8_t { more, end, would_block };

  [[nodiscard]] Result<Step> step(ReadMode mode);
  [[nodiscard]] Step scan_memory(const LogState& log, const SegmentPtr& segment);
  [[nodiscard]] Result<Step> scan_file(const SegmentPtr& segment, ReadMode mode);
  [[nodiscard]] bool take(const RecordEntry& record, const SegmentPtr& segment);
  [[nodiscard]] bool is_wanted(const RecordEntry& record) const noexcept;
  void add(const RecordEntry& record, const SegmentPtr& segment);
  [[nodiscard]] Lookup<storage::ReadResult> fetch(ReadMode mode);

  Store& store_;
  const storage::LogId log_;
  storage::Offset cursor_;
  storage::Offset end_;  ///< Records from here on came later.
  const storage::ReadLimits limits_;
  const std::vector<std::uint64_t>& tag_hashes_;

  std::uint64_t bytes_ = 0;
  std::uint32_t scanned_ = 0;
  const WriteBlock* last_block_ = nullptr;  ///< Of the tail cache; only under the mutex.
  RecordFetch fetch_;
  storage::ReadResult result_;
};

}  // namespace sluice::append_log
