#include "storage-plugins/append-log/segment_index.hpp"

namespace sluice::append_log {

using storage::LogId;
using storage::Position;

namespace {

/// The first i in [0, size) for which `is_below(i)` is false; size if there is none.
template <class IsBelow>
std::uint32_t partition_point(std::size_t size, IsBelow is_below) {
  std::size_t low = 0;
  std::size_t high = size;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (is_below(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return static_cast<std::uint32_t>(low);
}

}  // namespace

std::uint64_t hash_of_key(std::string_view key) noexcept {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
  for (const char c : key) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 0x0000'0100'0000'01B3;
  }
  hash ^= hash >> 33U;
  hash *= 0xFF51'AFD7'ED55'8CCD;
  hash ^= hash >> 33U;
  hash *= 0xC4CE'B9FE'1A85'EC53;
  hash ^= hash >> 33U;
  return hash;
}

std::uint32_t SegmentIndex::add(const AppendView& append, std::uint64_t frame_at) {
  const auto number = static_cast<std::uint32_t>(records_.size());
  const LogEntry owner = append.log(0);
  records_.push_back({.position = append.position,
                      .stored_at = append.stored_at,
                      .tag_hash = append.tag_hash,
                      .owner = owner.log,
                      .owner_offset = owner.offset,
                      .append_at = static_cast<std::uint32_t>(frame_at + append.begin),
                      .append_bytes = static_cast<std::uint32_t>(append.size),
                      .payload_bytes = static_cast<std::uint32_t>(append.payload.size()),
                      .offset_count = append.offset_count});
  append.visit_index_keys(
      [&](std::string_view key) { keys_.push_back({.hash = hash_of_key(key), .record = number}); });
  return number;
}

bool SegmentIndex::add_entry(LogEntry entry, std::uint32_t record) {
  const auto [it, is_new] = run_slots_.try_emplace(entry.log.value, 0U);
  const RecordEntry& of_record = records_[record];
  if (is_new) {
    it->second = static_cast<std::uint32_t>(runs_.size());
    runs_.push_back({.log = entry.log,
                     .first = entry.offset,
                     .first_position = of_record.position,
                     .owned_bytes = 0,
                     .owned_count = 0,
                     .has_foreign = false,
                     .records = {}});
  }
  LogRun& run = runs_[it->second];
  run.records.push_back(record);
  if (of_record.owner == entry.log) {
    ++run.owned_count;
    run.owned_bytes += of_record.payload_bytes;
  } else {
    run.has_foreign = true;
  }
  return is_new;
}

void SegmentIndex::remove_run(LogId log) {
  const auto found = run_slots_.find(log.value);
  if (found == run_slots_.end()) return;
  runs_[found->second].records = {};
  run_slots_.erase(found);
}

const LogRun* SegmentIndex::run_of(LogId log) const noexcept {
  const auto found = run_slots_.find(log.value);
  return found == run_slots_.end() ? nullptr : &runs_[found->second];
}

std::uint32_t SegmentIndex::lower_bound(Position position) const noexcept {
  return partition_point(records_.size(),
                         [&](std::size_t i) { return records_[i].position < position; });
}

std::uint32_t SegmentIndex::lower_bound(UnixMillis time) const noexcept {
  return partition_point(records_.size(),
                         [&](std::size_t i) { return records_[i].stored_at < time; });
}

}  // namespace sluice::append_log
