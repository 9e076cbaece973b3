#include "common/runtime/runtime.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/base/assert.hpp"
#include "common/runtime/one_shot.hpp"

namespace sluice {

namespace asio = boost::asio;

/// One thread's io_context with the wheel that its timers live in.
struct Runtime::Loop {
  explicit Loop(Environment& environment_in)
      : environment(environment_in),
        context(1),
        work(context.get_executor()),
        wheel(environment_in.steady_now()),
        ticker(context) {}

  void tick() {
    ticker.expires_after(TimerWheel::kTick);
    ticker.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      wheel.advance(environment.steady_now());
      tick();
    });
  }

  Environment& environment;
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  TimerWheel wheel;
  asio::steady_timer ticker;
};

/// A plain pool: a queue, a few threads.
class Runtime::Workers {
 public:
  explicit Workers(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      threads_.emplace_back([this] { work(); });
    }
  }

  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void add(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_closing_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_closing_ = false;
  std::vector<std::thread> threads_;
};

Runtime::Runtime(Options options) : options_(options) {
  SLUICE_ASSERT(options_.loops >= 1 && options_.workers >= 1, "a runtime needs threads");
  for (std::uint32_t i = 0; i < options_.loops; ++i) {
    loops_.push_back(std::make_unique<Loop>(*options_.environment));
    loops_.back()->tick();
  }
  workers_ = std::make_unique<Workers>(options_.workers);
}

Runtime::~Runtime() {
  // Workers first: what they finish is posted to loops that still exist.
  workers_.reset();
  // While all loops exist: what a sleeping coroutine holds may belong to another.
  for (auto& loop : loops_) loop->wheel.clear();
}

void Runtime::run() {
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < loops_.size(); ++i) {
    threads.emplace_back([loop = loops_[i].get()] { loop->context.run(); });
  }
  loops_[0]->context.run();
  for (std::thread& thread : threads) thread.join();
}

void Runtime::stop() {
  for (auto& loop : loops_) loop->context.stop();
}

std::uint32_t Runtime::loop_count() const noexcept {
  return static_cast<std::uint32_t>(loops_.size());
}

Executor Runtime::loop(std::uint32_t index) const noexcept {
  return loops_[index]->context.get_executor();
}

Executor Runtime::next_loop() noexcept {
  const std::uint32_t index = next_.fetch_add(1, std::memory_order_relaxed) % loop_count();
  return loop(index);
}

TimerWheel& Runtime::timers(Executor executor) noexcept {
  for (auto& loop : loops_) {
    if (&loop->context == &executor.context()) return loop->wheel;
  }
  SLUICE_ASSERT(false, "the executor is one of this runtime's loops");
  return loops_[0]->wheel;
}

void Runtime::run_blocking(std::function<void()> work) {
  workers_->add(std::move(work));
}

Task<> sleep_for(Runtime& runtime, std::chrono::milliseconds duration) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  TimerWheel::Timer timer;
  const auto due = runtime.environment().steady_now() + duration;
  auto start = [&](UniqueFunction<void(bool)> complete) {
    auto shared = std::make_shared<UniqueFunction<void(bool)>>(std::move(complete));
    timer.on_fire([shared] {
      auto resume = std::move(*shared);
      resume(true);
    });
    runtime.timers(executor).arm(timer, due);
  };
  co_await wait_for_completion<bool>(start);
  co_return Result<>{};
}

}  // namespace sluice
