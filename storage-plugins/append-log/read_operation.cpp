#include "storage-plugins/append-log/read_operation.hpp"

#include <algorithm>
#include <utility>

#include "storage-plugins/append-log/bounds.hpp"

namespace sluice::append_log {

using storage::Offset;
using storage::ReadResult;

namespace {

/// The first run that may hold `offset`: the last one that begins at or below it.
const SegmentRun* run_at(const LogState& log, Offset offset) {
  const auto& runs = log.runs;
  auto it = std::ranges::upper_bound(runs, offset, {}, &SegmentRun::first);
  if (it == runs.begin()) return runs.empty() ? nullptr : &runs.front();
  return &*--it;
}

/// Where the run after `run` begins; `end` if it is the last.
Offset next_run_first(const LogState& log, const SegmentRun* run, Offset end) {
  const auto* const next = run + 1;
  return next == log.runs.data() + log.runs.size() ? end : std::min(end, next->first);
}

}  // namespace

Lookup<ReadResult> ReadOperation::run(storage::LogBounds bounds, ReadMode mode) {
  end_ = bounds.next;
  result_.next = end_;
  while (cursor_ < end_) {
    const auto stepped = step(mode);
    SLUICE_TRY(stepped);
    if (*stepped == Step::would_block) return {};
    if (*stepped == Step::end) break;
  }
  return fetch(mode);
}

Result<ReadOperation::Step> ReadOperation::step(ReadMode mode) {
  SegmentPtr segment;
  {
    const std::lock_guard lock(store_.mutex);
    const LogState* const log = store_.state.logs().find(log_);
    if (log == nullptr) return Step::end;
    const SegmentRun* const run = run_at(*log, cursor_);
    if (run == nullptr) return Step::end;
    cursor_ = std::max(cursor_, run->first);
    segment = store_.state.segment(run->segment);
    if (!segment) return Step::end;
    if (segment->index) return scan_memory(*log, segment);
  }
  return scan_file(segment, mode);
}

/// Under the mutex, for a bounded number of records.
ReadOperation::Step ReadOperation::scan_memory(const LogState& log, const SegmentPtr& segment) {
  const LogRun* const run = segment->index->run_of(log_);
  const SegmentRun* const here = run_at(log, cursor_);
  const Offset next_run = next_run_first(log, here, end_);
  if (run == nullptr) {
    cursor_ = next_run;
    return Step::more;
  }
  const Offset stop = std::min({run->end(), end_, cursor_ + std::int64_t{kScanStep}});
  last_block_ = nullptr;
  for (; cursor_ < stop; ++cursor_) {
    const std::uint32_t number = run->records[static_cast<std::size_t>(cursor_ - run->first)];
    const RecordEntry& record = segment->index->records()[number];
    if (!store_.state.is_visible(log, cursor_, record)) continue;
    if (!take(record, segment)) return Step::end;
  }
  if (cursor_ >= run->end()) cursor_ = std::max(cursor_, next_run);
  return Step::more;
}

Result<ReadOperation::Step> ReadOperation::scan_file(const SegmentPtr& segment, ReadMode mode) {
  const IndexAccess index(store_, segment, mode);
  const auto run = index.run_of(log_);
  SLUICE_TRY(run);
  if (!*run) return Step::would_block;
  // Behind the end of the run there is a gap: what was there is retired.
  const auto first = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(cursor_ - (*run)->first, 0, (*run)->count));
  const std::uint32_t wanted =
      limits_.records_max - static_cast<std::uint32_t>(result_.records.size());
  const bool takes_all = tag_hashes_.empty();
  const auto count_max = std::min<std::uint32_t>(takes_all ? wanted + 1 : kScanStep, kScanStep);
  const auto records = index.run_records(**run, first, count_max);
  SLUICE_TRY(records);
  if (!*records) return Step::would_block;

  const std::lock_guard lock(store_.mutex);
  const LogState* const log = store_.state.logs().find(log_);
  if (log == nullptr) return Step::end;
  last_block_ = nullptr;
  for (const RecordEntry& record : **records) {
    if (cursor_ >= end_) return Step::end;
    if (store_.state.is_visible(*log, cursor_, record) && !take(record, segment)) return Step::end;
    ++cursor_;
  }
  const bool is_run_done = first + (*records)->size() >= (*run)->count;
  const SegmentRun* const here = run_at(*log, cursor_);
  const bool is_still_here = here != nullptr && here->segment == segment->number;
  if (is_run_done && is_still_here) cursor_ = next_run_first(*log, here, end_);
  return Step::more;
}

/// \return false if the read ends before this record.
bool ReadOperation::take(const RecordEntry& record, const SegmentPtr& segment) {
  const bool wanted = is_wanted(record);
  const bool is_full =
      result_.records.size() == limits_.records_max ||
      (!result_.records.empty() && wanted && bytes_ + record.payload_bytes > limits_.bytes_max);
  if (is_full || scanned_ == limits_.scan_max) {
    result_.next = cursor_;
    return false;
  }
  ++scanned_;
  if (wanted) add(record, segment);
  return true;
}

bool ReadOperation::is_wanted(const RecordEntry& record) const noexcept {
  return tag_hashes_.empty() ||
         std::ranges::find(tag_hashes_, record.tag_hash) != tag_hashes_.end();
}

void ReadOperation::add(const RecordEntry& record, const SegmentPtr& segment) {
  bytes_ += record.payload_bytes;
  if (result_.records.empty()) {
    result_.records.reserve(std::min<std::size_t>(limits_.records_max, 64));
  }
  storage::Record& read = result_.records.emplace_back();
  read.offset = cursor_;
  read.position = record.position;
  read.stored_at = record.stored_at;
  read.tag_hash = record.tag_hash;
  read.offset_count = record.offset_count;
  const std::uint64_t at =
      std::uint64_t{record.append_at} + record.append_bytes - record.payload_bytes;
  const bool is_in_last = last_block_ != nullptr && last_block_->segment() == segment->number &&
                          last_block_->holds(at, record.payload_bytes);
  if (!is_in_last) last_block_ = store_.tail.find(segment->number, at, record.payload_bytes);
  if (last_block_ != nullptr) {
    read.payload = last_block_->slice(at, record.payload_bytes);
  } else {
    fetch_.add(segment, record, static_cast<std::uint32_t>(result_.records.size() - 1));
  }
}

/// Fills in the payloads that are in files. What follows a damaged record is left out, so that a
/// reader gets all that is good before it is told.
Lookup<ReadResult> ReadOperation::fetch(ReadMode mode) {
  if (fetch_.empty()) return std::optional(std::move(result_));
  const auto fetched = fetch_.run(mode);
  SLUICE_TRY(fetched);
  if (!*fetched) return {};
  std::optional<std::uint32_t> first_bad;
  std::optional<Error> error;
  for (const RecordFetch::Found& found : **fetched) {
    if (found.append) {
      result_.records[found.slot].payload = found.payload();
    } else if (!first_bad || found.slot < *first_bad) {
      first_bad = found.slot;
      error = found.append.error();
    }
  }
  if (first_bad == 0U) return fail(*std::move(error));
  if (first_bad) {
    result_.next = result_.records[*first_bad].offset;
    result_.records.resize(*first_bad);
  }
  return std::optional(std::move(result_));
}

}  // namespace sluice::append_log
