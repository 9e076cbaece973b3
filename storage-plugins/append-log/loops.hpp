#pragma once

#include <cstdint>
#include <vector>

#include <boost/asio/post.hpp>

#include "common/base/assert.hpp"
#include "common/runtime/runtime.hpp"
#include "storage-plugins/append-log/commit_list.hpp"

namespace sluice::append_log {

/// The event loops of a runtime, by number.
class Loops {
 public:
  explicit Loops(const Runtime& runtime) {
    for (std::uint32_t i = 0; i < runtime.loop_count(); ++i) executors_.push_back(runtime.loop(i));
  }

  [[nodiscard]] std::uint32_t count() const noexcept {
    return static_cast<std::uint32_t>(executors_.size());
  }
  [[nodiscard]] Executor executor(std::uint32_t loop) const noexcept { return executors_[loop]; }

  [[nodiscard]] std::uint32_t index_of(const Executor& executor) const noexcept {
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (executors_[i] == executor) return i;
    }
    SLUICE_ASSERT(false, "an engine is called from the loops of its runtime");
    return 0;
  }

  /// Completes `commits` on their loops, with one post a loop.
  void complete(CommitList commits) const {
    std::vector<CommitList> by_loop(count());
    while (!commits.empty()) {
      PendingCommit& commit = commits.pop_front();
      by_loop[commit.loop].push_back(commit);
    }
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (by_loop[i].empty()) continue;
      boost::asio::post(executors_[i],
                        [list = std::move(by_loop[i])]() mutable { list.complete_all(); });
    }
  }

 private:
  std::vector<Executor> executors_;
};

}  // namespace sluice::append_log
