#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include <boost/asio/post.hpp>

#include "common/runtime/one_shot.hpp"
#include "common/runtime/spawn.hpp"
#include "tests/support/run_task.hpp"

namespace sluice {
namespace {

using Complete = UniqueFunction<void(std::string)>;

/// Where a coroutine leaves the function that resumes it.
struct Waiting {
  Complete complete;
  std::atomic<bool> is_there{false};
};

Task<std::string> wait_at(Waiting* waiting) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  auto start = [waiting](Complete complete) {
    waiting->complete = std::move(complete);
    waiting->is_there = true;
  };
  std::string value = co_await wait_for_completion<std::string>(start);
  if (!executor.running_in_this_thread()) co_return fail(Errc::internal, "on another loop");
  co_return value;
}

TEST(OneShot, ResumesOnItsOwnLoopWhenAnotherThreadCompletes) {
  test::TestRuntime runtime({.loops = 2});
  for (const std::uint32_t loop : {0U, 1U}) {
    Waiting waiting;
    auto result = test::start(runtime->loop(loop), wait_at(&waiting));
    ASSERT_TRUE(test::wait_until([&] { return waiting.is_there.load(); }));
    std::thread other([&] { waiting.complete("from outside"); });
    other.join();
    EXPECT_EQ(test::wait_for_result(std::move(result)), "from outside");
  }
}

TEST(OneShot, ResumesOnItsOwnLoopWhenAnotherLoopCompletes) {
  test::TestRuntime runtime({.loops = 2});
  Waiting waiting;
  auto result = test::start(runtime->loop(0), wait_at(&waiting));
  ASSERT_TRUE(test::wait_until([&] { return waiting.is_there.load(); }));
  boost::asio::post(runtime->loop(1), [&] { waiting.complete("from a loop"); });
  EXPECT_EQ(test::wait_for_result(std::move(result)), "from a loop");
}

Task<std::string> complete_at_once() {
  auto start = [](Complete complete) { complete("at once"); };
  co_return co_await wait_for_completion<std::string>(start);
}

TEST(OneShot, MayBeCompletedBeforeStartReturns) {
  test::TestRuntime runtime;
  EXPECT_EQ(test::run(*runtime, complete_at_once()), "at once");
}

TEST(OneShot, ResumesInsideTheCallWhenCompletedOnTheSameLoop) {
  test::TestRuntime runtime;
  Waiting waiting;
  auto result = test::start(runtime->loop(0), wait_at(&waiting));
  ASSERT_TRUE(test::wait_until([&] { return waiting.is_there.load(); }));
  std::promise<bool> was_resumed;
  boost::asio::post(runtime->loop(0), [&] {
    waiting.complete("inside");
    was_resumed.set_value(result.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
  });
  EXPECT_TRUE(was_resumed.get_future().get());
}

Task<> hold_until_completed(std::shared_ptr<int> held, Waiting* waiting) {
  auto start = [waiting](Complete complete) {
    waiting->complete = std::move(complete);
    waiting->is_there = true;
  };
  co_await wait_for_completion<std::string>(start);
  *held = 1;
  co_return Result<>{};
}

TEST(OneShot, DestroysTheCoroutineWhenItsFunctionIsDestroyedUnused) {
  test::TestRuntime runtime;
  Waiting waiting;
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> watch = held;
  spawn(runtime->loop(0), hold_until_completed(std::move(held), &waiting));
  ASSERT_TRUE(test::wait_until([&] { return waiting.is_there.load(); }));
  EXPECT_FALSE(watch.expired());
  boost::asio::post(runtime->loop(0), [&] { waiting.complete = {}; });
  EXPECT_TRUE(test::wait_until([&] { return watch.expired(); }));
}

Task<int> move_through() {
  auto start = [](UniqueFunction<void(std::unique_ptr<int>)> complete) {
    complete(std::make_unique<int>(6));
  };
  const auto value = co_await wait_for_completion<std::unique_ptr<int>>(start);
  co_return *value;
}

TEST(OneShot, HandsOverAValueThatCannotBeCopied) {
  test::TestRuntime runtime;
  EXPECT_EQ(test::run(*runtime, move_through()), 6);
}

}  // namespace
}  // namespace sluice
