#include "storage-plugins/append-log/upkeep.hpp"

#include <algorithm>
#include <utility>

#include "common/base/log.hpp"
#include "storage-plugins/append-log/bounds.hpp"
#include "storage-plugins/append-log/checkpoint.hpp"
#include "storage-plugins/append-log/index_rebuild.hpp"

namespace sluice::append_log {

namespace {

/// What a checkpoint takes for each key and log, about.
constexpr std::uint64_t kCheckpointKeyBytes = 8;
constexpr std::uint64_t kCheckpointLogBytes = 40;

void report(const Result<>& result) {
  if (!result) log::warn("log: upkeep: {}", result.error().text);
}

}  // namespace

void Upkeep::schedule() {
  if (is_scheduled_.exchange(true)) return;
  store_.upkeep.post([this, owner = owner_.lock()] {
    is_scheduled_ = false;
    run();
  });
}

void Upkeep::run() {
  if (store_.syncer.has_failed()) return;
  const auto indexed = write_indexes();
  report(indexed);
  if (indexed && is_checkpoint_due()) report(take_checkpoint());
  report(retire_segments());
}

// --- indexes -------------------------------------------------------------------------------------

Result<> Upkeep::write_indexes() {
  std::vector<SegmentPtr> unwritten;
  {
    const std::lock_guard lock(store_.mutex);
    const auto& segments = store_.state.segments();
    for (const SegmentPtr& it : segments) {
      const bool is_sealed = it != segments.back();
      if (is_sealed && it->index && !it->index_header) unwritten.push_back(it);
    }
  }
  for (const SegmentPtr& segment : unwritten) SLUICE_TRY(write_index(segment));
  forget_indexes();
  return {};
}

Result<> Upkeep::write_index(const SegmentPtr& segment) {
  std::shared_ptr<SegmentIndex> index;
  SegmentSummary summary;
  {
    const std::lock_guard lock(store_.mutex);
    index = segment->index;
    summary = segment->summary;
  }
  const auto header = write_index_file(store_, segment->number, summary, *index);
  SLUICE_TRY(header);
  const std::lock_guard lock(store_.mutex);
  if (segment->index == index) segment->index_header = *header;
  return {};
}

/// Keeps the newest indexes in memory.
void Upkeep::forget_indexes() {
  std::vector<std::shared_ptr<SegmentIndex>> forgotten;  // Destroyed without the mutex.
  const std::lock_guard lock(store_.mutex);
  const auto& segments = store_.state.segments();
  const std::size_t kept = std::min(segments.size(), kIndexesInMemoryMax + 1);
  for (std::size_t i = 0; i + kept < segments.size(); ++i) {
    if (segments[i]->index_header) forgotten.push_back(std::move(segments[i]->index));
  }
}

// --- checkpoints ---------------------------------------------------------------------------------

/// Once the log since the last one is as large as it will be: so checkpoints at most double what is
/// written, and replay reads at most as much again as loading one.
bool Upkeep::is_checkpoint_due() const {
  const std::uint64_t start = store_.checkpoint_segment;
  const std::lock_guard lock(store_.mutex);
  const auto& segments = store_.state.segments();
  std::uint64_t log_bytes = 0;
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    if (segments[i]->number >= start) log_bytes += segments[i]->file_bytes;
  }
  const KeyMap& keys = store_.state.keys();
  const std::uint64_t checkpoint_bytes = keys.byte_count() + kCheckpointKeyBytes * keys.size() +
                                         kCheckpointLogBytes * store_.state.logs().size();
  return log_bytes > 0 && log_bytes >= checkpoint_bytes;
}

Result<> Upkeep::take_checkpoint() {
  const auto start = write_checkpoint(store_);
  SLUICE_TRY(start);
  store_.checkpoint_segment = *start;
  return {};
}

Result<> Upkeep::finish() {
  SLUICE_TRY(store_.syncer.sync_now());
  bool is_empty = false;
  {
    const std::lock_guard lock(store_.mutex);
    is_empty = store_.state.sequence().value == 0;
  }
  if (!is_empty) {
    report(write_indexes());
    SLUICE_TRY(take_checkpoint());
  }
  SLUICE_TRY(store_.disk.remove(store_.directory / kOpenMark));
  return store_.disk.sync_directory(store_.directory);
}

// --- retirement ----------------------------------------------------------------------------------

Result<> Upkeep::retire_segments() {
  const std::uint64_t start = store_.checkpoint_segment;
  std::vector<SegmentPtr> candidates;
  {
    const std::lock_guard lock(store_.mutex);
    const auto& segments = store_.state.segments();
    for (const SegmentPtr& it : segments) {
      if (it->number < start && it != segments.back()) candidates.push_back(it);
    }
  }
  std::vector<SegmentPtr> dead;
  for (const SegmentPtr& segment : candidates) {
    const auto has_live = accounting_.has_live(segment);
    SLUICE_TRY(has_live);
    if (!*has_live) dead.push_back(segment);
  }
  candidates.clear();
  // What says that they are dead must not be lost when they are.
  if (!dead.empty()) SLUICE_TRY(store_.syncer.sync_now());
  while (!dead.empty()) {
    SLUICE_TRY(let_go_of(dead.back()));
    retiring_.push_back(std::move(dead.back()));
    dead.pop_back();
  }
  return reuse_files();
}

/// Takes a dead segment out of the store: no read begins with it any more.
Result<> Upkeep::let_go_of(const SegmentPtr& segment) {
  std::vector<RunView> runs;
  {
    const IndexAccess index(store_, segment, ReadMode::blocking);
    auto all = index.runs();
    SLUICE_TRY(all);
    runs = *std::move(all);
  }
  for (std::size_t i = 0; i < runs.size();) {
    const std::lock_guard lock(store_.mutex);
    const std::size_t stop = std::min(i + kSnapshotEntries, runs.size());
    for (; i < stop; ++i) store_.state.detach_run(segment->number, runs[i].log);
  }
  const std::lock_guard lock(store_.mutex);
  store_.state.remove_segment(segment->number);
  return {};
}

/// Files of segments that no read uses any more.
Result<> Upkeep::reuse_files() {
  for (auto it = retiring_.begin(); it != retiring_.end();) {
    const SegmentPtr& segment = *it;
    if (segment.use_count() > 1) {
      ++it;
      continue;
    }
    store_.files.forget(FileKind::segment, segment->number);
    store_.files.forget(FileKind::index, segment->number);
    store_.index_blocks.forget(segment->number);
    store_.ranges.forget(segment->number);
    const auto retired = store_.segments.retire(segment->number, segment->file_bytes);
    it = retiring_.erase(it);
    SLUICE_TRY(retired);
  }
  return {};
}

}  // namespace sluice::append_log
