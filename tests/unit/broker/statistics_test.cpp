#include "broker/statistics/statistics.hpp"

#include <gtest/gtest.h>

#include "broker/statistics/topic_traffic.hpp"

namespace sluice::broker {

namespace {

using Kind = Statistics::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kDay = 20'000;

/// Statistics on a clock of their own.
class StatisticsTest : public testing::Test {
 protected:
  /// Looks at the counts every 10 s for so long; `messages` flow through `traffic` in between.
  void run(seconds time, Traffic* traffic = nullptr, std::uint64_t messages = 0) {
    for (seconds left = time; left.count() > 0; left -= limits::kStatisticsInterval) {
      if (traffic != nullptr) traffic->add(messages, messages * 100);
      now_ += limits::kStatisticsInterval;
      statistics_.sample(now_, day_);
    }
  }

  Statistics::Recent recent(Kind kind, std::string_view name) {
    const auto found = statistics_.recent(kind, name);
    EXPECT_TRUE(found) << name;
    return found.value_or(Statistics::Recent{});
  }

  Statistics statistics_{3};
  Environment::Instant now_{seconds(1000)};
  std::int64_t day_ = kDay;
};

TEST_F(StatisticsTest, KnowsNothingOfANameThatWasNeverCounted) {
  EXPECT_FALSE(statistics_.recent(Kind::topic_put, "orders"));
  EXPECT_EQ(statistics_.rate(Kind::topic_put, "orders"), 0);
}

TEST_F(StatisticsTest, TellsWhatFlowedInTheLastMinute) {
  const auto traffic = statistics_.find(Kind::topic_put, "orders");
  run(seconds(60), traffic.get(), 20);
  const auto minute = recent(Kind::topic_put, "orders").minute;
  EXPECT_EQ(minute.flow, (Flow{.messages = 120, .bytes = 12'000, .calls = 6}));
  EXPECT_EQ(minute.time, milliseconds(60'000));
  EXPECT_DOUBLE_EQ(statistics_.rate(Kind::topic_put, "orders"), 2.0);
  run(seconds(60));
  EXPECT_EQ(recent(Kind::topic_put, "orders").minute.flow, Flow{}) << "a minute later";
  EXPECT_EQ(statistics_.rate(Kind::topic_put, "orders"), 0);
}

TEST_F(StatisticsTest, CountsWhatIsNewFromTheBeginOfItsFirstInterval) {
  run(seconds(60));
  const auto traffic = statistics_.find(Kind::topic_put, "orders");
  run(seconds(10), traffic.get(), 5);
  EXPECT_DOUBLE_EQ(statistics_.rate(Kind::topic_put, "orders"), 0.5);
}

TEST_F(StatisticsTest, TellsWhatFlowedInTheLastHourAndDay) {
  const auto traffic = statistics_.find(Kind::group_get, "orders@g");
  run(seconds(3600 + 600), traffic.get(), 10);
  const auto after_an_hour = recent(Kind::group_get, "orders@g");
  EXPECT_EQ(after_an_hour.hour.flow.messages, 3600U);
  EXPECT_EQ(after_an_hour.hour.time, milliseconds(3'600'000));
  run(seconds(24 * 3600));
  const auto after_a_day = recent(Kind::group_get, "orders@g");
  EXPECT_EQ(after_a_day.hour.flow.messages, 0U);
  EXPECT_GT(after_a_day.day.flow.messages, 0U);
  run(seconds(24 * 3600));
  EXPECT_EQ(recent(Kind::group_get, "orders@g").day.flow.messages, 0U);
}

TEST_F(StatisticsTest, IsTheSameForTheSameName) {
  EXPECT_EQ(statistics_.find(Kind::topic_put, "a"), statistics_.find(Kind::topic_put, "a"));
  EXPECT_NE(statistics_.find(Kind::topic_put, "a"), statistics_.find(Kind::group_get, "a"));
}

TEST_F(StatisticsTest, CountsNothingOnItsOwnBeyondItsBoundUntilThereIsRoom) {
  static_cast<void>(statistics_.find(Kind::topic_put, "a"));
  static_cast<void>(statistics_.find(Kind::group_get, "a@g"));
  static_cast<void>(statistics_.find(Kind::group_get, "a@h"));
  EXPECT_EQ(statistics_.find(Kind::topic_put, "b"), statistics_.uncounted());
  EXPECT_FALSE(statistics_.recent(Kind::topic_put, "b"));
  statistics_.forget_topic("a");
  EXPECT_FALSE(statistics_.recent(Kind::group_get, "a@g"));
  EXPECT_NE(statistics_.find(Kind::topic_put, "b"), statistics_.uncounted());
}

TEST_F(StatisticsTest, ForgetsATopicAndNoneWhoseNameBeginsLikeIt) {
  static_cast<void>(statistics_.find(Kind::group_get, "ab@g"));
  statistics_.forget_topic("a");
  EXPECT_TRUE(statistics_.recent(Kind::group_get, "ab@g"));
}

TEST_F(StatisticsTest, RemembersTheTotalsOfTheMornings) {
  run(seconds(10), &statistics_.put(), 7);
  EXPECT_EQ(statistics_.days().now.put.messages, 7U);
  EXPECT_EQ(statistics_.days().today.put.messages, 0U);
  day_ = kDay + 1;
  run(seconds(10), &statistics_.put(), 1);
  EXPECT_EQ(statistics_.days().today.put.messages, 8U);
  EXPECT_EQ(statistics_.days().yesterday.put.messages, 0U);
  day_ = kDay + 2;
  run(seconds(10));
  EXPECT_EQ(statistics_.days().today.put.messages, 8U);
  EXPECT_EQ(statistics_.days().yesterday.put.messages, 8U);
  day_ = kDay;
  run(seconds(10));
  EXPECT_EQ(statistics_.days().today.put.messages, 8U) << "a clock that was set back";
}

TEST_F(StatisticsTest, TellsThePaceOfTheBroker) {
  run(seconds(600), &statistics_.got(), 10);
  run(seconds(10), &statistics_.got(), 100);
  const auto pace = statistics_.got_pace();
  EXPECT_DOUBLE_EQ(pace.ten_seconds.per_second(pace.ten_seconds.flow.messages), 10.0);
  EXPECT_DOUBLE_EQ(pace.minute.per_second(pace.minute.flow.messages), 2.5);
  EXPECT_NEAR(pace.ten_minutes.per_second(pace.ten_minutes.flow.messages), 1.15, 0.001);
  EXPECT_EQ(statistics_.put_pace().ten_seconds.flow, Flow{});
}

TEST_F(StatisticsTest, IsFoundOnceByATopic) {
  TopicTraffic traffic;
  Traffic& put = traffic.put(statistics_, "orders");
  EXPECT_EQ(&traffic.put(statistics_, "orders"), &put);
  EXPECT_EQ(&put, statistics_.find(Kind::topic_put, "orders").get());
  const auto got = traffic.got(statistics_, "orders", "g");
  EXPECT_EQ(traffic.got(statistics_, "orders", "g"), got);
  EXPECT_EQ(got, statistics_.find(Kind::group_get, "orders@g"));
}

}  // namespace

}  // namespace sluice::broker
