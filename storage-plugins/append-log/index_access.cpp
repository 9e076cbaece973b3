#include "storage-plugins/append-log/index_access.hpp"

#include <algorithm>
#include <utility>

#include "storage-plugins/append-log/bounds.hpp"
#include "storage-plugins/append-log/index_rebuild.hpp"

namespace sluice::append_log {

using storage::LogId;
using storage::Position;

namespace {

RunView view_of(const LogRun& run) {
  return {.log = run.log,
          .first = run.first,
          .first_position = run.first_position,
          .owned_bytes = run.owned_bytes,
          .count = static_cast<std::uint32_t>(run.records.size()),
          .owned_count = run.owned_count,
          .first_entry = 0,
          .has_foreign = run.has_foreign};
}

std::uint32_t end_of(std::uint32_t first, std::uint32_t count_max, std::size_t size) {
  const std::uint64_t end = std::uint64_t{first} + count_max;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(end, size));
}

}  // namespace

IndexAccess::IndexAccess(Store& store, SegmentPtr segment, ReadMode mode)
    : store_(store), segment_(std::move(segment)), mode_(mode) {
  const std::lock_guard lock(store_.mutex);
  memory_ = segment_->index;
  header_ = segment_->index_header;
}

Lookup<RunView> IndexAccess::run_of(LogId log) const {
  if (memory_) {
    const std::lock_guard lock(store_.mutex);
    const LogRun* const run = memory_->run_of(log);
    return std::optional(run == nullptr ? RunView{.log = log} : view_of(*run));
  }
  const auto found = partition_point(header_->runs, [log](BytesView entry) {
    return load_big_endian<std::uint64_t>(entry.data()) < log.value;
  });
  SLUICE_TRY(found);
  if (!*found) return {};
  if (**found == header_->runs.count) return std::optional(RunView{.log = log});
  const auto bytes = entry(header_->runs, **found);
  SLUICE_TRY(bytes);
  if (!*bytes) return {};
  const RunView run = decode_run(**bytes);
  return std::optional(run.log == log ? run : RunView{.log = log});
}

Result<std::vector<RunView>> IndexAccess::runs() const {
  std::vector<RunView> runs;
  if (memory_) {
    const std::lock_guard lock(store_.mutex);
    runs.reserve(memory_->run_count());
    memory_->visit_runs([&](const LogRun& run) { runs.push_back(view_of(run)); });
    return runs;
  }
  SLUICE_ASSERT(mode_ == ReadMode::blocking, "all runs are read on a worker");
  runs.reserve(header_->runs.count);
  for (std::uint32_t i = 0; i < header_->runs.count; ++i) {
    const auto bytes = entry(header_->runs, i);
    SLUICE_TRY(bytes);
    runs.push_back(decode_run(**bytes));
  }
  return runs;
}

Lookup<std::vector<RecordEntry>> IndexAccess::run_records(const RunView& run, std::uint32_t first,
                                                          std::uint32_t count_max) const {
  std::vector<RecordEntry> found;
  if (memory_) {
    const std::lock_guard lock(store_.mutex);
    const LogRun* const in_memory = memory_->run_of(run.log);
    // The log may have been dropped since: then nothing of it is there.
    if (in_memory == nullptr || in_memory->first_position != run.first_position) {
      return std::optional(std::move(found));
    }
    const std::uint32_t end = end_of(first, count_max, in_memory->records.size());
    for (std::uint32_t i = first; i < end; ++i) {
      found.push_back(memory_->records()[in_memory->records[i]]);
    }
    return std::optional(std::move(found));
  }
  const std::uint32_t end = end_of(first, count_max, run.count);
  SmallVector<std::uint32_t, 64> numbers;
  for (std::uint32_t i = first; i < end; ++i) {
    const auto bytes = entry(header_->run_entries, run.first_entry + i);
    SLUICE_TRY(bytes);
    if (!*bytes) return {};
    numbers.push_back(decode_run_entry(**bytes));
  }
  found.reserve(numbers.size());
  for (const std::uint32_t number : numbers) {
    const auto bytes = entry(header_->records, number);
    SLUICE_TRY(bytes);
    if (!*bytes) return {};
    found.push_back(decode_record(**bytes));
  }
  return std::optional(std::move(found));
}

Lookup<std::vector<RecordEntry>> IndexAccess::records(std::uint32_t first,
                                                      std::uint32_t count_max) const {
  std::vector<RecordEntry> found;
  if (memory_) {
    const std::lock_guard lock(store_.mutex);
    const std::uint32_t end = end_of(first, count_max, memory_->records().size());
    for (std::uint32_t i = first; i < end; ++i) found.push_back(memory_->records()[i]);
    return std::optional(std::move(found));
  }
  const std::uint32_t end = end_of(first, count_max, header_->records.count);
  for (std::uint32_t i = first; i < end; ++i) {
    const auto bytes = entry(header_->records, i);
    SLUICE_TRY(bytes);
    if (!*bytes) return {};
    found.push_back(decode_record(**bytes));
  }
  return std::optional(std::move(found));
}

Lookup<std::uint32_t> IndexAccess::lower_bound(Position position) const {
  if (memory_) {
    const std::lock_guard lock(store_.mutex);
    return std::optional(memory_->lower_bound(position));
  }
  return partition_point(header_->records, [position](BytesView entry) {
    return load_big_endian<std::uint64_t>(entry.data()) < position.value;
  });
}

Lookup<std::uint32_t> IndexAccess::lower_bound(UnixMillis time) const {
  if (memory_) {
    const std::lock_guard lock(store_.mutex);
    return std::optional(memory_->lower_bound(time));
  }
  return partition_point(header_->records, [time](BytesView entry) {
    return load_big_endian<std::int64_t>(entry.data() + 8) < time.value;
  });
}

Lookup<std::vector<std::uint32_t>> IndexAccess::records_with_key(std::uint64_t hash) const {
  std::vector<std::uint32_t> found;
  if (memory_) {
    for (std::size_t begin = 0;; begin += kScanStep) {
      const std::lock_guard lock(store_.mutex);
      const auto& keys = memory_->keys();
      // They are not sorted: going through many takes too long for a loop.
      if (keys.size() > kScanStep && mode_ == ReadMode::cached) return {};
      const std::size_t end = std::min(begin + kScanStep, keys.size());
      for (std::size_t i = begin; i < end; ++i) {
        if (keys[i].hash == hash) found.push_back(keys[i].record);
      }
      if (end == keys.size()) return std::optional(std::move(found));
    }
  }
  const auto first = partition_point(header_->keys, [hash](BytesView entry) {
    return load_big_endian<std::uint64_t>(entry.data()) < hash;
  });
  SLUICE_TRY(first);
  if (!*first) return {};
  for (std::uint32_t i = **first; i < header_->keys.count; ++i) {
    const auto bytes = entry(header_->keys, i);
    SLUICE_TRY(bytes);
    if (!*bytes) return {};
    const KeyEntry key = decode_key(**bytes);
    if (key.hash != hash) break;
    found.push_back(key.record);
  }
  return std::optional(std::move(found));
}

// --- the file ------------------------------------------------------------------------------------

Lookup<Slice> IndexAccess::block(std::uint32_t number) const {
  const PieceKey key{.file = segment_->number, .piece = number};
  if (Slice cached = store_.index_blocks.find(key); !cached.empty()) {
    return std::optional(std::move(cached));
  }
  auto file = store_.files.get(FileKind::index, segment_->number, mode_);
  SLUICE_TRY(file);
  if (!*file) return {};
  const auto buffer = Buffer::make(kIndexBlockBytes);
  const auto whole = read_range(***file, std::uint64_t{number} * kIndexBlockBytes,
                                {buffer->data(), buffer->size()}, mode_);
  SLUICE_TRY(whole);
  if (!*whole) return {};
  Slice bytes = buffer->slice(0, kIndexBlockBytes);
  if (!verify_index_block(bytes.bytes(), segment_->generation(), number)) {
    if (mode_ == ReadMode::cached) return {};
    SLUICE_TRY(rebuild_index(store_, segment_));
    return fail(Errc::corrupt_record, index_path(store_.directory, segment_->number).string() +
                                          ": block " + std::to_string(number) +
                                          " does not match its checksum");
  }
  store_.index_blocks.add(key, bytes);
  return std::optional(std::move(bytes));
}

Lookup<BytesView> IndexAccess::entry(const IndexSection& section, std::uint32_t i) const {
  if (i >= section.count) {
    return fail(Errc::corrupt_record,
                index_path(store_.directory, segment_->number).string() + " contradicts itself");
  }
  const std::uint32_t number = section.block_of(i);
  if (last_block_.empty() || last_block_number_ != number) {
    auto bytes = block(number);
    SLUICE_TRY(bytes);
    if (!*bytes) return {};
    last_block_ = **std::move(bytes);
    last_block_number_ = number;
  }
  return std::optional(last_block_.bytes().subspan(section.offset_of(i), section.entry_bytes));
}

template <class IsBelow>
Lookup<std::uint32_t> IndexAccess::partition_point(const IndexSection& section,
                                                   IsBelow is_below) const {
  std::uint32_t low = 0;
  std::uint32_t high = section.count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const auto bytes = entry(section, middle);
    SLUICE_TRY(bytes);
    if (!*bytes) return {};
    if (is_below(**bytes)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::optional(low);
}

}  // namespace sluice::append_log
