#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <vector>

#include <boost/asio/post.hpp>

#include "common/runtime/async_mutex.hpp"
#include "common/runtime/join.hpp"
#include "common/runtime/spawn.hpp"
#include "tests/support/run_task.hpp"

namespace sluice {
namespace {

struct Shared {
  AsyncMutex mutex;
  int inside = 0;  ///< Under the mutex: coroutines in the section.
  int most_inside = 0;
  int entered = 0;
};

Task<> enter_often(Shared* shared) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  for (int i = 0; i < 200; ++i) {
    const auto guard = co_await shared->mutex.lock();
    ++shared->inside;
    shared->most_inside = std::max(shared->most_inside, shared->inside);
    co_await boost::asio::post(executor, kAwait);
    ++shared->entered;
    --shared->inside;
    if (!executor.running_in_this_thread()) co_return fail(Errc::internal, "on another loop");
  }
  co_return Result<>{};
}

TEST(AsyncMutex, LetsOneCoroutineThroughAtATime) {
  test::TestRuntime runtime({.loops = 2});
  Shared shared;
  std::vector<std::future<Result<>>> tasks;
  for (std::uint32_t i = 0; i < 8; ++i) {
    tasks.push_back(test::start(runtime->loop(i % 2), enter_often(&shared)));
  }
  for (auto& task : tasks) EXPECT_TRUE(test::wait_for_result(std::move(task)));
  EXPECT_EQ(shared.most_inside, 1);
  EXPECT_EQ(shared.entered, 8 * 200);
}

struct Queue {
  AsyncMutex mutex;
  std::vector<int> order;
};

Task<> enter_once(Queue* queue, int number) {
  const auto guard = co_await queue->mutex.lock();
  queue->order.push_back(number);
  co_return Result<>{};
}

Task<> enter_in_order(Queue* queue) {
  std::vector<Task<>> tasks;
  for (int i = 0; i < 10; ++i) tasks.push_back(enter_once(queue, i));
  const auto results = co_await wait_for_all(std::move(tasks));
  for (const auto& result : results) SLUICE_CO_TRY(result);
  co_return Result<>{};
}

TEST(AsyncMutex, LetsThemThroughInTheOrderTheyCame) {
  test::TestRuntime runtime;
  Queue queue;
  ASSERT_TRUE(test::run(*runtime, enter_in_order(&queue)));
  EXPECT_EQ(queue.order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

struct Nesting {
  AsyncMutex mutex;
  int depth = 0;
  int most = 0;
};

Task<> unlock_and_look(Nesting* nesting) {
  auto locked = co_await nesting->mutex.lock();
  std::optional<AsyncMutex::Guard> guard(std::move(locked));
  ++nesting->depth;
  nesting->most = std::max(nesting->most, nesting->depth);
  guard.reset();
  --nesting->depth;
  co_return Result<>{};
}

Task<> hold_then_unlock(Nesting* nesting) {
  const auto guard = co_await nesting->mutex.lock();
  std::vector<Task<>> tasks;
  for (int i = 0; i < 10; ++i) tasks.push_back(unlock_and_look(nesting));
  for (auto& task : tasks) {
    const Executor executor = co_await boost::asio::this_coro::executor;
    spawn(executor, std::move(task));
  }
  co_return Result<>{};
}

TEST(AsyncMutex, ResumesNobodyInsideAnUnlock) {
  test::TestRuntime runtime;
  Nesting nesting;
  ASSERT_TRUE(test::run(*runtime, hold_then_unlock(&nesting)));
  ASSERT_TRUE(test::run(*runtime, unlock_and_look(&nesting)));  // Behind all others.
  EXPECT_EQ(nesting.most, 1);
}

}  // namespace
}  // namespace sluice
