#include <algorithm>
#include <limits>
#include <string>

#include "common/base/limits.hpp"
#include "common/model/properties.hpp"
#include "common/model/stored_message.hpp"
#include "tests/unit/broker/broker_fixture.hpp"

namespace sluice::broker {

namespace {

using model::PullStatus;

std::string body_of(const model::StoredRecord& record) {
  return std::string(as_text(model::StoredMessageView::parse(record.payload.bytes())->body()));
}

std::string properties_of(const model::StoredRecord& record) {
  return std::string(model::StoredMessageView::parse(record.payload.bytes())->properties());
}

// --- sending ---------------------------------------------------------------------------------

TEST_F(BrokerFixture, CreatesAnUnknownTopicFromTheTemplate) {
  ASSERT_TRUE(send(message("orders", "first")));
  const auto topics = test::run(*runtime_, broker_->query_topics(caller(), {})).value().topics;
  const auto orders = std::ranges::find(topics, "orders", &model::TopicConfig::name);
  ASSERT_NE(orders, topics.end());
  EXPECT_EQ(orders->read_queues, 4);
}

TEST_F(BrokerFixture, RefusesAnUnknownTopicWhenItMayNotCreateOne) {
  BrokerOptions options;
  options.auto_create_topics = false;
  reopen(options);
  EXPECT_EQ(send(message("orders", "first")).error().code, Errc::topic_not_found);
}

TEST_F(BrokerFixture, TellsTheNameServersBeforeItAnswersTheFirstSend) {
  int told = 0;
  BrokerOptions options;
  options.on_topics_changed = [&told]() -> Task<> {
    ++told;
    co_return Result<>{};
  };
  reopen(options);
  ASSERT_TRUE(send(message("orders", "first")));
  EXPECT_EQ(told, 1);
}

TEST_F(BrokerFixture, GivesOffsetsWithoutGap) {
  for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(send(message("orders", "x"))->offset, i);
}

TEST_F(BrokerFixture, StoresABatchAtConsecutiveOffsets) {
  ASSERT_TRUE(send(message("orders", "one")));
  model::Send batch = message("orders", "two");
  batch.messages.push_back(batch.messages.front());
  batch.is_batch = true;
  const auto reply = send(std::move(batch)).value();
  EXPECT_EQ(reply.offset, 1);
  EXPECT_EQ(reply.positions.size(), 2U);
  EXPECT_EQ(send(message("orders", "four"))->offset, 3);
}

TEST_F(BrokerFixture, AnswersEachSendOfACallOnItsOwn) {
  std::vector<model::Send> sends;
  sends.push_back(message("orders", "good"));
  sends.push_back(message("orders", "bad queue", {}, 99));
  sends.push_back(message("orders", "good too"));
  const auto replies = test::run(*runtime_, broker_->send(caller(), std::move(sends))).value();
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_EQ(replies[0]->offset, 0);
  EXPECT_EQ(replies[1].error().code, Errc::invalid_argument);
  EXPECT_EQ(replies[2]->offset, 1);
}

TEST_F(BrokerFixture, RefusesABodyOverTheLimitAndNamesTheLimit) {
  const std::string body(limits::kMessageBodyBytesMax + 1, 'x');
  const auto reply = send(message("orders", body));
  EXPECT_EQ(reply.error().code, Errc::payload_too_large);
  EXPECT_NE(reply.error().text.find(std::to_string(limits::kMessageBodyBytesMax)),
            std::string::npos);
}

TEST_F(BrokerFixture, RefusesADelayRatherThanDeliverAtOnce) {
  EXPECT_EQ(send(message("orders", "later",
                         "DELAY\x01"
                         "3\x02"))
                .error()
                .code,
            Errc::message_illegal);
}

TEST_F(BrokerFixture, RefusesToStoreARetrySoThatTheClientKeepsIt) {
  EXPECT_EQ(send(message("%RETRY%readers", "again")).error().code, Errc::message_illegal);
}

TEST_F(BrokerFixture, MakesAUniqueKeyForAMessageWithoutOne) {
  const auto reply = send(message("orders", "x",
                                  "TAGS\x01"
                                  "a"))
                         .value();
  EXPECT_EQ(reply.unique_key.size(), 32U);
  const auto read = pull(pull_of("orders", 0)).value();
  EXPECT_EQ(model::find_property(properties_of(read.records.at(0)), "UNIQ_KEY"), reply.unique_key);
}

TEST_F(BrokerFixture, KeepsTheUniqueKeyOfTheClient) {
  EXPECT_EQ(send(message("orders", "x",
                         "UNIQ_KEY\x01"
                         "ABC\x02"))
                ->unique_key,
            "ABC");
}

TEST_F(BrokerFixture, AddsRegionTraceAndClusterToTheProperties) {
  ASSERT_TRUE(send(message("orders", "x")));
  const std::string properties = properties_of(pull(pull_of("orders", 0))->records.at(0));
  EXPECT_EQ(model::find_property(properties, "MSG_REGION"), "DefaultRegion");
  EXPECT_EQ(model::find_property(properties, "TRACE_ON"), "true");
  EXPECT_EQ(model::find_property(properties, "CLUSTER"), "DefaultCluster");
}

// --- pulling ---------------------------------------------------------------------------------

TEST_F(BrokerFixture, GivesMessagesInOrderFromTheOffsetAsked) {
  for (const char* body : {"a", "b", "c"}) ASSERT_TRUE(send(message("orders", body)));
  const auto reply = pull(pull_of("orders", 1)).value();
  ASSERT_EQ(reply.status, PullStatus::found);
  ASSERT_EQ(reply.records.size(), 2U);
  EXPECT_EQ(body_of(reply.records[0]), "b");
  EXPECT_EQ(body_of(reply.records[1]), "c");
  EXPECT_EQ(reply.next_offset, 3);
  EXPECT_EQ(reply.first_offset, 0);
  EXPECT_EQ(reply.end_offset, 3);
}

TEST_F(BrokerFixture, SaysThatNothingIsNewAtTheEnd) {
  ASSERT_TRUE(send(message("orders", "a")));
  const auto reply = pull(pull_of("orders", 1)).value();
  EXPECT_EQ(reply.status, PullStatus::nothing_new);
  EXPECT_EQ(reply.next_offset, 1);
}

TEST_F(BrokerFixture, MovesAnOffsetOutsideTheQueueToItsNearestEnd) {
  ASSERT_TRUE(send(message("orders", "a")));
  const auto beyond = pull(pull_of("orders", 7)).value();
  EXPECT_EQ(beyond.status, PullStatus::offset_moved);
  EXPECT_EQ(beyond.next_offset, 1);
  const auto below = pull(pull_of("orders", -3)).value();
  EXPECT_EQ(below.status, PullStatus::offset_moved);
  EXPECT_EQ(below.next_offset, 0);
}

TEST_F(BrokerFixture, PassesOverOtherTags) {
  ASSERT_TRUE(send(message("orders", "a", "TAGS\x01red\x02")));
  ASSERT_TRUE(send(message("orders", "b",
                           "TAGS\x01"
                           "blue\x02")));
  auto request = pull_of("orders", 0);
  request.filter = model::FilterExpression{"blue || green", "TAG"};
  const auto reply = pull(request).value();
  ASSERT_EQ(reply.records.size(), 1U);
  EXPECT_EQ(body_of(reply.records[0]), "b");
}

TEST_F(BrokerFixture, MakesProgressWhenNoTagMatches) {
  ASSERT_TRUE(send(message("orders", "a", "TAGS\x01red\x02")));
  auto request = pull_of("orders", 0);
  request.filter = model::FilterExpression{"blue", "TAG"};
  const auto reply = pull(request).value();
  EXPECT_EQ(reply.status, PullStatus::nothing_matched);
  EXPECT_EQ(reply.next_offset, 1);
}

TEST_F(BrokerFixture, RefusesAQueueThatTheTopicDoesNotHave) {
  ASSERT_TRUE(send(message("orders", "a")));
  auto request = pull_of("orders", 0);
  request.queue = 4;
  EXPECT_EQ(pull(request).error().code, Errc::invalid_argument);
}

TEST_F(BrokerFixture, AsksForAHeartbeatWhenTheGroupNeverSubscribed) {
  ASSERT_TRUE(send(message("orders", "a")));
  auto request = pull_of("orders", 0);
  request.filter.reset();
  EXPECT_EQ(pull(request).error().code, Errc::subscription_missing);
}

TEST_F(BrokerFixture, WakesAWaitingPullWhenAMessageComes) {
  ASSERT_TRUE(send(message("orders", "a")));
  auto request = pull_of("orders", 1);
  request.wait = std::chrono::seconds(30);
  auto waiting = test::start(runtime_->loop(1), broker_->pull(caller(), request));
  ASSERT_TRUE(send(message("orders", "b")));
  const auto reply = test::wait_for_result(std::move(waiting)).value();
  ASSERT_EQ(reply.records.size(), 1U);
  EXPECT_EQ(body_of(reply.records[0]), "b");
}

TEST_F(BrokerFixture, AnswersAWaitingPullWhenItsTimeIsOver) {
  ASSERT_TRUE(send(message("orders", "a")));
  auto request = pull_of("orders", 1);
  request.wait = std::chrono::milliseconds(30);
  EXPECT_EQ(pull(request)->status, PullStatus::nothing_new);
}

TEST_F(BrokerFixture, AnswersEveryWaitingPullWhenItStops) {
  ASSERT_TRUE(send(message("orders", "a")));
  auto request = pull_of("orders", 1);
  request.wait = std::chrono::seconds(60);
  auto waiting = test::start(runtime_->loop(1), broker_->pull(caller(), request));
  ASSERT_TRUE(test::run(*runtime_, broker_->stop()));
  const auto reply = test::wait_for_result(std::move(waiting));
  EXPECT_TRUE(reply || reply.error().code == Errc::draining);
  broker_.reset();
}

// --- progress --------------------------------------------------------------------------------

TEST_F(BrokerFixture, KeepsProgressAndTopicsOverARestart) {
  ASSERT_TRUE(send(message("orders", "a")));
  ASSERT_TRUE(test::run(*runtime_, broker_->update_offset(caller(), {"g", "orders", 0, 17, {}})));
  reopen();
  EXPECT_EQ(
      test::run(*runtime_, broker_->query_offset(caller(), {"g", "orders", 0, true, {}}))->offset,
      17);
  EXPECT_EQ(pull(pull_of("orders", 0))->records.size(), 1U);
}

TEST_F(BrokerFixture, StartsANewGroupOfAYoungQueueAtItsFirstMessage) {
  ASSERT_TRUE(send(message("orders", "a")));
  const auto offset =
      test::run(*runtime_, broker_->query_offset(caller(), {"new", "orders", 0, true, {}}));
  EXPECT_EQ(offset->offset, 0);
}

TEST_F(BrokerFixture, KnowsNoProgressInAnEmptyQueue) {
  ASSERT_TRUE(send(message("orders", "a", {}, 1)));
  const auto offset =
      test::run(*runtime_, broker_->query_offset(caller(), {"new", "orders", 0, true, {}}));
  EXPECT_EQ(offset.error().code, Errc::not_found);
}

TEST_F(BrokerFixture, CommitsTheProgressThatAPullCarries) {
  ASSERT_TRUE(send(message("orders", "a")));
  auto request = pull_of("orders", 0);
  request.commit_offset = 1;
  ASSERT_TRUE(pull(request));
  EXPECT_TRUE(test::wait_until([&] {
    const auto offset =
        test::run(*runtime_, broker_->query_offset(caller(), {"readers", "orders", 0, false, {}}));
    return offset && offset->offset == 1;
  }));
}

TEST_F(BrokerFixture, ForgetsProgressWithTheTopic) {
  ASSERT_TRUE(send(message("orders", "a")));
  ASSERT_TRUE(test::run(*runtime_, broker_->update_offset(caller(), {"g", "orders", 0, 1, {}})));
  ASSERT_TRUE(test::run(*runtime_, broker_->delete_topic(caller(), {"orders"})));
  ASSERT_TRUE(send(message("orders", "b")));
  const auto offset =
      test::run(*runtime_, broker_->query_offset(caller(), {"g", "orders", 0, false, {}}));
  EXPECT_EQ(offset.error().code, Errc::not_found);
  EXPECT_EQ(pull(pull_of("orders", 0))->records.size(), 1U);
}

TEST_F(BrokerFixture, FindsTheLastMessageForATimeBehindAll) {
  for (const char* body : {"a", "b"}) ASSERT_TRUE(send(message("orders", body)));
  model::SearchOffset search;
  search.topic = "orders";
  search.time_ms = std::numeric_limits<std::int64_t>::max();
  search.boundary = model::Boundary::upper;
  EXPECT_EQ(test::run(*runtime_, broker_->search_offset(caller(), search))->offset, 1);
}

// --- groups ----------------------------------------------------------------------------------

model::RegisterClient consumer(std::string client_id) {
  model::RegisterClient client;
  client.client_id = std::move(client_id);
  model::ConsumerRegistration registration;
  registration.group = "readers";
  registration.subscriptions.push_back({"orders", {}, 1});
  client.consumers.push_back(std::move(registration));
  return client;
}

TEST_F(BrokerFixture, ListsTheMembersOfAGroup) {
  ASSERT_TRUE(test::run(*runtime_, broker_->register_client(caller(1), consumer("b"))));
  ASSERT_TRUE(test::run(*runtime_, broker_->register_client(caller(2), consumer("a"))));
  const auto members = test::run(*runtime_, broker_->list_members(caller(), {"readers"})).value();
  EXPECT_EQ(members.client_ids, (std::vector<std::string>{"a", "b"}));
}

TEST_F(BrokerFixture, TellsTheGroupWhenAConnectionIsGone) {
  ASSERT_TRUE(test::run(*runtime_, broker_->register_client(caller(1), consumer("a"))));
  ASSERT_TRUE(test::run(*runtime_, broker_->register_client(caller(2), consumer("b"))));
  static_cast<void>(test::run(*runtime_, broker_->watch(caller(0), {})));
  broker_->session_closed({2}, {});
  const auto told = test::run(*runtime_, broker_->watch(caller(0), {})).value();
  ASSERT_EQ(told.notices.size(), 1U);
  EXPECT_EQ(told.notices[0].session, model::SessionId{1});
}

TEST_F(BrokerFixture, MakesTheRetryTopicWithTheGroup) {
  ASSERT_TRUE(test::run(*runtime_, broker_->register_client(caller(1), consumer("a"))));
  const auto topics = test::run(*runtime_, broker_->query_topics(caller(), {})).value().topics;
  EXPECT_NE(std::ranges::find(topics, "%RETRY%readers", &model::TopicConfig::name), topics.end());
}

// --- retention -------------------------------------------------------------------------------

TEST_F(BrokerFixture, DropsMessagesThatAreTooOld) {
  ASSERT_TRUE(send(message("orders", "old")));
  BrokerOptions options;
  options.retention_age = std::chrono::milliseconds(1);
  options.retention_interval = std::chrono::milliseconds(20);
  reopen(options);
  EXPECT_TRUE(test::wait_until([&] {
    const auto bounds =
        test::run(*runtime_, broker_->query_bounds(caller(), {"orders", 0, {}})).value();
    return bounds.first == 1 && bounds.next == 1;
  }));
}

}  // namespace

}  // namespace sluice::broker
