#include "storage-plugins/append-log/state.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"

namespace sluice::append_log {

using storage::LogId;
using storage::Offset;
using storage::Position;

namespace {

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

}  // namespace

// --- changes -------------------------------------------------------------------------------------

void State::apply(BytesView frame, const FrameHeader& header, std::uint64_t frame_at) {
  const Match apply_one{
      [&](const AppendView& op) { append(op, frame_at); },
      [&](const PutView& op) { keys_.put(op.key, op.value); },
      [&](const EraseView& op) { keys_.erase(op.key); },
      [&](const EraseRangeView& op) { keys_.erase_range(op.first, op.last); },
      [&](const TruncateBeforeView& op) { truncate_before(op); },
      [&](const DropBeforeView& op) { drop_before(op.position); },
      [&](const DropLogView& op) { drop_log(op.log); },
  };
  visit_operations(frame, header, [&](const OperationView& op) { std::visit(apply_one, op); });
  SegmentSummary& summary = segments_.back()->summary;
  summary.last_sequence = header.sequence;
  summary.last_crc = header.crc;
  summary.end = frame_at + header.frame_bytes;
  sequence_ = header.sequence;
  last_stored_at_ = header.stored_at;
}

void State::append(const AppendView& append, std::uint64_t frame_at) {
  Segment& segment = *segments_.back();
  const std::uint32_t record = segment.index->add(append, frame_at);
  for (std::size_t i = 0; i < append.log_count; ++i) append_entry(append.log(i), record, segment);

  SegmentSummary& summary = segment.summary;
  if (summary.record_count == 0) {
    summary.first_position = append.position;
    summary.first_stored_at = append.stored_at;
  }
  summary.last_position = append.position;
  summary.last_stored_at = append.stored_at;
  summary.payload_bytes += append.payload.size();
  ++summary.record_count;
  last_position_ = std::max(last_position_, append.position);
}

void State::append_entry(LogEntry entry, std::uint32_t record, Segment& segment) {
  const RecordEntry& of_record = segment.index->records()[record];
  LogState* log = logs_.find(entry.log);
  if (log == nullptr) {
    log = &logs_.create(entry.log);
    log->live_from = of_record.position;
  }
  if (log->first == log->next) {
    // A replay may append again what the checkpoint knows as truncated.
    log->first = std::max(entry.offset, log->floor);
    log->first_bound = of_record.position;
    log->first_epoch = epoch_;
  }
  log->next = entry.offset + 1;
  log->last_position = of_record.position;
  if (of_record.owner != entry.log) log->has_foreign = true;
  if (segment.index->add_entry(entry, record)) {
    log->runs.push_back({.segment = segment.number, .first = entry.offset});
  }
}

void State::truncate_before(const TruncateBeforeView& truncate) {
  LogState* const log = logs_.find(truncate.log);
  if (log == nullptr || truncate.keep_from <= log->floor) return;
  log->floor = truncate.keep_from;
  log->first = std::max(log->first, std::min(log->floor, log->next));
  ++epoch_;
}

void State::drop_before(Position position) {
  if (position <= drop_floor_) return;
  drop_floor_ = position;
  ++epoch_;
}

void State::drop_log(LogId log) {
  if (logs_.find(log) == nullptr) return;
  logs_.erase(log);
  segments_.back()->index->remove_run(log);
  ++epoch_;
}

void State::begin_segment(SegmentPtr segment) {
  SLUICE_ASSERT(segments_.empty() || segments_.back()->number < segment->number,
                "segments are numbered in order");
  segments_.push_back(std::move(segment));
}

void State::add_sealed_segment(SegmentPtr segment) {
  begin_segment(std::move(segment));
}

void State::attach_run(std::uint64_t segment, const RunView& run) {
  LogState* const log = logs_.find(run.log);
  if (log == nullptr || run.first_position < log->live_from) return;
  log->runs.push_back({.segment = segment, .first = run.first});
  log->has_foreign = log->has_foreign || run.has_foreign;
}

void State::settle_firsts() noexcept {
  for (std::size_t i = 0; i < logs_.slot_count(); ++i) {
    LogState* const log = logs_.slot(i);
    if (log == nullptr) continue;
    log->first = std::max(log->first, log->runs.empty() ? log->next : log->runs.front().first);
  }
}

void State::remove_segment(std::uint64_t number) {
  std::erase_if(segments_, [&](const SegmentPtr& it) { return it->number == number; });
}

void State::detach_run(std::uint64_t segment, LogId log) {
  LogState* const found = logs_.find(log);
  if (found == nullptr) return;
  auto& runs = found->runs;
  const auto run =
      std::ranges::find_if(runs, [&](const SegmentRun& it) { return it.segment == segment; });
  if (run != runs.end()) runs.erase(run);
}

// --- questions -----------------------------------------------------------------------------------

SegmentPtr State::segment(std::uint64_t number) const noexcept {
  const auto found = std::ranges::lower_bound(segments_, number, {},
                                              [](const SegmentPtr& it) { return it->number; });
  if (found == segments_.end() || (*found)->number != number) return nullptr;
  return *found;
}

bool State::is_live(const RecordEntry& record) const noexcept {
  if (record.position < drop_floor_) return false;
  const LogState* const owner = logs_.find(record.owner);
  return owner != nullptr && record.position >= owner->live_from &&
         record.owner_offset >= owner->floor;
}

bool State::is_visible(const LogState& log, Offset offset,
                       const RecordEntry& record) const noexcept {
  if (record.position < drop_floor_ || record.position < log.live_from || offset < log.floor) {
    return false;
  }
  return record.owner == log.id || is_live(record);
}

bool State::is_first_exact(const LogState& log) const noexcept {
  if (log.first == log.next) return true;
  if (log.has_foreign && log.first_epoch != epoch_) return false;
  return log.first_bound >= drop_floor_;
}

void State::restore(storage::Sequence sequence, Position last_position, UnixMillis last_stored_at,
                    Position drop_floor) noexcept {
  sequence_ = sequence;
  last_position_ = last_position;
  last_stored_at_ = last_stored_at;
  drop_floor_ = drop_floor;
}

}  // namespace sluice::append_log
