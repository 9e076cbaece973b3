#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <boost/asio/post.hpp>

#include "common/runtime/runtime.hpp"
#include "tests/support/run_task.hpp"

namespace sluice {
namespace {

Task<std::thread::id> thread_of_loop() {
  co_return std::this_thread::get_id();
}

TEST(Runtime, RunsEveryLoopOnAThreadOfItsOwn) {
  test::TestRuntime runtime({.loops = 4});
  ASSERT_EQ(runtime->loop_count(), 4U);
  std::set<std::thread::id> threads;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto first = test::wait_for_result(test::start(runtime->loop(i), thread_of_loop()));
    const auto second = test::wait_for_result(test::start(runtime->loop(i), thread_of_loop()));
    EXPECT_EQ(*first, *second);
    threads.insert(*first);
  }
  EXPECT_EQ(threads.size(), 4U);
}

TEST(Runtime, HandsOutLoopsInTurn) {
  test::TestRuntime runtime({.loops = 3});
  const Executor first = runtime->next_loop();
  EXPECT_NE(runtime->next_loop(), first);
  EXPECT_NE(runtime->next_loop(), first);
  EXPECT_EQ(runtime->next_loop(), first);
}

TEST(Runtime, RunsBlockingWorkOnNoLoop) {
  test::TestRuntime runtime({.loops = 1, .workers = 2});
  const auto loop_thread = test::run(*runtime, thread_of_loop());
  std::promise<std::thread::id> worker;
  runtime->run_blocking([&] { worker.set_value(std::this_thread::get_id()); });
  EXPECT_NE(worker.get_future().get(), *loop_thread);
}

TEST(Runtime, RunsAsMuchBlockingWorkAtOnceAsItHasWorkers) {
  test::TestRuntime runtime({.loops = 1, .workers = 3});
  std::atomic<int> running{0};
  std::promise<void> all_run;
  const auto release = all_run.get_future().share();
  for (int i = 0; i < 3; ++i) {
    runtime->run_blocking([&, release] {
      ++running;
      release.wait();
    });
  }
  EXPECT_TRUE(test::wait_until([&] { return running == 3; }));
  all_run.set_value();
}

TEST(Runtime, FinishesBlockingWorkBeforeItIsDestroyed) {
  std::atomic<int> done{0};
  {
    test::TestRuntime runtime({.loops = 1, .workers = 1});
    for (int i = 0; i < 100; ++i) runtime->run_blocking([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}

Task<std::chrono::steady_clock::duration> time_sleep(Runtime* runtime,
                                                     std::chrono::milliseconds duration) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  const auto begin = std::chrono::steady_clock::now();
  const auto slept = co_await sleep_for(*runtime, duration);
  SLUICE_CO_TRY(slept);
  if (!executor.running_in_this_thread()) co_return fail(Errc::internal, "on another loop");
  co_return std::chrono::steady_clock::now() - begin;
}

TEST(SleepFor, SleepsAtLeastAsLongAsAsked) {
  test::TestRuntime runtime({.loops = 2});
  for (const int milliseconds : {0, 1, 9, 10, 11, 35}) {
    for (const std::uint32_t loop : {0U, 1U}) {
      const std::chrono::milliseconds duration(milliseconds);
      const auto slept =
          test::wait_for_result(test::start(runtime->loop(loop), time_sleep(&*runtime, duration)));
      ASSERT_TRUE(slept);
      EXPECT_GE(*slept, duration);
    }
  }
}

TEST(SleepFor, LetsOthersRunMeanwhile) {
  test::TestRuntime runtime;
  auto sleeper = test::start(runtime->loop(0), time_sleep(&*runtime, std::chrono::hours(1)));
  EXPECT_TRUE(test::run(*runtime, thread_of_loop()));
  EXPECT_EQ(sleeper.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

Task<> sleep_with(Runtime* runtime, std::shared_ptr<int> held) {
  const auto slept = co_await sleep_for(*runtime, std::chrono::hours(1));
  SLUICE_CO_TRY(slept);
  *held = 1;
  co_return Result<>{};
}

TEST(Runtime, DestroysCoroutinesThatSleepWithIt) {
  const auto held = std::make_shared<int>(0);
  {
    std::vector<std::future<Result<>>> sleepers;
    test::TestRuntime runtime({.loops = 2});
    for (std::uint32_t i = 0; i < 20; ++i) {
      sleepers.push_back(test::start(runtime->loop(i % 2), sleep_with(&*runtime, held)));
    }
    for (const std::uint32_t loop : {0U, 1U}) {
      EXPECT_TRUE(test::wait_for_result(test::start(runtime->loop(loop), thread_of_loop())));
    }
    EXPECT_GT(held.use_count(), 1);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Runtime, StopsFromAnyThread) {
  test::TestRuntime runtime({.loops = 3});
  boost::asio::post(runtime->loop(1), [&] { runtime->stop(); });
  runtime.stop();
  SUCCEED();
}

TEST(SystemEnvironment, GivesDifferentRandomNumbersAndASteadyClock) {
  Environment& environment = system_environment();
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 1000; ++i) numbers.insert(environment.random());
  EXPECT_EQ(numbers.size(), 1000U);
  const auto first = environment.steady_now();
  EXPECT_LE(first, environment.steady_now());
  EXPECT_GT(environment.now(), UnixMillis{1'700'000'000'000});
}

}  // namespace
}  // namespace sluice
