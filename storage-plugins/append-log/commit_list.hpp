#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/base/error.hpp"
#include "common/base/unique_function.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::append_log {

struct CommitDone {};

/// One commit() that waits. Lives in its coroutine, which `complete` resumes.
struct PendingCommit {
  storage::WriteBatch batch;
  storage::Durability durability = storage::Durability::synced;
  std::size_t frame_bytes = 0;
  bool appends = false;       ///< Has an append().
  bool forgets = false;       ///< Truncates or drops.
  bool only_forgets = false;  ///< And does nothing else.
  std::uint32_t loop = 0;     ///< Index of the loop that it must be completed on.
  UniqueFunction<void(CommitDone)> complete;
  Result<storage::CommitReceipt> result;
  PendingCommit* next = nullptr;

  [[nodiscard]] storage::Sequence sequence() const noexcept { return result->sequence; }
};

/// Commits in their order, linked through themselves. Owns the right to complete them: what is
/// still in a list that is destroyed is never resumed, and its coroutine is destroyed.
class CommitList {
 public:
  CommitList() = default;
  CommitList(CommitList&& other) noexcept { splice(std::move(other)); }
  CommitList& operator=(CommitList&& other) noexcept {
    clear();
    splice(std::move(other));
    return *this;
  }
  CommitList(const CommitList&) = delete;
  CommitList& operator=(const CommitList&) = delete;
  ~CommitList() { clear(); }

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] PendingCommit* front() const noexcept { return first_; }

  void push_back(PendingCommit& commit) noexcept {
    commit.next = nullptr;
    if (first_ == nullptr) {
      first_ = &commit;
    } else {
      last_->next = &commit;
    }
    last_ = &commit;
  }

  PendingCommit& pop_front() noexcept {
    PendingCommit& commit = *first_;
    first_ = std::exchange(commit.next, nullptr);
    if (first_ == nullptr) last_ = nullptr;
    return commit;
  }

  /// Adds all of `other` at the end.
  void splice(CommitList&& other) noexcept {
    if (other.empty()) return;
    if (first_ == nullptr) {
      first_ = other.first_;
    } else {
      last_->next = other.first_;
    }
    last_ = other.last_;
    other.first_ = nullptr;
    other.last_ = nullptr;
  }

  /// Resumes every coroutine, in order. Call on their loop.
  void complete_all() {
    while (!empty()) {
      // The commit is gone once its coroutine runs, so what resumes it must not lie in it.
      auto complete = std::move(pop_front().complete);
      complete(CommitDone{});
    }
  }

  void fail_all(const Error& error) {
    for (PendingCommit* it = first_; it != nullptr; it = it->next) it->result = fail(error);
  }

 private:
  void clear() noexcept {
    while (!empty()) {
      const auto never_called = std::move(pop_front().complete);
    }
  }

  PendingCommit* first_ = nullptr;
  PendingCommit* last_ = nullptr;
};

}  // namespace sluice::append_log
