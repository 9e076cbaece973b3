#include "tests/crash/ledger.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sluice::crash {

namespace {

std::string_view words_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::acknowledged:
      return "was acknowledged";
    case Evidence::delivered:
      return "was delivered";
    case Evidence::recovered:
      return "was there after an earlier kill";
  }
  return {};
}

}  // namespace

void Ledger::know(Evidence evidence, std::int32_t queue, std::int64_t offset, StoredEntry message) {
  const std::lock_guard lock(mutex_);
  if (queue < 0 || queue >= kQueues || offset < 0) {
    reported_.add(fmt::format("message {} {} at queue {} offset {}", message.number,
                              words_of(evidence), queue, offset));
    return;
  }
  know_locked(evidence, queue, offset, message);
}

void Ledger::know_locked(Evidence evidence, std::int32_t queue, std::int64_t offset,
                         StoredEntry message) {
  ++counts_[static_cast<std::size_t>(evidence)];
  auto& known = known_[static_cast<std::size_t>(queue)];
  const auto [entry, is_new] = known.try_emplace(offset, Known{message, evidence});
  if (is_new) return;
  Known& before = entry->second;
  if (before.message.number != message.number) {
    reported_.add(fmt::format("queue {} offset {} is used twice: message {} {}, message {} {}",
                              queue, offset, before.message.number, words_of(before.evidence),
                              message.number, words_of(evidence)));
    return;
  }
  const bool is_moved = before.message.position != 0 && message.position != 0 &&
                        before.message.position != message.position;
  if (is_moved) {
    reported_.add(fmt::format("message {} had position {} and has {}", message.number,
                              before.message.position, message.position));
  }
  before.message.position = std::max(before.message.position, message.position);
}

void Ledger::commit_begins(const std::string& group, std::int32_t queue, std::int64_t offset) {
  const std::lock_guard lock(mutex_);
  progress_[{group, queue}].sent = offset;
}

void Ledger::commit_acknowledged(const std::string& group, std::int32_t queue,
                                 std::int64_t offset) {
  const std::lock_guard lock(mutex_);
  progress_[{group, queue}].acknowledged = offset;
  ++commits_;
}

std::int64_t Ledger::last_commit(const std::string& group, std::int32_t queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = progress_.find({group, queue});
  return found == progress_.end() ? 0 : found->second.acknowledged;
}

void Ledger::report(std::string problem) {
  const std::lock_guard lock(mutex_);
  reported_.add(std::move(problem));
}

void Ledger::compare(const StoreView& view, Forgetting forgetting, Problems& problems) {
  const std::lock_guard lock(mutex_);
  for (std::int32_t queue = 0; queue < kQueues; ++queue) {
    compare_queue(queue, view.queues[static_cast<std::size_t>(queue)], forgetting);
  }
  compare_offsets(view);
  problems.add_all(std::exchange(reported_, {}));
}

void Ledger::compare_queue(std::int32_t queue, const QueueView& view, Forgetting forgetting) {
  auto& known = known_[static_cast<std::size_t>(queue)];
  auto& first = first_[static_cast<std::size_t>(queue)];
  const bool may_begin_there =
      forgetting == Forgetting::by_size ? view.first >= first : view.first == 0;
  if (!may_begin_there) {
    reported_.add(
        fmt::format("queue {} begins at offset {}, before at {}", queue, view.first, first));
  }
  if (forgetting == Forgetting::by_size) known.erase(known.begin(), known.lower_bound(view.first));
  first = view.first;
  for (auto lost = known.lower_bound(view.next); lost != known.end(); ++lost) {
    reported_.add(fmt::format("queue {} offset {} is lost: message {} {}, and the queue ends at {}",
                              queue, lost->first, lost->second.message.number,
                              words_of(lost->second.evidence), view.next));
  }
  for (std::size_t i = 0; i < view.entries.size(); ++i) {
    const std::int64_t offset = view.first + static_cast<std::int64_t>(i);
    know_locked(Evidence::recovered, queue, offset, view.entries[i]);
  }
}

void Ledger::compare_offsets(const StoreView& view) {
  for (auto& [group_queue, progress] : progress_) {
    const auto found = view.offsets.find(group_queue);
    const std::int64_t stored = found == view.offsets.end() ? 0 : found->second;
    if (stored < progress.acknowledged || stored > progress.sent) {
      reported_.add(fmt::format(
          "group {} has offset {} in queue {}; {} was acknowledged and {} sent last",
          group_queue.first, stored, group_queue.second, progress.acknowledged, progress.sent));
    }
    const auto queue = static_cast<std::size_t>(group_queue.second);
    if (stored > view.queues[queue].next) {
      reported_.add(fmt::format("group {} has offset {} in queue {}, which ends at {}",
                                group_queue.first, stored, group_queue.second,
                                view.queues[queue].next));
    }
    progress.acknowledged = stored;
    progress.sent = stored;
  }
}

std::uint64_t Ledger::count(Evidence evidence) const {
  const std::lock_guard lock(mutex_);
  return counts_[static_cast<std::size_t>(evidence)];
}

std::uint64_t Ledger::commits() const {
  const std::lock_guard lock(mutex_);
  return commits_;
}

}  // namespace sluice::crash
