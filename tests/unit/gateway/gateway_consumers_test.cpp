// Commands that one of several brokers, or all of them together, have to answer.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/gateway.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/gateway/fake_broker.hpp"

namespace sluice::gateway {
namespace {

using test::FakeBroker;
using test::run;
using test::TestRuntime;

using Calls = std::vector<std::string>;

/// Brokers "a" and "b", both known.
class TwoBrokers final : public Routing {
 public:
  TwoBrokers(FakeBroker& a, FakeBroker& b) : a_(a), b_(b) {}

  void start(std::function<void(BrokerApi&)> /*found*/) override {}
  [[nodiscard]] BrokerApi* known_broker(std::string_view /*topic*/,
                                        std::string_view broker_name) noexcept override {
    if (broker_name == "a") return &a_;
    return broker_name == "b" ? &b_ : nullptr;
  }
  Task<BrokerApi*> find_broker(std::string /*topic*/, std::string /*broker_name*/) override {
    co_return fail(Errc::unavailable, "fake");
  }
  Task<std::vector<BrokerApi*>> brokers() override { co_return known_brokers(); }
  [[nodiscard]] std::vector<BrokerApi*> known_brokers() override { return {&a_, &b_}; }
  [[nodiscard]] BrokerApi* local_broker() noexcept override { return nullptr; }
  Task<model::Route> route(std::string /*topic*/) override { co_return model::Route{}; }
  Task<std::vector<model::BrokerData>> cluster() override {
    co_return std::vector<model::BrokerData>{};
  }
  Task<std::vector<model::TopicConfig>> topics(std::string /*topic*/) override {
    co_return std::vector<model::TopicConfig>{};
  }
  void forget_topic(std::string_view /*topic*/) override {}
  Task<> stop() override { co_return Result<>{}; }

 private:
  FakeBroker& a_;
  FakeBroker& b_;
};

class GatewayConsumersTest : public testing::Test {
 protected:
  ~GatewayConsumersTest() override { run(*runtime_, gateway_.stop()); }

  Result<model::Reply> ask(model::Command command) {
    model::CallContext context;
    context.session = std::make_shared<model::Session>(
        model::Session{.id = {1}, .via = {}, .peer = {}, .protocol = "test"});
    return run(*runtime_, gateway_.handle(std::move(context), std::move(command)));
  }
  Errc error_of(model::Command command) {
    const auto reply = ask(std::move(command));
    return reply ? Errc{} : reply.error().code;
  }

  FakeBroker a_{1};
  FakeBroker b_{2};
  TestRuntime runtime_;
  Gateway gateway_{*runtime_, std::make_unique<TwoBrokers>(a_, b_)};
};

// --- queue locks -----------------------------------------------------------------------------

model::QueueName queue_of(std::string broker, std::int32_t queue) {
  return {.broker_name = std::move(broker), .topic = "t", .queue = queue};
}

template <class Command>
Command lock_of(std::vector<model::QueueName> queues) {
  Command command;
  command.group = "g";
  command.client_id = "c";
  command.queues = std::move(queues);
  return command;
}

TEST_F(GatewayConsumersTest, LocksEachQueueAtItsBroker) {
  auto reply = ask(lock_of<model::LockQueues>(
      {queue_of("a", 0), queue_of("b", 0), queue_of("a", 1), queue_of("nobody", 0)}));
  ASSERT_TRUE(reply);
  auto locked = std::get<model::LocksReply>(*std::move(reply)).locked;
  std::ranges::sort(locked);
  const std::vector<model::QueueName> expected{queue_of("a", 0), queue_of("a", 1),
                                               queue_of("b", 0)};
  EXPECT_EQ(locked, expected);
  EXPECT_EQ(a_.calls(), Calls{"lock_queues 2"});
  EXPECT_EQ(b_.calls(), Calls{"lock_queues 1"});
}

TEST_F(GatewayConsumersTest, LocksNothingAtABrokerThatFails) {
  a_.fail_with(Errc::unavailable);
  auto reply = ask(lock_of<model::LockQueues>({queue_of("a", 0), queue_of("b", 0)}));
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<model::LocksReply>(*reply).locked, std::vector{queue_of("b", 0)});
  EXPECT_EQ(error_of(lock_of<model::LockQueues>({queue_of("a", 0)})), Errc::unavailable);
}

TEST_F(GatewayConsumersTest, LocksNoQueuesOfNobody) {
  auto reply = ask(lock_of<model::LockQueues>({}));
  ASSERT_TRUE(reply);
  EXPECT_TRUE(std::get<model::LocksReply>(*reply).locked.empty());
  EXPECT_EQ(error_of(lock_of<model::LockQueues>({queue_of("nobody", 0)})), Errc::unavailable);
}

TEST_F(GatewayConsumersTest, UnlocksEachQueueAtItsBroker) {
  EXPECT_TRUE(ask(lock_of<model::UnlockQueues>({queue_of("a", 0), queue_of("b", 0)})));
  EXPECT_EQ(a_.calls(), Calls{"unlock_queues 1"});
  EXPECT_EQ(b_.calls(), Calls{"unlock_queues 1"});
}

TEST_F(GatewayConsumersTest, RefusesLocksOfNamesThatAreNone) {
  auto lock = lock_of<model::LockQueues>({queue_of("a", 0)});
  lock.client_id.clear();
  EXPECT_EQ(error_of(lock), Errc::invalid_argument);
  auto groupless = lock_of<model::LockQueues>({queue_of("a", 0)});
  groupless.group = "../g";
  EXPECT_EQ(error_of(groupless), Errc::invalid_argument);
  EXPECT_TRUE(a_.calls().empty());
}

// --- finding messages ------------------------------------------------------------------------

model::QueryMessages query() {
  model::QueryMessages query;
  query.topic = "t";
  query.key = "k";
  query.last_ms = 9;
  return query;
}

TEST_F(GatewayConsumersTest, FindsTheMessagesOfAllBrokersInTheOrderOfTheirTimes) {
  auto reply = ask(query());
  ASSERT_TRUE(reply);
  const auto& found = std::get<model::MessagesReply>(*reply);
  ASSERT_EQ(found.messages.size(), 2U);
  EXPECT_EQ(found.messages[0].record.stored_at_ms, 1);
  EXPECT_EQ(found.messages[1].record.stored_at_ms, 2);
  EXPECT_EQ(found.newest_stored_at_ms, 2);
}

TEST_F(GatewayConsumersTest, FindsNoMoreMessagesThanAskedForTheNewest) {
  auto one = query();
  one.messages_max = 1;
  auto reply = ask(one);
  ASSERT_TRUE(reply);
  const auto& found = std::get<model::MessagesReply>(*reply);
  ASSERT_EQ(found.messages.size(), 1U);
  EXPECT_EQ(found.messages[0].record.stored_at_ms, 2);
}

TEST_F(GatewayConsumersTest, FindsTheMessagesOfTheBrokerThatIsNamed) {
  auto at_a = query();
  at_a.broker_name = "a";
  EXPECT_TRUE(ask(at_a));
  EXPECT_EQ(a_.calls(), Calls{"query_messages"});
  EXPECT_TRUE(b_.calls().empty());
}

TEST_F(GatewayConsumersTest, FindsWhatOneBrokerHasAndTheOtherHasNot) {
  a_.fail_with(Errc::not_found);
  EXPECT_TRUE(ask(query()));
  b_.fail_with(Errc::not_found);
  EXPECT_EQ(error_of(query()), Errc::not_found);
  b_.fail_with(Errc::io_error);
  EXPECT_EQ(error_of(query()), Errc::io_error) << "it may have them";
}

TEST_F(GatewayConsumersTest, ViewsAMessageAtTheBrokerThatHasIt) {
  a_.fail_with(Errc::not_found);
  EXPECT_TRUE(ask(model::ViewMessage{.topic = {}, .position = 7, .broker_name = {}}));
  EXPECT_EQ(b_.calls(), Calls{"view_message"});
  b_.fail_with(Errc::not_found);
  EXPECT_EQ(error_of(model::ViewMessage{.topic = "t", .position = 7, .broker_name = {}}),
            Errc::not_found);
}

// --- asking clients --------------------------------------------------------------------------

model::AskClient question() {
  model::AskClient ask;
  ask.group = "g";
  ask.client_id = "c";
  return ask;
}

TEST_F(GatewayConsumersTest, AsksAClientThroughTheFirstBrokerThatKnowsIt) {
  a_.fail_with(Errc::group_has_no_members);
  auto reply = ask(question());
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<model::ClientReply>(*reply).body.text(), "from c");
  EXPECT_EQ(b_.calls(), Calls{"ask_client c"});
}

TEST_F(GatewayConsumersTest, AsksAClientOnceThatDoesNotAnswer) {
  a_.fail_with(Errc::deadline_exceeded);
  EXPECT_EQ(error_of(question()), Errc::deadline_exceeded);
  EXPECT_TRUE(b_.calls().empty());
}

TEST_F(GatewayConsumersTest, BringsAnAnswerToTheBrokerThatAsked) {
  model::AnswerClientRequest answer;
  answer.number = 5;
  answer.broker_name = "b";
  EXPECT_TRUE(ask(answer));
  EXPECT_EQ(b_.calls(), Calls{"answer_client_request 5"});
  EXPECT_TRUE(a_.calls().empty());
}

TEST_F(GatewayConsumersTest, AsksEveryMemberHowFarItIs) {
  a_.set_members({"c1", "c2"});
  auto reply = ask(model::QueryConsumerStatus{.group = "g", .topic = "t", .client_id = {}});
  ASSERT_TRUE(reply);
  const auto& clients = std::get<model::ConsumerStatusReply>(*reply).clients;
  ASSERT_EQ(clients.size(), 2U);
  EXPECT_EQ(clients[0].client_id, "c1");
  EXPECT_EQ(clients[1].body.text(), "from c2");
}

TEST_F(GatewayConsumersTest, AsksOneMemberHowFarItIs) {
  a_.set_members({"c1", "c2"});
  auto reply = ask(model::QueryConsumerStatus{.group = "g", .topic = "t", .client_id = "c2"});
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<model::ConsumerStatusReply>(*reply).clients.size(), 1U);
  const Calls expected{"list_members", "ask_client c2"};
  EXPECT_EQ(a_.calls(), expected);
}

TEST_F(GatewayConsumersTest, SaysThatNobodyIsThereToBeAsked) {
  EXPECT_EQ(error_of(model::QueryConsumerStatus{.group = "g", .topic = "t", .client_id = {}}),
            Errc::group_has_no_members);
}

// --- moving progress -------------------------------------------------------------------------

model::ResetOffset reset() {
  model::ResetOffset reset;
  reset.group = "g";
  reset.topic = "t";
  return reset;
}

TEST_F(GatewayConsumersTest, MovesProgressAtAllBrokersThatHaveTheTopic) {
  auto reply = ask(reset());
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<model::QueueOffsetsReply>(*reply).offsets.size(), 2U);
  a_.fail_with(Errc::topic_not_found);
  reply = ask(reset());
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<model::QueueOffsetsReply>(*reply).offsets.size(), 1U);
  b_.fail_with(Errc::topic_not_found);
  EXPECT_EQ(error_of(reset()), Errc::topic_not_found);
}

TEST_F(GatewayConsumersTest, SaysThatProgressWasNotMovedEverywhere) {
  b_.fail_with(Errc::io_error);
  EXPECT_EQ(error_of(reset()), Errc::io_error);
}

TEST_F(GatewayConsumersTest, MovesProgressAtTheBrokerThatIsNamed) {
  auto at_b = reset();
  at_b.broker_name = "b";
  at_b.queue = 1;
  EXPECT_TRUE(ask(at_b));
  EXPECT_TRUE(a_.calls().empty());
  EXPECT_EQ(b_.calls(), Calls{"reset_offset"});
}

}  // namespace
}  // namespace sluice::gateway
