#include "storage-plugins/append-log/record_fetch.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/base/log.hpp"
#include "storage-plugins/append-log/bounds.hpp"

namespace sluice::append_log {

void RecordFetch::add(SegmentPtr segment, const RecordEntry& record, std::uint32_t slot) {
  wanted_.push_back({.segment = std::move(segment), .record = record, .slot = slot});
}

Lookup<std::vector<RecordFetch::Found>> RecordFetch::run(ReadMode mode) {
  std::ranges::sort(wanted_, {}, [](const Wanted& it) {
    return std::tuple(it.segment->number, it.record.append_at);
  });
  found_.clear();
  found_.reserve(wanted_.size());
  for (std::size_t i = 0; i < wanted_.size();) {
    const std::size_t in_range = range_end(i);
    const bool uses_range = in_range > i;
    const std::size_t end = uses_range ? in_range : group_end(i);
    auto piece = uses_range ? read_range_of(i, mode)
                            : read_piece(*wanted_[i].segment, wanted_[i].begin(),
                                         wanted_[end - 1].end(), mode);
    SLUICE_TRY(piece);
    if (!*piece) return {};
    for (; i < end; ++i) verify(wanted_[i], **piece);
  }
  return std::optional(std::move(found_));
}

/// The end of the records from `first` on that are near enough to be read together.
std::size_t RecordFetch::group_end(std::size_t first) const {
  std::size_t end = first + 1;
  for (; end < wanted_.size(); ++end) {
    const Wanted& before = wanted_[end - 1];
    const Wanted& next = wanted_[end];
    const bool is_near = next.segment == before.segment &&
                         next.begin() <= before.end() + kReadGapBytes &&
                         next.end() - wanted_[first].begin() <= kReadBytesMax;
    if (!is_near) break;
  }
  return end;
}

/// The end of the records from `first` on that lie in one range of the read cache; `first` if the
/// range is not worth reading, or `first` crosses its end.
std::size_t RecordFetch::range_end(std::size_t first) const {
  if (!store_.ranges.is_enabled()) return first;
  const Segment& segment = *wanted_[first].segment;
  const std::uint64_t range = wanted_[first].begin() / kRangeBytes;
  const std::uint64_t range_limit = (range + 1) * kRangeBytes;
  // A range is kept as it is read, so it must lie below what is still being written.
  if (range_limit > wanted_[first].segment->file_bytes) return first;
  std::size_t end = first;
  std::uint64_t bytes = 0;
  for (; end < wanted_.size(); ++end) {
    const Wanted& next = wanted_[end];
    if (next.segment.get() != &segment || next.end() > range_limit) break;
    bytes += next.record.append_bytes;
  }
  const bool is_worth = bytes * kRangeShare >= kRangeBytes;
  if (is_worth) return end;
  const PieceKey key{.file = segment.number, .piece = range};
  return store_.ranges.find(key).empty() ? first : end;
}

Lookup<RecordFetch::Piece> RecordFetch::read_range_of(std::size_t first, ReadMode mode) {
  const Segment& segment = *wanted_[first].segment;
  const std::uint64_t range = wanted_[first].begin() / kRangeBytes;
  const std::uint64_t begin = range * kRangeBytes;
  const PieceKey key{.file = segment.number, .piece = range};
  if (Slice cached = store_.ranges.find(key); !cached.empty()) {
    return std::optional(Piece{.begin = begin, .bytes = std::move(cached)});
  }
  std::uint64_t written_end = 0;
  {
    const std::lock_guard lock(store_.mutex);
    written_end = segment.summary.end;
  }
  auto piece = read_piece(segment, begin, begin + kRangeBytes, mode);
  const bool is_final = written_end >= begin + kRangeBytes;
  if (piece && *piece && is_final) store_.ranges.add(key, (*piece)->bytes);
  return piece;
}

Lookup<RecordFetch::Piece> RecordFetch::read_piece(const Segment& segment, std::uint64_t begin,
                                                   std::uint64_t end, ReadMode mode) {
  auto file = store_.files.get(FileKind::segment, segment.number, mode);
  SLUICE_TRY(file);
  if (!*file) return {};
  const auto buffer = Buffer::make(end - begin);
  const auto whole = read_range(***file, begin, {buffer->data(), buffer->size()}, mode);
  SLUICE_TRY(whole);
  if (!*whole) return {};
  return std::optional(Piece{.begin = begin, .bytes = buffer->slice(0, buffer->size())});
}

void RecordFetch::verify(const Wanted& wanted, const Piece& piece) {
  const RecordEntry& record = wanted.record;
  Slice bytes = piece.bytes.part(wanted.begin() - piece.begin, record.append_bytes);
  const auto append = verify_append(bytes.bytes());
  const bool is_right = append && append->size == record.append_bytes &&
                        append->position == record.position &&
                        append->payload.size() == record.payload_bytes;
  if (is_right) {
    found_.push_back({.slot = wanted.slot, .append = *append, .bytes = std::move(bytes)});
    return;
  }
  store_.metrics.corrupt_records.add();
  const std::string text =
      segment_path(store_.directory, wanted.segment->number).string() + ": the record at offset " +
      std::to_string(record.append_at) + " (position " + std::to_string(record.position.value) +
      ") does not match its checksum; restore the file from a copy, or drop the record";
  log::error("log: {}", text);
  found_.push_back({.slot = wanted.slot, .append = fail(Errc::corrupt_record, text), .bytes = {}});
}

}  // namespace sluice::append_log
