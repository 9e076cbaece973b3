#include "gateway/sessions/hub.hpp"

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "gateway/sessions/mailbox.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/gateway/fake_broker.hpp"

namespace sluice::gateway {
namespace {

using test::FakeBroker;
using test::run;
using test::TestRuntime;

using Events = std::vector<model::Event>;

constexpr model::SessionId kSession{1};

model::Notice notice(model::SessionId session, std::string group) {
  return {.session = session, .event = model::GroupChanged{std::move(group)}};
}

Events groups(std::vector<std::string> names) {
  Events events;
  for (auto& name : names) events.push_back(model::GroupChanged{std::move(name)});
  return events;
}

class HubTest : public ::testing::Test {
 protected:
  ~HubTest() override {
    broker_.stop_watching();
    run(*runtime_, hub_.stop());
  }

  Result<Events> next(protocol::DeliveryStream& stream, std::uint32_t events_max = 100) {
    return run(*runtime_, stream.next(events_max));
  }

  FakeBroker broker_;
  TestRuntime runtime_;
  Hub hub_{*runtime_};
};

TEST_F(HubTest, BringsANoticeToTheSessionItIsFor) {
  const auto stream = hub_.attach(kSession);
  const auto other = hub_.attach(model::SessionId{2});
  hub_.watch(broker_);
  broker_.notify({notice(kSession, "g"), notice(model::SessionId{2}, "h")});
  EXPECT_EQ(next(*stream), groups({"g"}));
  EXPECT_EQ(next(*other), groups({"h"}));
}

TEST_F(HubTest, WakesASessionThatWaits) {
  const auto stream = hub_.attach(kSession);
  auto waiting = test::start(runtime_->loop(0), stream->next(100));
  hub_.dispatch({notice(kSession, "g")});
  EXPECT_EQ(test::wait_for_result(std::move(waiting)), groups({"g"}));
}

TEST_F(HubTest, TellsEqualNoticesThatWaitOnce) {
  const auto stream = hub_.attach(kSession);
  hub_.dispatch({notice(kSession, "g"), notice(kSession, "h"), notice(kSession, "g")});
  hub_.dispatch({notice(kSession, "h")});
  EXPECT_EQ(next(*stream), groups({"g", "h"}));
}

TEST_F(HubTest, TellsANoticeAgainThatComesAfterItWasTaken) {
  const auto stream = hub_.attach(kSession);
  hub_.dispatch({notice(kSession, "g")});
  EXPECT_EQ(next(*stream), groups({"g"}));
  hub_.dispatch({notice(kSession, "g")});
  EXPECT_EQ(next(*stream), groups({"g"}));
}

TEST_F(HubTest, GivesNoMoreEventsThanAskedForAndTheRestLater) {
  const auto stream = hub_.attach(kSession);
  hub_.dispatch({notice(kSession, "a"), notice(kSession, "b"), notice(kSession, "c")});
  EXPECT_EQ(next(*stream, 2), groups({"a", "b"}));
  EXPECT_EQ(next(*stream, 2), groups({"c"}));
}

TEST_F(HubTest, DropsTheOldestEventPastTheLimit) {
  const auto stream = hub_.attach(kSession);
  std::vector<model::Notice> notices;
  for (std::size_t i = 0; i <= limits::kEventsPerSessionMax; ++i) {
    notices.push_back(notice(kSession, "g" + std::to_string(i)));
  }
  hub_.dispatch(std::move(notices));
  const auto events = next(*stream, 1'000'000);
  ASSERT_TRUE(events);
  EXPECT_EQ(events->size(), limits::kEventsPerSessionMax);
  EXPECT_EQ(std::get<model::GroupChanged>(events->front()).group, "g1");
}

TEST_F(HubTest, KeepsFewQuestionsForASessionThatTakesNone) {
  const auto stream = hub_.attach(kSession);
  std::vector<model::Notice> notices;
  notices.push_back(notice(kSession, "g"));
  for (std::size_t i = 0; i <= limits::kClientRequestsPerSessionMax; ++i) {
    model::ClientRequest question;
    question.number = i;
    notices.push_back({.session = kSession, .event = std::move(question)});
  }
  hub_.dispatch(std::move(notices));
  const auto events = next(*stream);
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 1 + limits::kClientRequestsPerSessionMax);
  EXPECT_EQ(std::get<model::GroupChanged>((*events)[0]).group, "g");
  EXPECT_EQ(std::get<model::ClientRequest>((*events)[1]).number, 1U) << "the oldest went";
}

TEST_F(HubTest, DropsNoticesOfSessionsThatAreGone) {
  hub_.attach(kSession).reset();
  hub_.dispatch({notice(kSession, "old")});
  const auto stream = hub_.attach(kSession);
  hub_.dispatch({notice(kSession, "new")});
  EXPECT_EQ(next(*stream), groups({"new"}));
}

TEST_F(HubTest, EndsAWaitingStreamWhenItIsClosed) {
  const auto stream = hub_.attach(kSession);
  auto waiting = test::start(runtime_->loop(0), stream->next(100));
  stream->close();
  const auto ended = test::wait_for_result(std::move(waiting));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Errc::cancelled);
}

TEST_F(HubTest, ClosesTheOldStreamOfASessionThatAttachesAgain) {
  const auto old = hub_.attach(kSession);
  const auto stream = hub_.attach(kSession);
  EXPECT_FALSE(next(*old));
  hub_.dispatch({notice(kSession, "g")});
  EXPECT_EQ(next(*stream), groups({"g"}));
}

TEST_F(HubTest, GoesOnWatchingABrokerThatFailedForAWhile) {
  const auto stream = hub_.attach(kSession);
  broker_.fail_with(Errc::unavailable);
  hub_.watch(broker_);
  ASSERT_TRUE(test::wait_until([&] { return broker_.watch_calls() >= 3; }));
  broker_.fail_with(std::nullopt);
  broker_.notify({notice(kSession, "g")});
  EXPECT_EQ(next(*stream), groups({"g"}));
}

TEST_F(HubTest, StopsThoughItPausesBetweenCallsToABrokerThatFails) {
  broker_.fail_with(Errc::unavailable);
  hub_.watch(broker_);
  ASSERT_TRUE(test::wait_until([&] { return broker_.watch_calls() >= 5; }));
  EXPECT_TRUE(run(*runtime_, hub_.stop()));
}

TEST_F(HubTest, ClosesItsStreamsWhenItStops) {
  const auto stream = hub_.attach(kSession);
  auto waiting = test::start(runtime_->loop(0), stream->next(100));
  ASSERT_TRUE(run(*runtime_, hub_.stop()));
  EXPECT_FALSE(test::wait_for_result(std::move(waiting)));
}

}  // namespace
}  // namespace sluice::gateway
