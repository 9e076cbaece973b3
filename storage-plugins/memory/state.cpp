#include "storage-plugins/memory/state.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

#include "common/base/assert.hpp"

namespace sluice::memory_engine {

using storage::Appended;
using storage::CommitReceipt;
using storage::LogBounds;
using storage::LogId;
using storage::NewRecord;
using storage::Offset;
using storage::Position;
using storage::Record;
using storage::Usage;
using storage::WriteBatch;

namespace {

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

std::size_t count_appends(const WriteBatch& batch) {
  return static_cast<std::size_t>(std::ranges::count_if(batch.operations(), [](const auto& op) {
    return std::holds_alternative<WriteBatch::Append>(op);
  }));
}

tl::unexpected<Error> out_of_range(LogId log, Offset offset, LogBounds bounds) {
  return fail(Errc::offset_out_of_range, "offset " + std::to_string(offset.value) +
                                             " is outside of log " + std::to_string(log.value) +
                                             ", which has [" + std::to_string(bounds.first.value) +
                                             ", " + std::to_string(bounds.next.value) + "]");
}

}  // namespace

// --- writing -------------------------------------------------------------------------------------

Result<CommitReceipt> State::apply(const WriteBatch& batch, UnixMillis now,
                                   storage::PositionCounter& positions) {
  SLUICE_TRY(check_expectations(batch));
  SLUICE_TRY(check_truncations(batch));

  CommitReceipt receipt;
  const std::size_t append_count = count_appends(batch);
  Position position;
  if (append_count > 0) {
    position = positions.take(append_count);
    last_stored_at_ = std::max(last_stored_at_, now);
  }
  const Match apply_one{
      [&](const WriteBatch::Append& op) {
        receipt.appended.push_back(append(op.record, position, last_stored_at_));
        ++position;
      },
      [&](const WriteBatch::Put& op) { keys_.insert_or_assign(op.key, op.value); },
      [&](const WriteBatch::Erase& op) { keys_.erase(op.key); },
      [&](const WriteBatch::EraseRange& op) { erase_range(op.first, op.last); },
      [&](const WriteBatch::Expect&) {},
      [&](const WriteBatch::TruncateBefore& op) { truncate_before(op.log, op.keep_from); },
      [&](const WriteBatch::DropBefore& op) { drop_before(op.position); },
      [&](const WriteBatch::Forget&) { SLUICE_ASSERT(false, "check_batch() refused forget()"); },
      [&](const WriteBatch::DropLog& op) { drop_log(op.log); },
  };
  for (const WriteBatch::Operation& operation : batch.operations()) {
    std::visit(apply_one, operation);
  }
  ++sequence_;
  receipt.sequence = sequence_;
  return receipt;
}

Result<> State::check_expectations(const WriteBatch& batch) const {
  for (const WriteBatch::Operation& operation : batch.operations()) {
    const auto* expect = std::get_if<WriteBatch::Expect>(&operation);
    if (expect == nullptr || get(expect->key) == expect->value) continue;
    return fail(Errc::conflict,
                "a key does not hold what the batch expects; read it and try again");
  }
  return {};
}

Result<> State::check_truncations(const WriteBatch& batch) const {
  // Where each log will stand when the batch has come that far.
  std::map<LogId, Offset> next;
  const auto next_of = [&](LogId log) -> Offset& {
    return next.try_emplace(log, bounds(log).next).first->second;
  };
  for (const WriteBatch::Operation& operation : batch.operations()) {
    if (const auto* append = std::get_if<WriteBatch::Append>(&operation)) {
      for (const LogId log : append->record.logs) ++next_of(log);
    }
    if (const auto* drop = std::get_if<WriteBatch::DropLog>(&operation)) {
      next_of(drop->log) = Offset{0};
    }
    const auto* truncate = std::get_if<WriteBatch::TruncateBefore>(&operation);
    if (truncate != nullptr && truncate->keep_from > next_of(truncate->log)) {
      return out_of_range(truncate->log, truncate->keep_from, bounds(truncate->log));
    }
  }
  return {};
}

Appended State::append(const NewRecord& record, Position position, UnixMillis stored_at) {
  Stored stored{.record = record, .offsets = {}, .stored_at = stored_at};
  for (const LogId id : record.logs) {
    Log& log = logs_[id];
    log.entries.emplace(log.next, position);
    stored.offsets.push_back(log.next);
    ++log.next;
  }
  Appended appended{.offsets = stored.offsets, .position = position, .stored_at = stored_at};
  records_.emplace(position, std::move(stored));
  return appended;
}

void State::truncate_before(LogId log, Offset keep_from) {
  const auto found = logs_.find(log);
  if (found == logs_.end()) return;
  auto& entries = found->second.entries;
  while (!entries.empty() && entries.begin()->first < keep_from) {
    const auto [offset, position] = *entries.begin();
    forget(log, offset, position);
  }
}

void State::drop_before(Position position) {
  while (!records_.empty() && records_.begin()->first < position) {
    forget_record(records_.begin()->first);
  }
}

void State::drop_log(LogId log) {
  truncate_before(log, bounds(log).next);
  logs_.erase(log);
}

void State::forget(LogId log, Offset offset, Position position) {
  const bool is_owner = records_.at(position).record.logs.front() == log;
  if (is_owner) {
    forget_record(position);
  } else {
    logs_.at(log).entries.erase(offset);
  }
}

void State::forget_record(Position position) {
  const Stored& stored = records_.at(position);
  for (std::size_t i = 0; i < stored.offsets.size(); ++i) {
    const auto log = logs_.find(stored.record.logs[i]);
    if (log == logs_.end()) continue;
    // A log that was dropped and begun again has another record at this offset.
    const auto entry = log->second.entries.find(stored.offsets[i]);
    if (entry != log->second.entries.end() && entry->second == position) {
      log->second.entries.erase(entry);
    }
  }
  records_.erase(position);
}

void State::erase_range(const Bytes& first, const Bytes& last) {
  keys_.erase(keys_.lower_bound(first), end_of_range(first, last));
}

// --- reading -------------------------------------------------------------------------------------

Result<storage::ReadResult> State::read(LogId log, Offset from, storage::ReadLimits limits,
                                        std::span<const std::uint64_t> tag_hashes) const {
  SLUICE_ASSERT(limits.records_max >= 1 && limits.scan_max >= 1, "a read may return something");
  const LogBounds range = bounds(log);
  if (from < range.first || from > range.next) return out_of_range(log, from, range);

  storage::ReadResult result{.records = {}, .next = range.next};
  if (from == range.next) return result;
  std::uint64_t bytes = 0;
  std::uint32_t scanned = 0;
  const auto& entries = logs_.at(log).entries;
  for (auto entry = entries.lower_bound(from); entry != entries.end(); ++entry) {
    const auto [offset, position] = *entry;
    const NewRecord& record = records_.at(position).record;
    const bool is_wanted =
        tag_hashes.empty() || std::ranges::find(tag_hashes, record.tag_hash) != tag_hashes.end();
    const bool is_full =
        result.records.size() == limits.records_max ||
        (!result.records.empty() && is_wanted && bytes + record.payload.size() > limits.bytes_max);
    if (is_full || scanned == limits.scan_max) {
      result.next = offset;
      return result;
    }
    ++scanned;
    if (!is_wanted) continue;
    bytes += record.payload.size();
    result.records.push_back(record_in_log(position, offset));
  }
  return result;
}

Result<Record> State::read_at(Position position) const {
  const auto found = records_.find(position);
  if (found == records_.end()) {
    return fail(Errc::not_found, "no record at position " + std::to_string(position.value));
  }
  return record_in_log(position, found->second.offsets.front());
}

Record State::record_in_log(Position position, Offset offset) const {
  const Stored& stored = records_.at(position);
  return Record{.offset = offset,
                .position = position,
                .stored_at = stored.stored_at,
                .tag_hash = stored.record.tag_hash,
                .offset_count = stored.record.offset_count,
                .payload = stored.record.payload};
}

LogBounds State::bounds(LogId log) const {
  const auto found = logs_.find(log);
  if (found == logs_.end()) return {};
  const Log& it = found->second;
  return {.first = it.entries.empty() ? it.next : it.entries.begin()->first, .next = it.next};
}

Offset State::offset_at(LogId log, UnixMillis time) const {
  const auto found = logs_.find(log);
  if (found == logs_.end()) return {};
  for (const auto& [offset, position] : found->second.entries) {
    if (records_.at(position).stored_at >= time) return offset;
  }
  return found->second.next;
}

std::optional<Position> State::position_at(UnixMillis time) const {
  for (const auto& [position, stored] : records_) {
    if (stored.stored_at >= time) return position;
  }
  return std::nullopt;
}

std::optional<Position> State::position_to_free(std::uint64_t bytes) const {
  std::uint64_t freed = 0;
  for (const auto& [position, stored] : records_) {
    freed += stored.record.payload.size();
    if (freed > 0 && freed >= bytes) return position + 1;
  }
  return std::nullopt;
}

std::vector<Position> State::find(const Bytes& index_key, UnixMillis first, UnixMillis last,
                                  std::uint32_t positions_max,
                                  std::optional<Position> before) const {
  SLUICE_ASSERT(positions_max >= 1, "a search may return something");
  std::vector<Position> positions;
  for (auto it = records_.rbegin(); it != records_.rend() && positions.size() < positions_max;
       ++it) {
    const auto& [position, stored] = *it;
    const auto& keys = stored.record.index_keys;
    const bool is_in_time = stored.stored_at >= first && stored.stored_at < last;
    const bool is_before = !before || position < *before;
    const bool has_key = std::ranges::find(keys, index_key) != keys.end();
    if (is_in_time && is_before && has_key) positions.push_back(position);
  }
  return positions;
}

std::optional<Bytes> State::get(const Bytes& key) const {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return std::nullopt;
  return found->second;
}

std::vector<storage::KeyValue> State::scan(const Bytes& first, const Bytes& last,
                                           std::uint32_t entries_max) const {
  std::vector<storage::KeyValue> entries;
  const auto end = end_of_range(first, last);
  for (auto it = keys_.lower_bound(first); it != end && entries.size() < entries_max; ++it) {
    entries.push_back({.key = it->first, .value = it->second});
  }
  return entries;
}

State::Keys::const_iterator State::end_of_range(const Bytes& first, const Bytes& last) const {
  if (last.empty()) return keys_.end();
  return keys_.lower_bound(std::max(first, last));
}

Usage State::usage() const {
  Usage usage;
  usage.record_count = records_.size();
  for (const auto& [position, stored] : records_) {
    usage.payload_bytes += stored.record.payload.size();
  }
  if (!records_.empty()) {
    usage.oldest = records_.begin()->first;
    usage.newest = records_.rbegin()->first;
  }
  return usage;
}

}  // namespace sluice::memory_engine
