#include <string>
#include <vector>

#include "protocols/remoting/codec/heartbeat_body.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/codec/pull_header.hpp"
#include "tests/unit/remoting/session_fixture.hpp"

namespace sluice::remoting {
namespace {

using namespace std::chrono_literals;

std::string pull_request(std::int64_t offset, std::int32_t flags, std::int32_t opaque = 1) {
  return request_frame(request_code::kPullMessage, pull_fields(offset, flags), {},
                       {.opaque = opaque});
}

std::string heartbeat_request(std::vector<std::string> consumer_groups) {
  HeartbeatData heartbeat{.client_id = "client", .producer_groups = {"pg"}, .consumers = {}};
  for (std::string& group : consumer_groups) {
    heartbeat.consumers.push_back({.group_name = std::move(group), .subscriptions = {}});
  }
  std::string body;
  append_heartbeat(body, heartbeat);
  return request_frame(request_code::kHeartBeat, {}, body);
}

std::vector<model::Pull> pulls_of(const test::FakeHandler& handler) {
  std::vector<model::Pull> pulls;
  for (const model::Command& command : handler.commands()) {
    if (const auto* const pull = std::get_if<model::Pull>(&command)) pulls.push_back(*pull);
  }
  return pulls;
}

TEST_F(SessionTest, AnswersAPullThatFindsMessages) {
  handler_.append(stored("zero"));
  handler_.append(stored("one"));
  Client client = connect();
  const Received answer = client.ask(pull_request(0, kPullSuspendFlag));
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.field("nextBeginOffset"), "2");
  EXPECT_EQ(bodies_of(answer), (std::vector<std::string>{"zero", "one"}));
  EXPECT_EQ(pulls_of(handler_).size(), 1);  // Nobody waited.
}

TEST_F(SessionTest, AnswersAPullThatMayNotWaitAtOnce) {
  Client client = connect();
  const Received answer = client.ask(pull_request(0, 0));
  EXPECT_EQ(answer.code, response_code::kPullNotFound);
  EXPECT_EQ(answer.field("nextBeginOffset"), "0");
}

TEST_F(SessionTest, AnswersAWaitingPullWhenAMessageArrives) {
  Client client = connect();
  ASSERT_TRUE(client.send(pull_request(0, kPullSuspendFlag, 33)));
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_pulls() == 1; }));
  handler_.append(stored("late"));
  const Received answer = client.receive_frame();
  EXPECT_EQ(answer.opaque, 33);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(bodies_of(answer), std::vector<std::string>{"late"});
}

TEST_F(SessionTest, AnswersAWaitingPullWhenItsTimeIsOver) {
  Client client = connect();
  ASSERT_TRUE(client.send(pull_request(0, kPullSuspendFlag)));
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_pulls() == 1; }));
  handler_.release();
  const Received answer = client.receive_frame();
  EXPECT_EQ(answer.code, response_code::kPullNotFound);
  EXPECT_EQ(answer.field("maxOffset"), "0");
}

TEST_F(SessionTest, ServesOtherRequestsWhileAPullWaits) {
  Client client = connect();
  ASSERT_TRUE(client.send(pull_request(0, kPullSuspendFlag, 1)));
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_pulls() == 1; }));
  EXPECT_TRUE(client.is_served());
}

TEST_F(SessionTest, AsksWithoutWaitingFirstAndCommitsTheOffsetThenOnly) {
  Client client = connect();
  ASSERT_TRUE(client.send(pull_request(0, kPullSuspendFlag | kPullCommitOffsetFlag)));
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_pulls() == 1; }));
  const auto pulls = pulls_of(handler_);
  ASSERT_EQ(pulls.size(), 2);
  EXPECT_EQ(pulls[0].wait, 0ms);
  EXPECT_EQ(pulls[0].commit_offset, 4);
  EXPECT_EQ(pulls[1].wait, 15s);
  EXPECT_EQ(pulls[1].commit_offset, std::nullopt);
  EXPECT_EQ(pulls[1].group, "g");
  EXPECT_EQ(pulls[1].offset, 0);
}

TEST_F(SessionTest, WritesTheAnswersOfPullsThatWakeTogetherTogether) {
  Client client = connect();
  std::string frames;
  for (int i = 0; i < 10; ++i) frames += pull_request(0, kPullSuspendFlag, i);
  ASSERT_TRUE(client.send(frames));
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_pulls() == 10; }));
  handler_.append(stored("x"));
  std::vector<std::int32_t> opaques;
  for (int i = 0; i < 10; ++i) opaques.push_back(client.receive_frame().opaque);
  std::ranges::sort(opaques);
  EXPECT_EQ(opaques, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(SessionTest, DropsTheAnswerOfAPullWhoseConnectionIsGone) {
  {
    Client client = connect();
    ASSERT_TRUE(client.send(pull_request(0, kPullSuspendFlag)));
    ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_pulls() == 1; }));
  }
  ASSERT_TRUE(test::wait_until([&] { return handler_.closed().size() == 1; }));
  handler_.append(stored("late"));
  EXPECT_TRUE(connect().is_served());
}

TEST_F(SessionTest, TellsAConsumerThatItsGroupChanged) {
  Client client = connect();
  ASSERT_EQ(client.ask(heartbeat_request({"g"})).code, response_code::kSuccess);
  handler_.notify(handler_.contexts()[0].session->id, "g");
  const Received notice = client.receive_frame();
  EXPECT_EQ(notice.code, request_code::kNotifyConsumerIdsChanged);
  EXPECT_EQ(notice.flag, kOnewayFlag);
  EXPECT_EQ(notice.serialize_type, SerializeType::json);
  EXPECT_EQ(notice.field("consumerGroup"), "g");
}

TEST_F(SessionTest, TellsANumberOfItsOwnWithEachNotice) {
  Client client = connect();
  ASSERT_EQ(client.ask(heartbeat_request({"g"})).code, response_code::kSuccess);
  const model::SessionId session = handler_.contexts()[0].session->id;
  handler_.notify(session, "g");
  handler_.notify(session, "h");
  const Received first = client.receive_frame();
  const Received second = client.receive_frame();
  EXPECT_EQ(first.field("consumerGroup"), "g");
  EXPECT_EQ(second.field("consumerGroup"), "h");
  EXPECT_NE(first.opaque, second.opaque);
}

TEST_F(SessionTest, AttachesOnceHoweverManyHeartbeatsCome) {
  Client client = connect();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(client.ask(heartbeat_request({"g"})).code, response_code::kSuccess);
  }
  EXPECT_EQ(handler_.streams(), 1);
}

TEST_F(SessionTest, DoesNotAttachAProducer) {
  Client client = connect();
  ASSERT_EQ(client.ask(heartbeat_request({})).code, response_code::kSuccess);
  EXPECT_EQ(handler_.streams(), 0);
}

TEST_F(SessionTest, AnswersAWatchWithTheNotices) {
  Client gateway = connect();
  ASSERT_TRUE(gateway.send(request_frame(request_code::kWatch, {})));
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_watches() == 1; }));
  handler_.answer_watch({.notices = {{model::SessionId{123}, model::GroupChanged{"g"}}}});
  const Received answer = gateway.receive_frame();
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.body, R"({"notices":[{"group":"g","session":"123"}]})");
  const auto notices = decode_watch_notices(as_bytes(answer.body));
  ASSERT_TRUE(notices);
  EXPECT_EQ(notices->notices, (std::vector<WatchNotice>{{.session = 123, .group = "g"}}));
}

TEST_F(SessionTest, WatchesAsTheGatewayItself) {
  Client gateway = connect();
  ASSERT_TRUE(gateway.is_served());
  ASSERT_TRUE(gateway.send(request_frame(request_code::kWatch, {})));
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_watches() == 1; }));
  const auto contexts = handler_.contexts();
  EXPECT_EQ(contexts[1].session->id, contexts[0].session->id);
  handler_.answer_watch({});
  EXPECT_EQ(gateway.receive_frame().body, R"({"notices":[]})");
}

TEST_F(SessionTest, EndsWithPeaceWhileANoticeStreamIsOpen) {
  {
    Client client = connect();
    ASSERT_EQ(client.ask(heartbeat_request({"g"})).code, response_code::kSuccess);
  }
  ASSERT_TRUE(test::wait_until([&] { return handler_.closed().size() == 1; }));
  handler_.notify(handler_.contexts()[0].session->id, "g");
  EXPECT_TRUE(connect().is_served());
}

}  // namespace
}  // namespace sluice::remoting
