#include "storage-plugins/append-log/round_encoder.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

namespace sluice::append_log {

using storage::LogId;
using storage::NewRecord;
using storage::Offset;
using storage::Position;
using storage::WriteBatch;

namespace {

/// More logs than this in one round: their map is made anew rather than cleared.
constexpr std::size_t kNextKeptMax = 4096;

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

bool has_truncation(const WriteBatch& batch) {
  return std::ranges::any_of(batch.operations(), [](const auto& operation) {
    return std::holds_alternative<WriteBatch::TruncateBefore>(operation);
  });
}

std::uint64_t count_appends(const WriteBatch& batch) {
  return static_cast<std::uint64_t>(std::ranges::count_if(batch.operations(), [](const auto& it) {
    return std::holds_alternative<WriteBatch::Append>(it);
  }));
}

tl::unexpected<Error> above_next(const WriteBatch::TruncateBefore& truncate, Offset next) {
  return fail(Errc::offset_out_of_range, "cannot truncate log " +
                                             std::to_string(truncate.log.value) + " to offset " +
                                             std::to_string(truncate.keep_from.value) +
                                             ": its next is " + std::to_string(next.value));
}

}  // namespace

void RoundEncoder::begin_round(const Chain& chain) {
  now_ = std::max(chain.last_stored_at, store_.environment().now());
}

void RoundEncoder::clear() {
  keys_.clear();
  if (next_.size() > kNextKeptMax) {
    next_ = {};
  } else {
    next_.clear();
  }
}

// --- checks --------------------------------------------------------------------------------------

Result<> RoundEncoder::check(const PendingCommit& commit) {
  SLUICE_TRY(check_expectations(commit.batch));
  if (!has_truncation(commit.batch)) return {};
  return check_truncations(commit.batch);
}

Result<> RoundEncoder::check_expectations(const WriteBatch& batch) {
  for (const auto& operation : batch.operations()) {
    const auto* expect = std::get_if<WriteBatch::Expect>(&operation);
    if (expect == nullptr) continue;
    const auto value = keys_.get(expect->key);
    const bool holds = value.has_value() == expect->value.has_value() &&
                       (!value || *value == std::string_view(*expect->value));
    if (holds) continue;
    return fail(Errc::conflict,
                "a key does not hold what the batch expects; read it and try again");
  }
  return {};
}

Result<> RoundEncoder::check_truncations(const WriteBatch& batch) const {
  // Where each log will stand when the batch has come that far.
  std::map<LogId, Offset> next;
  const auto in_batch = [&](LogId log) -> Offset& {
    return next.try_emplace(log, next_of(log)).first->second;
  };
  for (const auto& operation : batch.operations()) {
    if (const auto* append = std::get_if<WriteBatch::Append>(&operation)) {
      for (const LogId log : append->record.logs) ++in_batch(log);
    }
    if (const auto* drop = std::get_if<WriteBatch::DropLog>(&operation)) {
      in_batch(drop->log) = Offset{0};
    }
    const auto* truncate = std::get_if<WriteBatch::TruncateBefore>(&operation);
    if (truncate != nullptr && truncate->keep_from > in_batch(truncate->log)) {
      return above_next(*truncate, in_batch(truncate->log));
    }
  }
  return {};
}

Offset RoundEncoder::next_of(LogId log) const {
  const auto changed = next_.find(log.value);
  if (changed != next_.end()) return changed->second;
  const LogState* const published = std::as_const(store_.state).logs().find(log);
  return published == nullptr ? Offset{} : published->next;
}

// --- encoding ------------------------------------------------------------------------------------

FrameHeader RoundEncoder::encode(PendingCommit& commit, std::span<std::byte> memory,
                                 const SegmentHeader& segment, Chain& chain) {
  FrameEncoder frame(memory);
  storage::CommitReceipt& receipt = *commit.result;
  Position next_position{};
  if (commit.appends) {
    const std::uint64_t count = count_appends(commit.batch);
    next_position = store_.positions.take(count);
    chain.last_position = next_position + (count - 1);
    chain.last_stored_at = now_;
    receipt.appended.reserve(count);
  }
  // What drop_before() may reach at most: records appended after it in this batch stay.
  Position drop_limit = commit.appends ? next_position : chain.last_position + 1;
  const Match encode_one{
      [&](const WriteBatch::Append& op) {
        encode_append(op.record, next_position, frame, receipt);
        ++next_position;
        drop_limit = next_position;
      },
      [&](const WriteBatch::Put& op) { frame.put(op.key, op.value); },
      [&](const WriteBatch::Erase& op) { frame.erase(op.key); },
      [&](const WriteBatch::EraseRange& op) { frame.erase_range(op.first, op.last); },
      [&](const WriteBatch::Expect&) {},
      [&](const WriteBatch::TruncateBefore& op) { frame.truncate_before(op.log, op.keep_from); },
      [&](const WriteBatch::DropBefore& op) {
        frame.drop_before(std::min(op.position, drop_limit));
      },
      [&](const WriteBatch::Forget&) { SLUICE_ASSERT(false, "check_batch() refused forget()"); },
      [&](const WriteBatch::DropLog& op) {
        frame.drop_log(op.log);
        next_.insert_or_assign(op.log.value, Offset{0});
      },
  };
  for (const auto& operation : commit.batch.operations()) std::visit(encode_one, operation);
  ++chain.last_sequence;
  const FrameHeader header = frame.finish({.sequence = chain.last_sequence,
                                           .stored_at = chain.last_stored_at,
                                           .synced = store_.syncer.synced(),
                                           .generation = segment.generation(),
                                           .previous_crc = chain.last_crc},
                                          segment.salt);
  chain.last_crc = header.crc;
  receipt.sequence = header.sequence;
  keys_.add(commit.batch);
  return header;
}

void RoundEncoder::encode_append(const NewRecord& record, Position position, FrameEncoder& frame,
                                 storage::CommitReceipt& receipt) {
  auto& appended = receipt.appended.emplace_back(
      storage::Appended{.offsets = {}, .position = position, .stored_at = now_});
  appended.offsets.reserve(record.logs.size());
  for (const LogId log : record.logs) {
    const Offset offset = next_of(log);
    appended.offsets.push_back(offset);
    next_.insert_or_assign(log.value, offset + 1);
  }
  frame.append(record, {.position = position, .stored_at = now_, .offsets = appended.offsets});
}

}  // namespace sluice::append_log
