// What a session tells and asks its client, and what it makes of the answers.

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "tests/unit/remoting/session_fixture.hpp"

namespace sluice::remoting {
namespace {

constexpr std::string_view kHeartbeat =
    R"({"clientID":"c","consumerDataSet":[{"groupName":"g","subscriptionDataSet":[]}]})";

class SessionNoticesTest : public SessionTest {
 protected:
  /// A consumer whose session has been attached.
  Client connect_consumer() {
    Client client = connect();
    const Received answer = client.ask(request_frame(request_code::kHeartBeat, {}, kHeartbeat));
    EXPECT_EQ(answer.code, response_code::kSuccess);
    session_ = handler_.contexts().back().session->id;
    return client;
  }

  void ask_for_running_info(std::uint64_t number) {
    model::ClientRequest request;
    request.number = number;
    request.broker_name = "b";
    request.group = "g";
    request.client_id = "c";
    handler_.post(session_, std::move(request));
  }

  static std::string answer_frame(std::int32_t opaque, std::int32_t code, std::string_view body,
                                  std::string_view remark = {}) {
    std::string out;
    FrameWriter writer(out, SerializeType::json,
                       {.code = code, .opaque = opaque, .flag = kResponseFlag, .remark = remark});
    writer.end_header();
    out.append(body);
    EXPECT_TRUE(writer.end_frame());
    return out;
  }

  /// The answers that were passed on.
  std::vector<model::AnswerClientRequest> passed_on() {
    std::vector<model::AnswerClientRequest> answers;
    for (const model::Command& command : handler_.commands()) {
      const auto* const answer = std::get_if<model::AnswerClientRequest>(&command);
      if (answer != nullptr) answers.push_back(*answer);
    }
    return answers;
  }

  model::SessionId session_;
};

TEST_F(SessionNoticesTest, PassesTheClientsAnswerOn) {
  Client client = connect_consumer();
  ask_for_running_info(71);
  const Received question = client.receive_frame();
  EXPECT_EQ(question.code, request_code::kGetConsumerRunningInfo);
  EXPECT_EQ(question.field("clientId"), "c");
  ASSERT_TRUE(client.send(answer_frame(question.opaque, 0, "info")));
  ASSERT_TRUE(test::wait_until([&] { return passed_on().size() == 1; }));
  const auto answer = passed_on().front();
  EXPECT_EQ(answer.number, 71U);
  EXPECT_EQ(answer.broker_name, "b");
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.body.text(), "info");
}

TEST_F(SessionNoticesTest, PassesOnThatTheClientFailed) {
  Client client = connect_consumer();
  ask_for_running_info(71);
  const Received question = client.receive_frame();
  ASSERT_TRUE(client.send(answer_frame(question.opaque, 1, {}, "no such group")));
  ASSERT_TRUE(test::wait_until([&] { return passed_on().size() == 1; }));
  EXPECT_EQ(passed_on().front().code, 1);
  EXPECT_EQ(passed_on().front().remark, "no such group");
}

TEST_F(SessionNoticesTest, TellsAnswersApartByTheirNumbers) {
  Client client = connect_consumer();
  ask_for_running_info(71);
  ask_for_running_info(72);
  const Received first = client.receive_frame();
  const Received second = client.receive_frame();
  ASSERT_NE(first.opaque, second.opaque);
  ASSERT_TRUE(client.send(answer_frame(second.opaque, 0, "two")));
  ASSERT_TRUE(client.send(answer_frame(first.opaque, 0, "one")));
  ASSERT_TRUE(test::wait_until([&] { return passed_on().size() == 2; }));
  EXPECT_EQ(passed_on()[0].number, 72U);
  EXPECT_EQ(passed_on()[1].number, 71U);
}

TEST_F(SessionNoticesTest, TakesAnAnswerOnceAndNoneToWhatItDidNotAsk) {
  Client client = connect_consumer();
  ask_for_running_info(71);
  const Received question = client.receive_frame();
  ASSERT_TRUE(client.send(answer_frame(question.opaque + 1, 0, "stray")));
  ASSERT_TRUE(client.send(answer_frame(question.opaque, 0, "info")));
  ASSERT_TRUE(client.send(answer_frame(question.opaque, 0, "again")));
  EXPECT_TRUE(client.is_served());
  ASSERT_TRUE(test::wait_until([&] { return !passed_on().empty(); }));
  EXPECT_EQ(passed_on().size(), 1U);
  EXPECT_EQ(passed_on().front().body.text(), "info");
}

TEST_F(SessionNoticesTest, RemembersABoundedNumberOfQuestions) {
  Client client = connect_consumer();
  std::vector<std::int32_t> opaques;
  for (std::uint64_t i = 0; i <= limits::kClientRequestsRemembered; ++i) {
    ask_for_running_info(i);
    opaques.push_back(client.receive_frame().opaque);
  }
  ASSERT_TRUE(client.send(answer_frame(opaques.front(), 0, "too late")));
  ASSERT_TRUE(client.send(answer_frame(opaques.back(), 0, "in time")));
  ASSERT_TRUE(test::wait_until([&] { return !passed_on().empty(); }));
  EXPECT_EQ(passed_on().size(), 1U);
  EXPECT_EQ(passed_on().front().body.text(), "in time");
}

// The one who asks may be the one who is asked.
TEST_F(SessionNoticesTest, ServesOtherRequestsWhileAClientIsAsked) {
  handler_.hold_asks();
  Client client = connect();
  ASSERT_TRUE(
      client.send(request_frame(request_code::kGetConsumerRunningInfo,
                                {{"consumerGroup", "g"}, {"clientId", "c"}}, {}, {.opaque = 5})));
  ASSERT_TRUE(test::wait_until([&] { return handler_.held_asks() == 1; }));
  EXPECT_TRUE(client.is_served());
  handler_.release_asks();
  const Received answer = client.receive_frame();
  EXPECT_EQ(answer.opaque, 5);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.body, "asked c");
}

TEST_F(SessionNoticesTest, OutlivesWhoAskedAndHungUp) {
  handler_.hold_asks();
  {
    Client client = connect();
    ASSERT_TRUE(client.send(request_frame(request_code::kGetConsumerRunningInfo,
                                          {{"consumerGroup", "g"}, {"clientId", "c"}})));
    ASSERT_TRUE(test::wait_until([&] { return handler_.held_asks() == 1; }));
  }
  ASSERT_TRUE(test::wait_until([&] { return handler_.closed().size() == 1; }));
  handler_.release_asks();
  Client other = connect();
  EXPECT_TRUE(other.is_served());
}

}  // namespace
}  // namespace sluice::remoting
