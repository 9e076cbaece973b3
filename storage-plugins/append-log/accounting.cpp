#include "storage-plugins/append-log/accounting.hpp"

#include <algorithm>
#include <utility>

#include "storage-plugins/append-log/bounds.hpp"

namespace sluice::append_log {

using storage::Position;
using storage::Usage;

namespace {

std::uint64_t disk_bytes_of(const Segment& segment) {
  return segment.file_bytes + (segment.index_header ? segment.index_header->file_bytes() : 0);
}

enum class RunLife : std::uint8_t { dead, partly, whole };

/// How much of the records that a log owns in a segment lives. Under the mutex.
RunLife life_of(const RunView& run, const SegmentSummary& summary, const State& state) {
  const LogState* const log = state.logs().find(run.log);
  if (log == nullptr || run.first_position < log->live_from || run.owned_count == 0) {
    return RunLife::dead;
  }
  if (summary.last_position < state.drop_floor()) return RunLife::dead;
  if (log->floor >= run.first + std::int64_t{run.count}) return RunLife::dead;
  const bool is_whole = log->floor <= run.first && run.first_position >= state.drop_floor();
  return is_whole ? RunLife::whole : RunLife::partly;
}

}  // namespace

Lookup<LiveCount> Accounting::count(const SegmentPtr& segment, ReadMode mode) {
  LiveCount begun;
  {
    const std::lock_guard lock(store_.mutex);
    begun.epoch = store_.state.epoch();
    begun.records_seen = segment->summary.record_count;
    const auto& known = segment->live;
    const bool is_fresh =
        known && known->epoch == begun.epoch && known->records_seen == begun.records_seen;
    if (is_fresh) return std::optional(*known);
    const bool is_quick = segment->index && segment->index->run_count() <= kScanStep;
    if (!is_quick && mode == ReadMode::cached) return {};
  }
  const IndexAccess index(store_, segment, mode);
  auto counted = count_runs(index, begun);
  SLUICE_TRY(counted);
  const std::lock_guard lock(store_.mutex);
  const bool is_fresh =
      store_.state.epoch() == begun.epoch && segment->summary.record_count == begun.records_seen;
  if (is_fresh) segment->live = *counted;
  return std::optional(*counted);
}

Result<LiveCount> Accounting::count_runs(const IndexAccess& index, LiveCount count) {
  const auto runs = index.runs();
  SLUICE_TRY(runs);
  for (const RunView& run : *runs) {
    RunLife life;
    {
      const std::lock_guard lock(store_.mutex);
      life = life_of(run, index.segment().summary, store_.state);
    }
    if (life == RunLife::dead) continue;
    if (life == RunLife::partly) {
      SLUICE_TRY(count_entries(index, run, count));
      continue;
    }
    count.record_count += run.owned_count;
    count.payload_bytes += run.owned_bytes;
  }
  return count;
}

Result<> Accounting::count_entries(const IndexAccess& index, const RunView& run, LiveCount& count) {
  for (std::uint32_t first = 0; first < run.count;) {
    const auto records = index.run_records(run, first, kScanStep);
    SLUICE_TRY(records);
    if ((*records)->empty()) break;
    const std::lock_guard lock(store_.mutex);
    for (const RecordEntry& record : **records) {
      if (record.owner != run.log || !store_.state.is_live(record)) continue;
      ++count.record_count;
      count.payload_bytes += record.payload_bytes;
    }
    first += static_cast<std::uint32_t>((*records)->size());
  }
  return {};
}

Result<bool> Accounting::has_live(const SegmentPtr& segment) {
  {
    const std::lock_guard lock(store_.mutex);
    const SegmentSummary& summary = segment->summary;
    if (summary.record_count == 0) return false;
    if (summary.last_position < store_.state.drop_floor()) return false;
  }
  const IndexAccess index(store_, segment, ReadMode::blocking);
  const auto runs = index.runs();
  SLUICE_TRY(runs);
  for (const RunView& run : *runs) {
    RunLife life;
    {
      const std::lock_guard lock(store_.mutex);
      life = life_of(run, segment->summary, store_.state);
    }
    if (life == RunLife::dead) continue;
    if (life == RunLife::whole) return true;
    LiveCount count;
    SLUICE_TRY(count_entries(index, run, count));
    if (count.record_count > 0) return true;
  }
  return false;
}

Lookup<Usage> Accounting::usage(ReadMode mode) {
  std::vector<SegmentPtr> segments;
  Usage usage;
  Position newest;
  {
    const std::lock_guard lock(store_.mutex);
    segments = store_.state.segments();
    newest = store_.state.last_position();
    for (const SegmentPtr& it : segments) usage.disk_bytes += disk_bytes_of(*it);
  }
  usage.disk_bytes += store_.checkpoint_bytes;
  for (const SegmentPtr& segment : segments) {
    const auto live = count(segment, mode);
    SLUICE_TRY(live);
    if (!*live) return {};
    usage.record_count += (*live)->record_count;
    usage.payload_bytes += (*live)->payload_bytes;
    if (usage.oldest || (*live)->record_count == 0) continue;
    const auto position = oldest(segment, mode);
    SLUICE_TRY(position);
    if (!*position) return {};
    usage.oldest = **position;
  }
  // One that came while this counted may be the oldest.
  if (usage.oldest) usage.newest = std::max(newest, *usage.oldest);
  return std::optional(usage);
}

/// The first live record of a segment.
Lookup<std::optional<Position>> Accounting::oldest(const SegmentPtr& segment, ReadMode mode) {
  using Answer = std::optional<Position>;
  Position drop_floor;
  {
    const std::lock_guard lock(store_.mutex);
    drop_floor = store_.state.drop_floor();
  }
  const IndexAccess index(store_, segment, mode);
  const auto first = index.lower_bound(drop_floor);
  SLUICE_TRY(first);
  if (!*first) return {};
  for (std::uint32_t at = **first;;) {
    const auto records = index.records(at, kScanStep);
    SLUICE_TRY(records);
    if (!*records) return {};
    if ((*records)->empty()) return std::optional(Answer{});
    const std::lock_guard lock(store_.mutex);
    for (const RecordEntry& record : **records) {
      if (store_.state.is_live(record)) return std::optional(Answer{record.position});
    }
    at += static_cast<std::uint32_t>((*records)->size());
  }
}

std::optional<Position> Accounting::position_to_free(std::uint64_t bytes) const {
  const std::lock_guard lock(store_.mutex);
  const auto& segments = store_.state.segments();
  std::uint64_t freed = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const SegmentSummary& summary = segments[i]->summary;
    const bool is_enough = freed > 0 && freed >= bytes;
    if (is_enough && summary.record_count > 0) return summary.first_position;
    // The last one is being written and stays.
    if (i + 1 == segments.size()) break;
    freed += disk_bytes_of(*segments[i]);
  }
  if (freed == 0 || freed < bytes) return std::nullopt;
  return store_.state.last_position() + 1;
}

}  // namespace sluice::append_log
