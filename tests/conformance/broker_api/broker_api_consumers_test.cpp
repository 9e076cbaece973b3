// The cases of BrokerApi about what operators ask of consumers, and moving their progress.

#include <future>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/limits.hpp"
#include "common/model/message_id.hpp"
#include "common/model/stored_message.hpp"
#include "tests/conformance/broker_api/broker_api_fixture.hpp"
#include "tests/support/printers.hpp"

namespace sluice {
namespace {

using model::PullStatus;

model::StoredMessageView view_of(const Slice& payload) {
  return model::StoredMessageView::parse(payload.bytes()).value();
}

// --- asking clients --------------------------------------------------------------------------

class AskApiTest : public BrokerApiTest {
 protected:
  using Answer = std::future<Result<model::ClientReply>>;

  AskApiTest() {
    EXPECT_TRUE(run(api_->register_client(caller(11), consumer("c1", "g", "orders"))));
  }

  static model::AskClient question(model::ClientQuestion about) {
    model::AskClient ask;
    ask.question = about;
    ask.group = "g";
    ask.client_id = "c1";
    ask.topic = about == model::ClientQuestion::running_info ? "" : "orders";
    return ask;
  }

  Answer ask(model::AskClient one) {
    return test::start(runtime_->loop(1), api_->ask_client(caller(1), std::move(one)));
  }

  /// The question on its way to a session.
  std::pair<model::SessionId, model::ClientRequest> hear() {
    while (true) {
      const auto reply = run(api_->watch({}, {}));
      EXPECT_TRUE(reply);
      if (!reply) return {};
      for (const model::Notice& notice : reply->notices) {
        const auto* const request = std::get_if<model::ClientRequest>(&notice.event);
        if (request != nullptr) return {notice.session, *request};
      }
    }
  }

  Result<> answer(const model::ClientRequest& request, std::string body, std::int32_t code = 0,
                  std::uint64_t session = 11) {
    model::AnswerClientRequest answer;
    answer.number = request.number;
    answer.broker_name = request.broker_name;
    answer.code = code;
    answer.body = Slice::copy_of(body);
    return run(api_->answer_client_request(caller(session), std::move(answer)));
  }
};

TEST_P(AskApiTest, AsksTheClientsSessionAndPassesItsAnswerOn) {
  auto running_info = question(model::ClientQuestion::running_info);
  running_info.wants_stack = true;
  auto waiting = ask(running_info);
  const auto [session, request] = hear();
  EXPECT_EQ(session, model::SessionId{11});
  EXPECT_EQ(request.question, model::ClientQuestion::running_info);
  EXPECT_EQ(request.group, "g");
  EXPECT_EQ(request.client_id, "c1");
  EXPECT_TRUE(request.wants_stack);
  ASSERT_TRUE(answer(request, R"({"properties":{}})"));
  const auto reply = test::wait_for_result(std::move(waiting));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body.text(), R"({"properties":{}})");
}

TEST_P(AskApiTest, BringsTheMessageThatIsToBeConsumed) {
  const auto sent = send(message("orders", "\x01\xFF body", "KEYS\001k\002"));
  ASSERT_TRUE(sent);
  auto consume = question(model::ClientQuestion::consume_message);
  consume.position = sent->positions[0];
  model::append_offset_message_id(consume.message_id, advertised(), consume.position);
  const std::string message_id = consume.message_id;
  auto waiting = ask(consume);
  const auto [session, request] = hear();
  EXPECT_EQ(request.question, model::ClientQuestion::consume_message);
  EXPECT_EQ(request.message_id, message_id);
  EXPECT_EQ(request.topic, "orders");
  const auto view = view_of(request.message);
  EXPECT_EQ(as_text(view.body()), "\x01\xFF body");
  EXPECT_EQ(view.queue_offset(), sent->offset);
  EXPECT_EQ(view.position(), sent->positions[0]);
  EXPECT_EQ(view.store_host(), advertised());
  ASSERT_TRUE(answer(request, "consumed"));
  EXPECT_EQ(test::wait_for_result(std::move(waiting))->body.text(), "consumed");
}

TEST_P(AskApiTest, BringsAMessageOfTheLargestSize) {
  const std::string body(limits::kMessageBodyBytesMax, '\xFE');
  const auto sent = send(message("orders", body));
  ASSERT_TRUE(sent);
  auto consume = question(model::ClientQuestion::consume_message);
  consume.position = sent->positions[0];
  model::append_offset_message_id(consume.message_id, advertised(), consume.position);
  auto waiting = ask(consume);
  const auto [session, request] = hear();
  EXPECT_EQ(view_of(request.message).body().size(), body.size());
  ASSERT_TRUE(answer(request, "consumed"));
  EXPECT_TRUE(test::wait_for_result(std::move(waiting)));
}

TEST_P(AskApiTest, AsksHowFarAClientIs) {
  auto waiting = ask(question(model::ClientQuestion::consumer_status));
  const auto [session, request] = hear();
  EXPECT_EQ(request.question, model::ClientQuestion::consumer_status);
  EXPECT_EQ(request.topic, "orders");
  const std::string status =
      R"({"consumerTable":{},"messageQueueTable":{{"brokerName":"b","queueId":0,)"
      R"("topic":"orders"}:5}})";
  ASSERT_TRUE(answer(request, status));
  const auto reply = test::wait_for_result(std::move(waiting));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body.text(), status);
}

TEST_P(AskApiTest, SaysThatTheClientFailed) {
  auto waiting = ask(question(model::ClientQuestion::running_info));
  const auto [session, request] = hear();
  ASSERT_TRUE(answer(request, "", 1));
  EXPECT_FALSE(test::wait_for_result(std::move(waiting)));
}

TEST_P(AskApiTest, SaysThatNobodyOfThatNameIsThere) {
  auto stranger = question(model::ClientQuestion::running_info);
  stranger.client_id = "c2";
  EXPECT_EQ(test::error_of(test::wait_for_result(ask(stranger))), Errc::group_has_no_members);
  stranger.client_id = "c1";
  stranger.group = "h";
  EXPECT_EQ(test::error_of(test::wait_for_result(ask(stranger))), Errc::group_has_no_members);
}

TEST_P(AskApiTest, SaysThatTheClientIsGoneMeanwhile) {
  auto waiting = ask(question(model::ClientQuestion::running_info));
  static_cast<void>(hear());
  api_->session_closed(model::SessionId{11}, model::SessionId{});
  EXPECT_EQ(test::error_of(test::wait_for_result(std::move(waiting))), Errc::group_has_no_members);
}

TEST_P(AskApiTest, SaysThatTheClientDoesNotAnswer) {
  auto waiting = ask(question(model::ClientQuestion::running_info));
  static_cast<void>(hear());
  environment_.skip(limits::kClientAnswerMax + std::chrono::milliseconds(50));
  EXPECT_EQ(test::error_of(test::wait_for_result(std::move(waiting))), Errc::deadline_exceeded);
}

TEST_P(AskApiTest, TakesAnAnswerOnlyFromWhoWasAsked) {
  ASSERT_TRUE(run(api_->register_client(caller(12), consumer("c2", "g", "orders"))));
  auto waiting = ask(question(model::ClientQuestion::running_info));
  const auto [session, request] = hear();
  ASSERT_TRUE(answer(request, "forged", 0, 12));
  ASSERT_TRUE(answer(request, "mine"));
  ASSERT_TRUE(answer(request, "late"));
  EXPECT_EQ(test::wait_for_result(std::move(waiting))->body.text(), "mine");
}

// --- moving progress -------------------------------------------------------------------------

class ResetApiTest : public BrokerApiTest {
 protected:
  static constexpr std::int64_t kStart = 1'700'000'000'000;

  ResetApiTest() {
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(send(message("orders", "x")));
      environment_.advance(1000);
    }
    EXPECT_TRUE(send(message("orders", "other queue", {}, 1)));
    EXPECT_TRUE(run(api_->register_client(caller(1), consumer("c1", "readers", "orders"))));
  }

  static model::ResetOffset reset_to(std::int64_t time_ms) {
    model::ResetOffset reset;
    reset.group = "readers";
    reset.topic = "orders";
    reset.time_ms = time_ms;
    return reset;
  }
  static model::ResetOffset reset_queue(std::int32_t queue, std::int64_t offset) {
    model::ResetOffset reset = reset_to(0);
    reset.queue = queue;
    reset.offset = offset;
    return reset;
  }

  Result<model::QueueOffsetsReply> reset(model::ResetOffset one) {
    return run(api_->reset_offset(caller(), std::move(one)));
  }

  std::vector<std::int64_t> offsets_of(const Result<model::QueueOffsetsReply>& reply) {
    std::vector<std::int64_t> offsets;
    if (!reply) return offsets;
    for (const model::QueueOffset& moved : reply->offsets) offsets.push_back(moved.offset);
    return offsets;
  }

  void update(std::int64_t offset) {
    model::UpdateOffset update;
    update.group = "readers";
    update.topic = "orders";
    update.offset = offset;
    EXPECT_TRUE(run(api_->update_offset(caller(), update)));
  }
  std::int64_t progress() {
    model::QueryOffset query;
    query.group = "readers";
    query.topic = "orders";
    const auto reply = run(api_->query_offset(caller(), query));
    return reply ? reply->offset : -1;
  }
};

using Offsets = std::vector<std::int64_t>;

TEST_P(ResetApiTest, MovesAllQueuesToATime) {
  const auto reply = reset(reset_to(kStart + 1500));
  ASSERT_TRUE(reply);
  EXPECT_EQ(offsets_of(reply), (Offsets{2, 0, 0, 0}));
  EXPECT_EQ(reply->offsets[1].queue,
            (model::QueueName{.broker_name = "broker-a", .topic = "orders", .queue = 1}));
  EXPECT_EQ(progress(), 2);
}

TEST_P(ResetApiTest, MovesAllQueuesToTheirEnds) {
  EXPECT_EQ(offsets_of(reset(reset_to(-1))), (Offsets{4, 1, 0, 0}));
  EXPECT_EQ(progress(), 4);
}

TEST_P(ResetApiTest, MovesOneQueue) {
  EXPECT_EQ(offsets_of(reset(reset_queue(0, 3))), Offsets{3});
  EXPECT_EQ(progress(), 3);
  model::ResetOffset by_time = reset_to(kStart + 500);
  by_time.queue = 0;
  EXPECT_EQ(offsets_of(reset(by_time)), Offsets{1});
}

TEST_P(ResetApiTest, TellsTheNextPullWhereToGoOnAndOnlyThatOne) {
  ASSERT_TRUE(reset(reset_queue(0, 1)));
  const auto told = pull(pull_of("orders", 4));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->status, PullStatus::offset_moved);
  EXPECT_EQ(told->next_offset, 1);
  EXPECT_EQ(told->first_offset, 0);
  EXPECT_EQ(told->end_offset, 4);
  EXPECT_EQ(pull(pull_of("orders", 4))->status, PullStatus::nothing_new);
}

TEST_P(ResetApiTest, IgnoresProgressFromBeforeUntilThePullThatIsTold) {
  update(4);
  ASSERT_TRUE(reset(reset_queue(0, 1)));
  update(4);
  EXPECT_EQ(progress(), 1);
  model::Pull stale = pull_of("orders", 4);
  stale.commit_offset = 4;
  EXPECT_EQ(pull(stale)->status, PullStatus::offset_moved);
  EXPECT_EQ(progress(), 1);
  update(2);
  EXPECT_EQ(progress(), 2);
}

TEST_P(ResetApiTest, WakesAPullThatWaits) {
  model::Pull request = pull_of("orders", 4);
  request.wait = std::chrono::seconds(30);
  auto waiting = test::start(runtime_->loop(0), api_->pull(caller(), request));
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  ASSERT_TRUE(reset(reset_queue(0, 2)));
  const auto told = test::wait_for_result(std::move(waiting));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->status, PullStatus::offset_moved);
  EXPECT_EQ(told->next_offset, 2);
}

TEST_P(ResetApiTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(test::error_of(reset(reset_queue(0, -2))), Errc::offset_out_of_range);
  EXPECT_EQ(test::error_of(reset(reset_queue(0, 6))), Errc::offset_out_of_range);
  EXPECT_EQ(test::error_of(reset(reset_queue(99, 0))), Errc::invalid_argument);
  auto topicless = reset_to(0);
  topicless.topic = "nothing";
  EXPECT_EQ(test::error_of(reset(topicless)), Errc::topic_not_found);
  auto groupless = reset_to(0);
  groupless.group = "nobody";
  EXPECT_EQ(test::error_of(reset(groupless)), Errc::group_not_found);
  EXPECT_EQ(pull(pull_of("orders", 4))->status, PullStatus::nothing_new) << "nothing was moved";
}

INSTANTIATE_TEST_SUITE_P(Forms, AskApiTest, both_forms(), form_name);
INSTANTIATE_TEST_SUITE_P(Forms, ResetApiTest, both_forms(), form_name);

}  // namespace
}  // namespace sluice
