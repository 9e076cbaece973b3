#include "broker/queue/waiters.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::broker {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

std::uint64_t refused_waits() {
  return metrics::counter("sluice_pull_waits_refused_total", "", "").value();
}

/// Two queues of a broker at which two pulls may wait. One loop: what is started first waits first.
class WaitersTest : public testing::Test {
 protected:
  ~WaitersTest() override {
    first_.release();
    second_.release();
  }

  static Task<bool> wait_at(Waiters* waiters, Runtime* runtime, milliseconds duration,
                            const std::atomic<bool>* is_over) {
    const bool has_come = co_await waiters->wait(*runtime, 0, {}, duration, is_over, 0);
    co_return has_come;
  }

  std::future<Result<bool>> start(Waiters& waiters, milliseconds duration = kLong) {
    return test::start(runtime_->loop(0), wait_at(&waiters, &*runtime_, duration, &is_over_));
  }

  bool wait(Waiters& waiters, milliseconds duration = kLong) {
    return test::wait_for_result(start(waiters, duration)).value();
  }

  std::atomic<bool> is_over_{false};
  std::shared_ptr<WaiterCount> count_ = std::make_shared<WaiterCount>(2);
  Waiters first_{count_};
  Waiters second_{count_};
  test::TestRuntime runtime_;
};

TEST_F(WaitersTest, AnswersAtOnceWhenTheBoundOfAllQueuesIsReached) {
  const std::uint64_t refused_before = refused_waits();
  auto one = start(first_);
  auto other = start(second_);
  EXPECT_FALSE(wait(first_));
  EXPECT_FALSE(wait(second_));
  EXPECT_EQ(refused_waits() - refused_before, 2U);

  first_.announce(1, {});
  second_.announce(1, {});
  EXPECT_TRUE(test::wait_for_result(std::move(one)).value());
  EXPECT_TRUE(test::wait_for_result(std::move(other)).value());
}

TEST_F(WaitersTest, GivesThePlaceBackHoweverTheWaitEnds) {
  const std::uint64_t refused_before = refused_waits();
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(wait(first_, milliseconds(1)));  // Time runs out.

    Waiters queue(count_);
    auto released = start(queue);
    EXPECT_FALSE(wait(second_, milliseconds(1)));
    queue.release();
    EXPECT_FALSE(test::wait_for_result(std::move(released)).value());

    auto over = start(first_);
    EXPECT_FALSE(wait(second_, milliseconds(1)));
    is_over_ = true;
    first_.release_over(&is_over_);
    EXPECT_FALSE(test::wait_for_result(std::move(over)).value());
    is_over_ = false;

    Waiters other_queue(count_);
    auto woken = start(other_queue);
    EXPECT_FALSE(wait(second_, milliseconds(1)));
    other_queue.wake();
    EXPECT_TRUE(test::wait_for_result(std::move(woken)).value());
  }
  auto one = start(first_);
  auto other = start(first_);
  EXPECT_FALSE(wait(second_));  // Two wait, so this one has no place: it shows that they began.
  EXPECT_EQ(refused_waits() - refused_before, 1U);
  first_.announce(1, {});
  EXPECT_TRUE(test::wait_for_result(std::move(one)).value());
  EXPECT_TRUE(test::wait_for_result(std::move(other)).value());
  EXPECT_FALSE(wait(second_, milliseconds(1)));
  EXPECT_EQ(refused_waits() - refused_before, 1U);
}

// Between the look at what a wake may tell of and the wait.
TEST_F(WaitersTest, DoesNotMissAWakeThatComesBeforeTheWait) {
  EXPECT_EQ(first_.wakes(), 0U);
  first_.wake();
  EXPECT_TRUE(wait(first_));
}

TEST_F(WaitersTest, AnswersAtOnceWhenTheBoundOfOneQueueIsReached) {
  Waiters queue(std::make_shared<WaiterCount>());
  const std::uint64_t refused_before = refused_waits();
  std::vector<std::future<Result<bool>>> waiting;
  for (std::size_t i = 0; i < limits::kWaitersPerQueueMax; ++i) waiting.push_back(start(queue));
  EXPECT_FALSE(wait(queue));
  EXPECT_EQ(refused_waits() - refused_before, 1U);
  queue.release();
  for (auto& one : waiting) EXPECT_FALSE(test::wait_for_result(std::move(one)).value());
}

}  // namespace

}  // namespace sluice::broker
