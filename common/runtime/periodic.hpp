#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/asio/post.hpp>

#include "common/runtime/runtime.hpp"

namespace sluice {

/// Calls a function on one loop every `interval`, first after one interval, until destroyed. May be
/// made and destroyed on any thread, but not from inside the function. Once the destructor has
/// returned, the function runs no more. The runtime must outlive it.
class Periodic {
 public:
  Periodic(Runtime& runtime, Executor executor, std::chrono::milliseconds interval,
           std::function<void()> work)
      : executor_(executor),
        state_(std::make_shared<State>(runtime, executor, interval, std::move(work))) {
    boost::asio::post(executor_, [state = state_] { state->arm(); });
  }

  ~Periodic() {
    state_->stop();
    // The timer may be touched on its loop only: it goes there.
    boost::asio::post(executor_, [state = std::move(state_)] { state->timer.cancel(); });
  }
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  struct State {
    State(Runtime& runtime_in, Executor executor_in, std::chrono::milliseconds interval_in,
          std::function<void()> work_in)
        : runtime(runtime_in),
          executor(executor_in),
          interval(interval_in),
          work(std::move(work_in)),
          timer([this] { fire(); }) {}

    void arm() {
      runtime.timers(executor).arm(timer, runtime.environment().steady_now() + interval);
    }

    void fire() {
      {
        const std::lock_guard lock(mutex);
        if (!work) return;
        work();
      }
      arm();
    }

    void stop() {
      const std::lock_guard lock(mutex);
      work = nullptr;
    }

    Runtime& runtime;
    Executor executor;
    std::chrono::milliseconds interval;
    std::mutex mutex;
    std::function<void()> work;
    TimerWheel::Timer timer;
  };

  Executor executor_;
  std::shared_ptr<State> state_;
};

}  // namespace sluice
