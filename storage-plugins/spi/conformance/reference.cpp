#include "storage-plugins/spi/conformance/reference.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "storage-plugins/spi/batch_check.hpp"
#include "storage-plugins/spi/conformance/store.hpp"

namespace sluice::storage::conformance {

namespace {

std::string words(const CommitReceipt& receipt) {
  std::string text = "sequence " + std::to_string(receipt.sequence.value);
  for (const Appended& it : receipt.appended) {
    text += ", position " + std::to_string(it.position.value) + " stored at " +
            std::to_string(it.stored_at.value) + " offsets";
    for (const Offset offset : it.offsets) text += " " + std::to_string(offset.value);
  }
  return text;
}

std::string words(const Result<CommitReceipt>& answer) {
  return answer ? words(*answer) : describe(answer.error());
}

}  // namespace

std::string Reference::follow(const WriteBatch& batch, const Result<CommitReceipt>& answer) {
  Commit commit{.batch = batch, .first_position = {}, .stored_at = {}};
  if (answer && !answer->appended.empty()) {
    commit.first_position = answer->appended.front().position;
    commit.stored_at = answer->appended.front().stored_at;
  }
  const auto checked = check_batch(batch);
  const auto expected = checked ? apply(commit) : fail(checked.error());
  if (expected) history_.push_back(std::move(commit));
  const bool is_same_failure = !answer && !expected && answer.error().code == expected.error().code;
  if (is_same_failure || words(answer) == words(expected)) return {};
  return "commit: " + words(answer) + " instead of " + words(expected);
}

void Reference::assume(const WriteBatch& batch, UnixMillis now) {
  const Position first = PositionCounter(Store::kBrokerNumber).take(1);
  const Position next = positions_.empty() ? first : positions_.back() + 1;
  Commit commit{.batch = batch, .first_position = next, .stored_at = now};
  const auto done = apply(commit);
  SLUICE_ASSERT(done.has_value(), "a script has no failing commits");
  history_.push_back(std::move(commit));
}

Result<CommitReceipt> Reference::apply(const Commit& commit) {
  // The engine chose the position and the time; what follows from them is the contract's.
  PositionCounter counter(0);
  counter.raise_above(Position{std::max<std::uint64_t>(commit.first_position.value, 1) - 1});
  auto receipt = state_.apply(commit.batch, commit.stored_at, counter);
  if (!receipt) return receipt;
  for (const Appended& it : receipt->appended) {
    positions_.push_back(it.position);
    if (times_.empty() || times_.back() < it.stored_at) times_.push_back(it.stored_at);
  }
  return receipt;
}

void Reference::rewind(Sequence last_kept) {
  auto history = std::move(history_);
  SLUICE_ASSERT(last_kept.value <= history.size(), "what was never committed cannot be kept");
  history.resize(last_kept.value);
  *this = Reference();
  for (Commit& commit : history) {
    static_cast<void>(apply(commit));
    history_.push_back(std::move(commit));
  }
}

}  // namespace sluice::storage::conformance
