#include "broker/queue/waiters.hpp"

#include <algorithm>

#include "common/base/metrics.hpp"

namespace sluice::broker {

namespace {

metrics::Counter& refused_waits() {
  static metrics::Counter& counter =
      metrics::counter("sluice_pull_waits_refused_total", "",
                       "Pulls answered at once: too many wait at their queue, or at all");
  return counter;
}

bool matches(const std::vector<std::uint64_t>& wanted, std::span<const std::uint64_t> arrived) {
  if (wanted.empty()) return true;
  return std::ranges::any_of(
      arrived, [&](std::uint64_t hash) { return std::ranges::binary_search(wanted, hash); });
}

}  // namespace

boost::asio::awaitable<bool, Executor> Waiters::wait(Runtime& runtime, std::int64_t offset,
                                                     std::vector<std::uint64_t> tag_hashes,
                                                     std::chrono::milliseconds duration,
                                                     const std::atomic<bool>* is_over,
                                                     std::uint64_t wakes_seen) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  Waiter waiter;
  waiter.offset = offset;
  waiter.tag_hashes = std::move(tag_hashes);
  waiter.is_over = is_over;
  waiter.wakes_seen = wakes_seen;
  // Whoever takes the waiter off the list completes it: announce() on any loop, or the timer here.
  TimerWheel::Timer timer([this, &waiter] {
    if (!withdraw(waiter)) return;
    auto complete = std::move(waiter.complete);
    complete(false);
  });
  const auto due = runtime.environment().steady_now() + duration;
  auto start = [&](UniqueFunction<void(bool)> complete) {
    runtime.timers(executor).arm(timer, due);
    waiter.complete = std::move(complete);
    const Enlisted enlisted = enlist(waiter);
    if (enlisted == Enlisted::waiting) return;
    auto resume = std::move(waiter.complete);
    resume(enlisted == Enlisted::already_there);
  };
  const bool has_come = co_await wait_for_completion<bool>(start);
  co_return has_come;
}

Waiters::Enlisted Waiters::enlist(Waiter& waiter) {
  const std::lock_guard lock(mutex_);
  if (is_released_ || *waiter.is_over) return Enlisted::over;
  if (announced_next_ > waiter.offset || wakes() != waiter.wakes_seen) {
    return Enlisted::already_there;
  }
  if (list_.size() >= limits::kWaitersPerQueueMax || !count_->try_add()) {
    refused_waits().add();
    return Enlisted::too_many;
  }
  waiter.is_waiting = true;
  list_.push_back(waiter);
  by_is_over_.insert(waiter);
  return Enlisted::waiting;
}

bool Waiters::withdraw(Waiter& waiter) {
  const std::lock_guard lock(mutex_);
  if (!waiter.is_waiting) return false;
  unlist(waiter);
  return true;
}

Waiters::List::iterator Waiters::unlist(Waiter& waiter) {
  waiter.is_waiting = false;
  count_->remove(1);
  by_is_over_.erase(by_is_over_.iterator_to(waiter));
  return list_.erase(list_.iterator_to(waiter));
}

Waiters::List Waiters::unlist_all() {
  for (Waiter& waiter : list_) waiter.is_waiting = false;
  count_->remove(list_.size());
  by_is_over_.clear();
  List all;
  all.swap(list_);
  return all;
}

void Waiters::wake() {
  List woken;
  {
    const std::lock_guard lock(mutex_);
    wakes_.fetch_add(1, std::memory_order_release);
    woken = unlist_all();
  }
  complete_all(woken, Outcome::something_came);
}

void Waiters::release() {
  List ended;
  {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    ended = unlist_all();
  }
  complete_all(ended, Outcome::time_ran_out);
}

void Waiters::release_over(const std::atomic<bool>* is_over) {
  List ended;
  {
    const std::lock_guard lock(mutex_);
    auto [it, end] = by_is_over_.equal_range(is_over);
    while (it != end) {
      Waiter& waiter = *it++;
      // Another one, if its caller has ended meanwhile and a new one has its place in memory.
      if (!*waiter.is_over) continue;
      unlist(waiter);
      ended.push_back(waiter);
    }
  }
  complete_all(ended, Outcome::time_ran_out);
}

void Waiters::announce(std::int64_t next, std::span<const std::uint64_t> tag_hashes) {
  List woken;
  {
    const std::lock_guard lock(mutex_);
    announced_next_ = std::max(announced_next_, next);
    for (auto it = list_.begin(); it != list_.end();) {
      Waiter& waiter = *it;
      if (waiter.offset >= next || !matches(waiter.tag_hashes, tag_hashes)) {
        ++it;
        continue;
      }
      it = unlist(waiter);
      woken.push_back(waiter);
    }
  }
  complete_all(woken, Outcome::something_came);
}

void Waiters::complete_all(List& waiters, Outcome outcome) {
  while (!waiters.empty()) {
    Waiter& waiter = waiters.front();
    waiters.pop_front();
    // The waiter goes with its coroutine, which this call may resume and end.
    auto complete = std::move(waiter.complete);
    complete(outcome == Outcome::something_came);
  }
}

}  // namespace sluice::broker
