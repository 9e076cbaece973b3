#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "common/runtime/periodic.hpp"
#include "tests/support/run_task.hpp"

namespace sluice {
namespace {

TEST(Periodic, CallsAgainAndAgainOnItsLoopAndNotBeforeTheInterval) {
  test::TestRuntime runtime({.loops = 2});
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<int> calls{0};
  std::atomic<bool> was_elsewhere{false};
  const Executor loop = runtime->loop(1);
  const Periodic periodic(*runtime, loop, std::chrono::milliseconds(20), [&] {
    if (!loop.running_in_this_thread()) was_elsewhere = true;
    ++calls;
  });
  ASSERT_TRUE(test::wait_until([&] { return calls >= 3; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(60));
  EXPECT_FALSE(was_elsewhere);
}

TEST(Periodic, CallsNoMoreOnceDestroyed) {
  test::TestRuntime runtime;
  std::atomic<int> calls{0};
  auto periodic = std::make_unique<Periodic>(*runtime, runtime->loop(0),
                                             std::chrono::milliseconds(1), [&] { ++calls; });
  ASSERT_TRUE(test::wait_until([&] { return calls >= 2; }));
  periodic.reset();
  const int calls_before = calls;
  std::atomic<int> later{0};
  const Periodic other(*runtime, runtime->loop(0), std::chrono::milliseconds(1), [&] { ++later; });
  ASSERT_TRUE(test::wait_until([&] { return later >= 5; }));
  EXPECT_EQ(calls, calls_before);
}

TEST(Periodic, MayBeDestroyedBeforeItsFirstCall) {
  test::TestRuntime runtime;
  for (int i = 0; i < 100; ++i) {
    const Periodic periodic(*runtime, runtime->loop(0), std::chrono::hours(1), [] {});
  }
  SUCCEED();
}

}  // namespace
}  // namespace sluice
