#include "storage-plugins/append-log/reader.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "storage-plugins/append-log/bounds.hpp"
#include "storage-plugins/append-log/read_operation.hpp"

namespace sluice::append_log {

using storage::LogBounds;
using storage::LogId;
using storage::Offset;
using storage::Position;
using storage::ReadResult;
using storage::Record;

namespace {

/// Entries of a run looked at at a time.
constexpr std::uint32_t kEntryStep = 64;

}  // namespace

// --- read ----------------------------------------------------------------------------------------

Lookup<ReadResult> Reader::read(LogId log, Offset from, storage::ReadLimits limits,
                                const std::vector<std::uint64_t>& tag_hashes, ReadMode mode) {
  SLUICE_ASSERT(limits.records_max >= 1 && limits.scan_max >= 1, "a read may return something");
  for (int attempt = 1;; ++attempt) {
    const std::uint64_t epoch = current_epoch();
    const auto range = bounds(log, mode);
    SLUICE_TRY(range);
    if (!*range) return {};
    if (from < (*range)->first || from > (*range)->next) {
      return fail(Errc::offset_out_of_range, "offset " + std::to_string(from.value) +
                                                 " is outside of log " + std::to_string(log.value) +
                                                 ", which has [" +
                                                 std::to_string((*range)->first.value) + ", " +
                                                 std::to_string((*range)->next.value) + "]");
    }
    ReadOperation operation(store_, log, from, limits, tag_hashes);
    auto result = operation.run(**range, mode);
    SLUICE_TRY(result);
    if (!*result || epoch == current_epoch() || attempt == kReadAttempts) return result;
  }
}

std::uint64_t Reader::current_epoch() const {
  const std::lock_guard lock(store_.mutex);
  return store_.state.epoch();
}

Lookup<Record> Reader::read_at(Position position, ReadMode mode) {
  const auto not_found = [&] {
    return fail(Errc::not_found, "no record at position " + std::to_string(position.value));
  };
  SegmentPtr segment;
  {
    const std::lock_guard lock(store_.mutex);
    const auto& segments = store_.state.segments();
    const auto found = std::ranges::find_if(segments, [&](const SegmentPtr& it) {
      return it->summary.record_count > 0 && it->summary.last_position >= position;
    });
    if (found == segments.end()) return not_found();
    segment = *found;
  }
  const IndexAccess index(store_, segment, mode);
  const auto number = index.lower_bound(position);
  SLUICE_TRY(number);
  if (!*number) return {};
  const auto records = index.records(**number, 1);
  SLUICE_TRY(records);
  if (!*records) return {};
  if ((*records)->empty() || (*records)->front().position != position) return not_found();
  const RecordEntry& entry = (*records)->front();

  Record record{.offset = entry.owner_offset,
                .position = position,
                .stored_at = entry.stored_at,
                .tag_hash = entry.tag_hash,
                .offset_count = entry.offset_count,
                .payload = {}};
  {
    const std::lock_guard lock(store_.mutex);
    if (!store_.state.is_live(entry)) return not_found();
    const std::uint64_t at =
        std::uint64_t{entry.append_at} + entry.append_bytes - entry.payload_bytes;
    const WriteBlock* const block = store_.tail.find(segment->number, at, entry.payload_bytes);
    if (block != nullptr) {
      record.payload = block->slice(at, entry.payload_bytes);
      return std::optional(std::move(record));
    }
  }
  RecordFetch fetch(store_);
  fetch.add(segment, entry, 0);
  const auto fetched = fetch.run(mode);
  SLUICE_TRY(fetched);
  if (!*fetched) return {};
  const RecordFetch::Found& found = (*fetched)->front();
  SLUICE_TRY(found.append);
  record.payload = found.payload();
  return std::optional(std::move(record));
}

// --- bounds --------------------------------------------------------------------------------------

Lookup<LogBounds> Reader::bounds(LogId log, ReadMode mode) {
  {
    const std::lock_guard lock(store_.mutex);
    const LogState* const found = store_.state.logs().find(log);
    if (found == nullptr) return std::optional(LogBounds{});
    if (store_.state.is_first_exact(*found)) {
      return std::optional(LogBounds{.first = found->first, .next = found->next});
    }
  }
  for (int attempt = 1;; ++attempt) {
    const std::uint64_t epoch = current_epoch();
    auto bounds = look_up_bounds(log, epoch, mode);
    SLUICE_TRY(bounds);
    if (!*bounds || epoch == current_epoch() || attempt == kReadAttempts) return bounds;
  }
}

/// Walks the runs of a log to its first live entry, and remembers it.
Lookup<LogBounds> Reader::look_up_bounds(LogId log, std::uint64_t epoch, ReadMode mode) {
  LogState copy;
  std::vector<SegmentPtr> segments;
  Position drop_floor;
  {
    const std::lock_guard lock(store_.mutex);
    const LogState* const found = store_.state.logs().find(log);
    if (found == nullptr) return std::optional(LogBounds{});
    copy = *found;
    drop_floor = store_.state.drop_floor();
    for (const SegmentRun& run : copy.runs) {
      segments.push_back(store_.state.segment(run.segment));
    }
  }
  std::optional<FirstLive> first;
  for (std::size_t i = 0; i < segments.size() && !first; ++i) {
    const bool is_below = i + 1 < segments.size() && copy.runs[i + 1].first <= copy.first;
    if (!segments[i] || is_below) continue;
    const auto found = first_live_in(segments[i], copy, drop_floor, mode);
    SLUICE_TRY(found);
    if (!*found) return {};
    first = **found;
  }

  const std::lock_guard lock(store_.mutex);
  LogState* const found = store_.state.logs().find(log);
  if (found == nullptr) return std::optional(LogBounds{});
  const bool is_same = found->live_from == copy.live_from && store_.state.epoch() == epoch;
  if (!is_same) return std::optional(LogBounds{.first = found->first, .next = found->next});
  if (!first) {
    // Nothing of it lives; unless records came meanwhile, which the next lookup finds.
    first = FirstLive{.first = copy.next, .bound = copy.last_position + 1};
  }
  found->first = first->first;
  found->first_bound = first->bound;
  found->first_epoch = epoch;
  return std::optional(LogBounds{.first = found->first, .next = found->next});
}

/// The inner optional: nullopt if nothing in the segment lives.
Lookup<std::optional<Reader::FirstLive>> Reader::first_live_in(const SegmentPtr& segment,
                                                               const LogState& log,
                                                               Position drop_floor, ReadMode mode) {
  using Answer = std::optional<FirstLive>;
  const IndexAccess index(store_, segment, mode);
  SegmentSummary summary;
  {
    const std::lock_guard lock(store_.mutex);
    summary = segment->summary;
  }
  if (summary.last_position < drop_floor) return std::optional(Answer{});
  const auto run = index.run_of(log.id);
  SLUICE_TRY(run);
  if (!*run) return {};
  const Offset from = std::max(log.first, (*run)->first);
  const bool all_live = !log.has_foreign && summary.first_position >= drop_floor;
  const bool is_empty = from - (*run)->first >= std::int64_t{(*run)->count};
  if (is_empty) return std::optional(Answer{});
  if (all_live) {
    return std::optional(Answer{FirstLive{.first = from, .bound = summary.first_position}});
  }
  auto entry = static_cast<std::uint32_t>(from - (*run)->first);
  while (entry < (*run)->count) {
    const auto records = index.run_records(**run, entry, kEntryStep);
    SLUICE_TRY(records);
    if (!*records) return {};
    if ((*records)->empty()) break;
    const std::lock_guard lock(store_.mutex);
    for (const RecordEntry& record : **records) {
      const Offset offset = (*run)->first + std::int64_t{entry};
      if (store_.state.is_visible(log, offset, record)) {
        return std::optional(Answer{FirstLive{.first = offset, .bound = record.position}});
      }
      ++entry;
    }
  }
  return std::optional(Answer{});
}

// --- times ---------------------------------------------------------------------------------------

Lookup<Offset> Reader::offset_at(LogId log, UnixMillis time, ReadMode mode) {
  for (int attempt = 1;; ++attempt) {
    const std::uint64_t epoch = current_epoch();
    const auto range = bounds(log, mode);
    SLUICE_TRY(range);
    if (!*range) return {};
    auto found = look_up_offset(log, **range, time, mode);
    SLUICE_TRY(found);
    if (!*found || epoch == current_epoch() || attempt == kReadAttempts) return found;
  }
}

Lookup<Offset> Reader::look_up_offset(LogId log, LogBounds range, UnixMillis time, ReadMode mode) {
  struct Part {
    SegmentPtr segment;
    SegmentSummary summary;
  };
  std::vector<Part> parts;
  LogState copy;
  {
    const std::lock_guard lock(store_.mutex);
    const LogState* const found = store_.state.logs().find(log);
    if (found == nullptr) return std::optional(range.next);
    copy = *found;
    for (const SegmentRun& run : copy.runs) {
      if (auto segment = store_.state.segment(run.segment)) {
        parts.push_back({.segment = segment, .summary = segment->summary});
      }
    }
  }
  for (const Part& part : parts) {
    if (part.summary.last_stored_at < time) continue;
    const IndexAccess index(store_, part.segment, mode);
    const auto run = index.run_of(log);
    SLUICE_TRY(run);
    if (!*run) return {};
    const auto begin = std::max<std::int64_t>(range.first - (*run)->first, 0);
    if (begin >= std::int64_t{(*run)->count}) continue;
    auto entry = look_up_time(index, **run, static_cast<std::uint32_t>(begin), time);
    SLUICE_TRY(entry);
    if (!*entry) return {};
    for (std::uint32_t at = **entry; at < (*run)->count; ++at) {
      const auto records = index.run_records(**run, at, 1);
      SLUICE_TRY(records);
      if (!*records) return {};
      if ((*records)->empty()) break;
      const Offset offset = (*run)->first + std::int64_t{at};
      const std::lock_guard lock(store_.mutex);
      if (store_.state.is_visible(copy, offset, (*records)->front())) {
        return std::optional(std::min(offset, range.next));
      }
    }
  }
  return std::optional(range.next);
}

/// The first entry of a run, from `begin` on, stored at or after `time`.
Lookup<std::uint32_t> Reader::look_up_time(const IndexAccess& index, const RunView& run,
                                           std::uint32_t begin, UnixMillis time) {
  std::uint32_t low = begin;
  std::uint32_t high = run.count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const auto records = index.run_records(run, middle, 1);
    SLUICE_TRY(records);
    if (!*records) return {};
    const bool is_before = !(*records)->empty() && (*records)->front().stored_at < time;
    if (is_before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::optional(low);
}

Lookup<std::optional<Position>> Reader::position_at(UnixMillis time, ReadMode mode) {
  using Answer = std::optional<Position>;
  for (const SegmentPtr& segment : segments()) {
    SegmentSummary summary;
    Position drop_floor;
    {
      const std::lock_guard lock(store_.mutex);
      summary = segment->summary;
      drop_floor = store_.state.drop_floor();
    }
    const bool has_any = summary.record_count > 0 && summary.last_stored_at >= time &&
                         summary.last_position >= drop_floor;
    if (!has_any) continue;
    const IndexAccess index(store_, segment, mode);
    const auto by_time = index.lower_bound(time);
    SLUICE_TRY(by_time);
    if (!*by_time) return {};
    const auto by_floor = index.lower_bound(drop_floor);
    SLUICE_TRY(by_floor);
    if (!*by_floor) return {};
    const auto found = first_live_record(index, std::max(**by_time, **by_floor));
    SLUICE_TRY(found);
    if (!*found) return {};
    if (**found) return std::optional(Answer{(**found)->position});
  }
  return std::optional(Answer{});
}

/// The first live record of a segment, from number `from` on.
Lookup<std::optional<RecordEntry>> Reader::first_live_record(const IndexAccess& index,
                                                             std::uint32_t from) {
  using Answer = std::optional<RecordEntry>;
  while (true) {
    const auto records = index.records(from, kEntryStep);
    SLUICE_TRY(records);
    if (!*records) return {};
    if ((*records)->empty()) return std::optional(Answer{});
    const std::lock_guard lock(store_.mutex);
    for (const RecordEntry& record : **records) {
      if (store_.state.is_live(record)) return std::optional(Answer{record});
    }
    from += static_cast<std::uint32_t>((*records)->size());
  }
}

std::vector<SegmentPtr> Reader::segments() const {
  const std::lock_guard lock(store_.mutex);
  return store_.state.segments();
}

}  // namespace sluice::append_log
