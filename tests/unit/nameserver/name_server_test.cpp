#include "nameserver/name_server.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "tests/support/run_task.hpp"

namespace sluice::nameserver {
namespace {

using test::run;
using test::TestRuntime;

model::CallContext context_of(std::uint64_t session) {
  model::CallContext context;
  context.session = std::make_shared<model::Session>(
      model::Session{.id = {session}, .via = {}, .peer = {}, .protocol = "test"});
  return context;
}

model::RegisterBroker registration() {
  model::RegisterBroker broker;
  broker.cluster = "c";
  broker.broker_name = "broker-a";
  broker.address = "10.0.0.1:10911";
  for (const char* name : {"TBW102", "SELF_TEST_TOPIC"}) {
    broker.topics.emplace_back().name = name;
  }
  return broker;
}

class NameServerTest : public ::testing::Test {
 protected:
  Result<model::Reply> ask(model::Command command, std::uint64_t session = 1) {
    return run(*runtime_, name_server_.handle(context_of(session), std::move(command)));
  }

  TestRuntime runtime_;
  NameServer name_server_{*runtime_, {.scan_interval = std::chrono::milliseconds(10)}};
};

TEST_F(NameServerTest, AnswersTheRouteOfATopicThatABrokerRegistered) {
  ASSERT_TRUE(ask(registration()));
  const auto reply = ask(model::QueryRoute{.topic = "TBW102"});
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<model::RouteReply>(*reply).route.brokers[0].addresses.at(0), "10.0.0.1:10911");
}

TEST_F(NameServerTest, SaysTopicNotFoundBeforeAnyBrokerRegistered) {
  const auto reply = ask(model::QueryRoute{.topic = "TBW102"});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::topic_not_found);
}

TEST_F(NameServerTest, ForgetsABrokerWithTheConnectionItRegisteredThrough) {
  ASSERT_TRUE(ask(registration(), 5));
  name_server_.session_closed(model::SessionId{4}, model::SessionId{});
  EXPECT_TRUE(ask(model::QueryRoute{.topic = "TBW102"}));
  name_server_.session_closed(model::SessionId{5}, model::SessionId{});
  EXPECT_FALSE(ask(model::QueryRoute{.topic = "TBW102"}));
}

TEST_F(NameServerTest, ForgetsABrokerThatSaysGoodbye) {
  ASSERT_TRUE(ask(registration()));
  ASSERT_TRUE(ask(model::UnregisterBroker{
      .cluster = "c", .broker_name = "broker-a", .broker_id = 0, .address = "10.0.0.1:10911"}));
  EXPECT_FALSE(ask(model::QueryRoute{.topic = "TBW102"}));
}

TEST_F(NameServerTest, DropsABrokerThatWasSilentForLongerThanItsExpiry) {
  auto broker = registration();
  broker.expiry = std::chrono::milliseconds(50);
  ASSERT_TRUE(ask(broker));
  EXPECT_TRUE(test::wait_until([&] { return !ask(model::QueryRoute{.topic = "TBW102"}); }));
}

TEST_F(NameServerTest, ListsItsBrokers) {
  ASSERT_TRUE(ask(registration()));
  const auto reply = ask(model::QueryCluster{});
  ASSERT_TRUE(reply);
  const auto& brokers = std::get<model::ClusterReply>(*reply).brokers;
  ASSERT_EQ(brokers.size(), 1U);
  EXPECT_EQ(brokers[0].broker_name, "broker-a");
  EXPECT_EQ(brokers[0].cluster, "c");
}

TEST_F(NameServerTest, ListsAllTopicsOrTheOneAskedFor) {
  ASSERT_TRUE(ask(registration()));
  const auto all = ask(model::QueryTopics{});
  ASSERT_TRUE(all);
  EXPECT_EQ(std::get<model::TopicsReply>(*all).topics.size(), 2U);
  const auto one = ask(model::QueryTopics{.topic = "TBW102"});
  ASSERT_TRUE(one);
  ASSERT_EQ(std::get<model::TopicsReply>(*one).topics.size(), 1U);
  EXPECT_EQ(std::get<model::TopicsReply>(*one).topics[0].name, "TBW102");
  const auto none = ask(model::QueryTopics{.topic = "orders"});
  ASSERT_TRUE(none);
  EXPECT_TRUE(std::get<model::TopicsReply>(*none).topics.empty());
}

TEST_F(NameServerTest, ForgetsADeletedTopic) {
  ASSERT_TRUE(ask(registration()));
  ASSERT_TRUE(ask(model::DeleteTopic{.topic = "TBW102"}));
  EXPECT_FALSE(ask(model::QueryRoute{.topic = "TBW102"}));
}

TEST_F(NameServerTest, DoesNotServeWhatIsABrokersBusiness) {
  const auto pulled = ask(model::Pull{});
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, Errc::unsupported);
  const auto created = ask(model::CreateTopic{});
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, Errc::unsupported);
}

TEST_F(NameServerTest, RefusesEachSendOfACall) {
  std::vector<model::Send> sends(2);
  const auto replies = run(*runtime_, name_server_.send(context_of(1), std::move(sends)));
  ASSERT_TRUE(replies);
  ASSERT_EQ(replies->size(), 2U);
  for (const auto& reply : *replies) {
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, Errc::unsupported);
  }
}

TEST_F(NameServerTest, EndsAWaitingStreamWhenItIsClosed) {
  const auto stream = name_server_.attach(context_of(1));
  auto next = test::start(runtime_->loop(0), stream->next(1));
  stream->close();
  const auto events = test::wait_for_result(std::move(next));
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, Errc::cancelled);
}

TEST_F(NameServerTest, NumbersSessionsWithoutRepeats) {
  const auto first = name_server_.next_session_id();
  EXPECT_NE(first.value, 0U);
  EXPECT_NE(first, name_server_.next_session_id());
}

}  // namespace
}  // namespace sluice::nameserver
