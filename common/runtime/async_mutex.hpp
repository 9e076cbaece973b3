#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "common/runtime/one_shot.hpp"

namespace sluice {

/// Lets one coroutine at a time through, in the order they came; the others are suspended, and no
/// thread waits. For rare work that must not overlap over a co_await, such as metadata changes.
class AsyncMutex {
 public:
  /// Holds the mutex until destroyed.
  class Guard {
   public:
    explicit Guard(AsyncMutex* mutex) noexcept : mutex_(mutex) {}
    Guard(Guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
    Guard& operator=(Guard&&) = delete;
    ~Guard() {
      if (mutex_ != nullptr) mutex_->unlock();
    }

   private:
    AsyncMutex* mutex_;
  };

  /// The mutex must outlive the guard.
  [[nodiscard]] boost::asio::awaitable<Guard, Executor> lock() {
    if (!try_lock()) {
      const Executor executor = co_await boost::asio::this_coro::executor;
      auto start = [this, &executor](UniqueFunction<void(bool)> resume) {
        wait({.executor = executor, .resume = std::move(resume)});
      };
      co_await wait_for_completion<bool>(start);
    }
    co_return Guard(this);
  }

 private:
  struct Waiting {
    Executor executor;
    UniqueFunction<void(bool)> resume;
  };

  bool try_lock() {
    const std::lock_guard lock(mutex_);
    return !std::exchange(is_locked_, true);
  }

  void wait(Waiting waiting) {
    {
      const std::lock_guard lock(mutex_);
      if (is_locked_) {
        waiting_.push_back(std::move(waiting));
        return;
      }
      is_locked_ = true;
    }
    waiting.resume(true);
  }

  /// The next one is posted: resumed here, a thousand of them would unlock inside one another.
  void unlock() {
    std::unique_lock lock(mutex_);
    if (waiting_.empty()) {
      is_locked_ = false;
      return;
    }
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    boost::asio::post(next.executor, [resume = std::move(next.resume)]() mutable { resume(true); });
  }

  std::mutex mutex_;
  bool is_locked_ = false;
  std::deque<Waiting> waiting_;
};

}  // namespace sluice
