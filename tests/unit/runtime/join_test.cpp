#include <gtest/gtest.h>

#include <atomic>
#include <utility>
#include <vector>

#include "common/runtime/join.hpp"
#include "tests/support/run_task.hpp"

namespace sluice {
namespace {

Task<int> answer_after(Runtime* runtime, int milliseconds) {
  const auto slept = co_await sleep_for(*runtime, std::chrono::milliseconds(milliseconds));
  SLUICE_CO_TRY(slept);
  if (milliseconds == 0) co_return fail(Errc::conflict, "zero");
  co_return milliseconds;
}

Task<std::vector<Result<int>>> answer_all(Runtime* runtime, std::vector<int> delays) {
  std::vector<Task<int>> tasks;
  for (const int delay : delays) tasks.push_back(answer_after(runtime, delay));
  co_return co_await wait_for_all(std::move(tasks));
}

TEST(WaitForAll, GivesResultsInTheOrderOfTheTasks) {
  test::TestRuntime runtime;
  const auto results = test::run(*runtime, answer_all(&*runtime, {40, 0, 20, 1}));
  ASSERT_TRUE(results);
  ASSERT_EQ(results->size(), 4U);
  EXPECT_EQ((*results)[0], 40);
  EXPECT_EQ((*results)[1].error().code, Errc::conflict);
  EXPECT_EQ((*results)[2], 20);
  EXPECT_EQ((*results)[3], 1);
}

TEST(WaitForAll, OfNothingIsNothing) {
  test::TestRuntime runtime;
  const auto results = test::run(*runtime, answer_all(&*runtime, {}));
  ASSERT_TRUE(results);
  EXPECT_TRUE(results->empty());
}

Task<bool> is_on(Executor executor) {
  co_return executor.running_in_this_thread();
}

Task<bool> goes_and_comes_back(Executor other) {
  const Executor own = co_await boost::asio::this_coro::executor;
  const auto was_there = co_await run_on(other, is_on(other));
  SLUICE_CO_TRY(was_there);
  co_return *was_there&& own.running_in_this_thread();
}

TEST(RunOn, RunsOnTheOtherLoopAndResumesOnItsOwn) {
  test::TestRuntime runtime({.loops = 2});
  EXPECT_EQ(test::run(*runtime, goes_and_comes_back(runtime->loop(1))), true);
}

}  // namespace
}  // namespace sluice
