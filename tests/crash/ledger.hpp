#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/crash/messages.hpp"
#include "tests/crash/store_view.hpp"

namespace sluice::crash {

/// How we know that a message stands at its offset.
enum class Evidence : std::uint8_t {
  acknowledged,  ///< The server answered the send.
  delivered,     ///< A consumer got it.
  recovered,     ///< It was there after an earlier kill.
};

/// Whether old messages may be gone.
enum class Forgetting : std::uint8_t { never, by_size };

/// All that one store has promised so far, over all kills. Any thread.
class Ledger {
 public:
  /// Takes `count` numbers that no message had yet. \return the first; the first of all is 1.
  [[nodiscard]] std::uint64_t take_numbers(std::uint64_t count) noexcept {
    return next_number_.fetch_add(count);
  }
  [[nodiscard]] std::uint64_t issued() const noexcept { return next_number_ - 1; }

  /// The message is at `offset` of `queue` from now on. `position` 0: not told.
  void know(Evidence evidence, std::int32_t queue, std::int64_t offset, StoredEntry message);

  /// A consumer sends its progress, and later has the answer. Increasing, one consumer a queue.
  void commit_begins(const std::string& group, std::int32_t queue, std::int64_t offset);
  void commit_acknowledged(const std::string& group, std::int32_t queue, std::int64_t offset);
  [[nodiscard]] std::int64_t last_commit(const std::string& group, std::int32_t queue) const;

  /// Something that must not happen under load.
  void report(std::string problem);

  /// Compares a recovered store with the promises, and adds what is in it to them: what a
  /// recovery has shown must be there for ever. Not while anything else is called.
  void compare(const StoreView& view, Forgetting forgetting, Problems& problems);

  [[nodiscard]] std::uint64_t count(Evidence evidence) const;
  [[nodiscard]] std::uint64_t commits() const;

 private:
  struct Known {
    StoredEntry message;
    Evidence evidence;
  };
  struct Progress {
    std::int64_t sent = 0;
    std::int64_t acknowledged = 0;
  };

  void know_locked(Evidence evidence, std::int32_t queue, std::int64_t offset, StoredEntry message);
  void compare_queue(std::int32_t queue, const QueueView& view, Forgetting forgetting);
  void compare_offsets(const StoreView& view);

  std::atomic<std::uint64_t> next_number_{1};
  mutable std::mutex mutex_;
  std::array<std::map<std::int64_t, Known>, kQueues> known_;
  std::array<std::int64_t, kQueues> first_{};
  std::map<GroupQueue, Progress> progress_;
  Problems reported_;
  std::array<std::uint64_t, 3> counts_{};
  std::uint64_t commits_ = 0;
};

}  // namespace sluice::crash
