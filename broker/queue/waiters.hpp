#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include "common/base/limits.hpp"
#include "common/base/unique_function.hpp"
#include "common/runtime/one_shot.hpp"
#include "common/runtime/runtime.hpp"

namespace sluice::broker {

/// How many pulls wait at all queues of a broker together. Safe from any loop.
class WaiterCount {
 public:
  explicit WaiterCount(std::size_t max = limits::kWaitersMax) noexcept : max_(max) {}

  /// \return false if `max` wait already.
  [[nodiscard]] bool try_add() noexcept {
    if (count_.fetch_add(1, std::memory_order_relaxed) < max_) return true;
    remove(1);
    return false;
  }
  void remove(std::size_t waiters) noexcept {
    count_.fetch_sub(waiters, std::memory_order_relaxed);
  }

 private:
  const std::size_t max_;
  std::atomic<std::size_t> count_{0};
};

/// The pulls that wait for a queue's next message. Members are safe from any loop.
class Waiters {
 public:
  /// \param count  Shared by all queues of a broker.
  explicit Waiters(std::shared_ptr<WaiterCount> count) noexcept : count_(std::move(count)) {}

  /// Suspends until a record at `offset` or later that matches is announced, or `duration` is over.
  ///
  /// \param tag_hashes  Sorted; empty: any record.
  /// \param is_over  Set by somebody else who then calls release_over(). Outlives the wait.
  /// \param wakes_seen  wakes() from before the caller looked at what wake() may tell of.
  /// \return true if something came: read again. False if time ran out, if `is_over`, after
  ///         release(), or at once, counted, if limits::kWaitersPerQueueMax wait at this queue
  ///         already or `count` is full.
  boost::asio::awaitable<bool, Executor> wait(Runtime& runtime, std::int64_t offset,
                                              std::vector<std::uint64_t> tag_hashes,
                                              std::chrono::milliseconds duration,
                                              const std::atomic<bool>* is_over,
                                              std::uint64_t wakes_seen);

  /// Records below `next` can be read now; `tag_hashes` are those of the new ones.
  void announce(std::int64_t next, std::span<const std::uint64_t> tag_hashes);

  /// Ends every wait as if something had come: read again. Those that begin later, too, if their
  /// caller looked before.
  void wake();
  [[nodiscard]] std::uint64_t wakes() const noexcept {
    return wakes_.load(std::memory_order_acquire);
  }

  /// Ends every wait as if its time had run out, those that begin later at once: the topic is gone,
  /// or the broker stops.
  void release();

  /// Ends the waits with this `is_over`, which is set, as if their time had run out.
  void release_over(const std::atomic<bool>* is_over);

 private:
  using OverHook = boost::intrusive::set_base_hook<boost::intrusive::tag<struct OverTag>>;
  struct Waiter : boost::intrusive::list_base_hook<>, OverHook {
    std::int64_t offset = 0;
    std::vector<std::uint64_t> tag_hashes;
    UniqueFunction<void(bool)> complete;
    const std::atomic<bool>* is_over = nullptr;
    std::uint64_t wakes_seen = 0;
    bool is_waiting = false;  ///< On list_; changed under the mutex.
  };
  enum class Enlisted : std::uint8_t { waiting, already_there, too_many, over };
  using List = boost::intrusive::list<Waiter>;
  struct IsOver {
    using type = const std::atomic<bool>*;
    type operator()(const Waiter& waiter) const noexcept { return waiter.is_over; }
  };
  /// The same waiters, to find those of a connection that has ended among thousands.
  using ByIsOver = boost::intrusive::multiset<Waiter, boost::intrusive::base_hook<OverHook>,
                                              boost::intrusive::key_of_value<IsOver>>;
  enum class Outcome : std::uint8_t { something_came, time_ran_out };

  static void complete_all(List& waiters, Outcome outcome);

  /// Lists `waiter` unless what it waits for is there already, too many wait or nobody may.
  Enlisted enlist(Waiter& waiter);

  /// Takes `waiter` off the list. \return false if announce() was faster.
  bool withdraw(Waiter& waiter);

  /// Takes all off list_, under the mutex.
  List unlist_all();

  /// Takes `waiter` off list_, under the mutex.
  List::iterator unlist(Waiter& waiter);

  const std::shared_ptr<WaiterCount> count_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> wakes_{0};  ///< Changed under the mutex.
  std::int64_t announced_next_ = 0;
  bool is_released_ = false;
  List list_;
  ByIsOver by_is_over_;
};

}  // namespace sluice::broker
