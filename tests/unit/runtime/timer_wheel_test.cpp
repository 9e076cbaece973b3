#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "common/runtime/timer_wheel.hpp"

namespace sluice {
namespace {

using std::chrono::milliseconds;

/// A wheel on a clock of its own.
class TimerWheelTest : public testing::Test {
 protected:
  using Instant = TimerWheel::Instant;

  /// Lets time pass in steps as an event loop does.
  void pass(milliseconds duration, milliseconds step = TimerWheel::kTick) {
    const Instant end = now + duration;
    while (now < end) {
      now = std::min(now + step, end);
      wheel.advance(now);
    }
  }

  Instant now{std::chrono::hours(5)};
  TimerWheel wheel{now};
};

TEST_F(TimerWheelTest, FiresNeverEarlyAndAtMostTwoTicksLate) {
  for (int due_in = 0; due_in <= 45; ++due_in) {
    for (int begin = 0; begin < 10; ++begin) {
      Instant fired_at{};
      TimerWheel::Timer timer([&] { fired_at = now; });
      const Instant due = now + milliseconds(due_in);
      wheel.arm(timer, due);
      pass(milliseconds(70), milliseconds(1));
      ASSERT_GE(fired_at, due) << due_in << " ms";
      ASSERT_LE(fired_at, due + 2 * TimerWheel::kTick) << due_in << " ms";
      pass(milliseconds(1), milliseconds(1));
    }
  }
}

TEST_F(TimerWheelTest, FiresOnce) {
  int fired = 0;
  TimerWheel::Timer timer([&] { ++fired; });
  wheel.arm(timer, now + milliseconds(30));
  EXPECT_TRUE(timer.is_armed());
  pass(std::chrono::minutes(2));
  EXPECT_EQ(fired, 1);
  EXPECT_FALSE(timer.is_armed());
}

TEST_F(TimerWheelTest, FiresALongTimerAfterSeveralTurnsAndNotBefore) {
  for (const std::chrono::seconds duration :
       {std::chrono::seconds(40), std::chrono::seconds(41), std::chrono::seconds(100),
        std::chrono::seconds(3600)}) {
    Instant fired_at{};
    TimerWheel::Timer timer([&] { fired_at = now; });
    const Instant due = now + duration;
    wheel.arm(timer, due);
    pass(duration + milliseconds(50));
    EXPECT_GE(fired_at, due) << duration.count() << " s";
    EXPECT_LE(fired_at, due + 2 * TimerWheel::kTick) << duration.count() << " s";
  }
}

TEST_F(TimerWheelTest, FiresATimerThatWasDueLongAgoInTheNextTick) {
  pass(milliseconds(100));
  bool has_fired = false;
  TimerWheel::Timer timer([&] { has_fired = true; });
  wheel.arm(timer, now - std::chrono::hours(1));
  EXPECT_FALSE(has_fired);
  pass(TimerWheel::kTick);
  EXPECT_TRUE(has_fired);
}

TEST_F(TimerWheelTest, FiresAllThatIsDueWhenTheLoopWasHeldUp) {
  int fired = 0;
  std::vector<std::unique_ptr<TimerWheel::Timer>> timers;
  for (int i = 0; i < 200; ++i) {
    timers.push_back(std::make_unique<TimerWheel::Timer>([&] { ++fired; }));
    wheel.arm(*timers.back(), now + milliseconds(i * 50));
  }
  pass(std::chrono::seconds(60), std::chrono::seconds(60));
  EXPECT_EQ(fired, 200);
  EXPECT_TRUE(wheel.empty());
}

TEST_F(TimerWheelTest, ArmingAgainMovesATimerLater) {
  Instant fired_at{};
  TimerWheel::Timer timer([&] { fired_at = now; });
  wheel.arm(timer, now + milliseconds(20));
  const Instant due = now + milliseconds(200);
  wheel.arm(timer, due);
  pass(milliseconds(300));
  EXPECT_GE(fired_at, due);
}

TEST_F(TimerWheelTest, ArmingAgainMovesATimerEarlier) {
  Instant fired_at{};
  TimerWheel::Timer timer([&] { fired_at = now; });
  const Instant first = now + milliseconds(500);
  wheel.arm(timer, first);
  wheel.arm(timer, now + milliseconds(20));
  pass(milliseconds(600));
  EXPECT_LT(fired_at, first - milliseconds(400));
}

TEST_F(TimerWheelTest, DoesNotFireACancelledTimer) {
  bool has_fired = false;
  TimerWheel::Timer timer([&] { has_fired = true; });
  wheel.arm(timer, now + milliseconds(20));
  timer.cancel();
  timer.cancel();
  pass(milliseconds(100));
  EXPECT_FALSE(has_fired);
  EXPECT_TRUE(wheel.empty());
}

TEST_F(TimerWheelTest, DoesNotFireADestroyedTimer) {
  bool has_fired = false;
  {
    TimerWheel::Timer timer([&] { has_fired = true; });
    wheel.arm(timer, now + milliseconds(20));
  }
  pass(milliseconds(100));
  EXPECT_FALSE(has_fired);
}

TEST_F(TimerWheelTest, ACallbackMayCancelAnotherTimerOfTheSameTick) {
  int fired = 0;
  TimerWheel::Timer first;
  TimerWheel::Timer second;
  first.on_fire([&] {
    ++fired;
    second.cancel();
  });
  second.on_fire([&] {
    ++fired;
    first.cancel();
  });
  wheel.arm(first, now + milliseconds(20));
  wheel.arm(second, now + milliseconds(20));
  pass(milliseconds(100));
  EXPECT_EQ(fired, 1);
}

TEST_F(TimerWheelTest, ACallbackMayDestroyAnotherTimerOfTheSameTick) {
  auto victim = std::make_unique<TimerWheel::Timer>([] { FAIL() << "fired after its end"; });
  TimerWheel::Timer timer([&] { victim.reset(); });
  wheel.arm(timer, now + milliseconds(20));
  wheel.arm(*victim, now + milliseconds(20));
  pass(milliseconds(100));
  EXPECT_EQ(victim, nullptr);
}

TEST_F(TimerWheelTest, ACallbackMayArmItsOwnTimer) {
  int fired = 0;
  TimerWheel::Timer timer;
  timer.on_fire([&] {
    if (++fired < 5) wheel.arm(timer, now + milliseconds(30));
  });
  wheel.arm(timer, now + milliseconds(30));
  pass(milliseconds(500));
  EXPECT_EQ(fired, 5);
}

TEST_F(TimerWheelTest, ATimerThatArmsItselfForNowDoesNotKeepTheLoop) {
  int fired = 0;
  TimerWheel::Timer timer;
  timer.on_fire([&] {
    ++fired;
    wheel.arm(timer, now);
  });
  wheel.arm(timer, now);
  pass(milliseconds(100));
  EXPECT_LE(fired, 10);
  EXPECT_GE(fired, 9);
}

TEST_F(TimerWheelTest, ATimerArmedOneTurnAheadInItsCallbackWaitsForThatTurn) {
  // It goes into the very slot that is being fired.
  const milliseconds turn = 4096 * TimerWheel::kTick;
  std::vector<Instant> fired_at;
  TimerWheel::Timer timer;
  timer.on_fire([&] {
    fired_at.push_back(now);
    if (fired_at.size() == 1) wheel.arm(timer, now + turn);
  });
  wheel.arm(timer, now + milliseconds(50));
  pass(turn + milliseconds(200));
  ASSERT_EQ(fired_at.size(), 2U);
  EXPECT_GE(fired_at[1], fired_at[0] + turn);
}

TEST_F(TimerWheelTest, ClearDestroysCallbacksAndTheTimersThatTheyOwn) {
  // As in a coroutine that sleeps: the callback holds what the timer lies in.
  struct Sleeper {
    TimerWheel::Timer timer;
  };
  auto sleeper = std::make_shared<Sleeper>();
  const std::weak_ptr<Sleeper> watch = sleeper;
  sleeper->timer.on_fire([sleeper] { FAIL() << "fired"; });
  wheel.arm(sleeper->timer, now + milliseconds(20));
  sleeper.reset();
  ASSERT_FALSE(watch.expired());
  wheel.clear();
  EXPECT_TRUE(watch.expired());
  EXPECT_TRUE(wheel.empty());
}

TEST_F(TimerWheelTest, IsEmptyUntilATimerIsArmed) {
  EXPECT_TRUE(wheel.empty());
  TimerWheel::Timer timer([] {});
  wheel.arm(timer, now + milliseconds(20));
  EXPECT_FALSE(wheel.empty());
}

}  // namespace
}  // namespace sluice
