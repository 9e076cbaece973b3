#pragma once

#include <optional>
#include <vector>

#include "storage-plugins/append-log/index_access.hpp"
#include "storage-plugins/append-log/record_fetch.hpp"

namespace sluice::append_log {

/// The members of ReadView about logs and records, each to be tried on the loop (ReadMode::cached)
/// and run again on a worker if that would block. Any thread; not under the store's mutex.
class Reader {
 public:
  explicit Reader(Store& store) : store_(store) {}

  [[nodiscard]] Lookup<storage::ReadResult> read(storage::LogId log, storage::Offset from,
                                                 storage::ReadLimits limits,
                                                 const std::vector<std::uint64_t>& tag_hashes,
                                                 ReadMode mode);
  [[nodiscard]] Lookup<storage::Record> read_at(storage::Position position, ReadMode mode);
  [[nodiscard]] Lookup<storage::LogBounds> bounds(storage::LogId log, ReadMode mode);
  [[nodiscard]] Lookup<storage::Offset> offset_at(storage::LogId log, UnixMillis time,
                                                  ReadMode mode);
  [[nodiscard]] Lookup<std::optional<storage::Position>> position_at(UnixMillis time,
                                                                     ReadMode mode);

 private:
  struct FirstLive {
    storage::Offset first;
    storage::Position bound;
  };

  [[nodiscard]] Lookup<storage::LogBounds> look_up_bounds(storage::LogId log, std::uint64_t epoch,
                                                          ReadMode mode);
  [[nodiscard]] Lookup<std::optional<FirstLive>> first_live_in(const SegmentPtr& segment,
                                                               const LogState& log,
                                                               storage::Position drop_floor,
                                                               ReadMode mode);
  [[nodiscard]] Lookup<storage::Offset> look_up_offset(storage::LogId log, storage::LogBounds range,
                                                       UnixMillis time, ReadMode mode);
  [[nodiscard]] Lookup<std::uint32_t> look_up_time(const IndexAccess& index, const RunView& run,
                                                   std::uint32_t begin, UnixMillis time);
  [[nodiscard]] Lookup<std::optional<RecordEntry>> first_live_record(const IndexAccess& index,
                                                                     std::uint32_t from);
  [[nodiscard]] std::uint64_t current_epoch() const;
  [[nodiscard]] std::vector<SegmentPtr> segments() const;

  Store& store_;
};

}  // namespace sluice::append_log
