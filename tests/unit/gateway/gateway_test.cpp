#include "gateway/gateway.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/pipeline/allow_all.hpp"
#include "gateway/routing/local_routing.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/gateway/fake_broker.hpp"

namespace sluice::gateway {
namespace {

using test::FakeBroker;
using test::run;
using test::TestRuntime;

using Calls = std::vector<std::string>;

model::CallContext context_of(std::uint64_t session) {
  model::CallContext context;
  context.session = std::make_shared<model::Session>(
      model::Session{.id = {session}, .via = {}, .peer = {}, .protocol = "test"});
  return context;
}

model::Send send_to(std::string topic) {
  model::Send send;
  send.topic = std::move(topic);
  send.messages.emplace_back();
  return send;
}

std::vector<model::Send> sends_to(std::vector<std::string> topics) {
  std::vector<model::Send> sends;
  for (auto& topic : topics) sends.push_back(send_to(std::move(topic)));
  return sends;
}

/// A command about queue 0 of topic t, for group g if it has one.
template <class Command>
Command about_t() {
  Command command;
  command.topic = "t";
  if constexpr (requires { command.group; }) command.group = "g";
  return command;
}

model::TopicConfig topic(std::string name) {
  model::TopicConfig config;
  config.name = std::move(name);
  return config;
}

model::Pull pull() {
  return about_t<model::Pull>();
}

class DenyingAuthorizer final : public Authorizer {
 public:
  Result<> authorize(const model::CallContext& /*context*/, const Access& access) override {
    if (access.name != "secret") return {};
    return fail(Errc::permission_denied, "not for you");
  }
};

class DenyingAuthenticator final : public Authenticator {
 public:
  Result<> authenticate(const model::CallContext& /*context*/) override {
    return fail(Errc::unauthenticated, "who are you?");
  }
};

/// Lets so many bytes pass.
class ByteQuota final : public Quota {
 public:
  explicit ByteQuota(std::size_t bytes) : left_(bytes) {}
  Result<> admit(const model::CallContext& /*context*/, Cost cost) override {
    if (cost.bytes > left_) return fail(Errc::quota_exceeded, "slower");
    left_ -= cost.bytes;
    return {};
  }

 private:
  std::size_t left_;
};

class GatewayTest : public ::testing::Test {
 protected:
  ~GatewayTest() override {
    broker_.stop_watching();
    if (gateway_) run(*runtime_, gateway_->stop());
  }

  void make(Pipeline pipeline = Pipeline::allow_all()) {
    auto routing = make_local_routing(
        broker_, {.cluster = "c", .name = "broker-a", .id = 0, .address = "10.0.0.1:10911"});
    gateway_ = std::make_unique<Gateway>(*runtime_, std::move(routing), std::move(pipeline));
  }

  Result<model::Reply> ask(model::Command command) {
    return run(*runtime_, gateway_->handle(context_of(1), std::move(command)));
  }

  std::vector<Result<model::SendReply>> send(std::vector<model::Send> sends) {
    auto replies = run(*runtime_, gateway_->send(context_of(1), std::move(sends)));
    EXPECT_TRUE(replies);
    return std::move(*replies);
  }

  FakeBroker broker_;
  TestRuntime runtime_;
  std::unique_ptr<Gateway> gateway_;
};

TEST_F(GatewayTest, GivesAllSendsOfACallToTheBrokerInOneCall) {
  make();
  const auto replies = send(sends_to({"a", "b", "c"}));
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_EQ(replies[2]->unique_key, "c");
  EXPECT_EQ(broker_.send_sizes(), std::vector<std::size_t>{3});
}

TEST_F(GatewayTest, RefusesOneSendOfACallAndStoresTheOthers) {
  make();
  const auto replies = send(sends_to({"a", "not a name", "c"}));
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_EQ(replies[0]->unique_key, "a");
  ASSERT_FALSE(replies[1]);
  EXPECT_EQ(replies[1].error().code, Errc::invalid_argument);
  EXPECT_EQ(replies[2]->unique_key, "c");
  EXPECT_EQ(broker_.send_sizes(), std::vector<std::size_t>{2});
}

TEST_F(GatewayTest, AsksNoBrokerIfEverySendIsRefused) {
  make();
  const auto replies = send(sends_to({"not a name"}));
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_FALSE(replies[0]);
  EXPECT_TRUE(broker_.calls().empty());
}

TEST_F(GatewayTest, AnswersEverySendWithTheErrorOfTheWholeCall) {
  make();
  broker_.fail_with(Errc::unavailable);
  const auto replies = send(sends_to({"a", "not a name"}));
  ASSERT_EQ(replies.size(), 2U);
  ASSERT_FALSE(replies[0]);
  EXPECT_EQ(replies[0].error().code, Errc::unavailable);
  EXPECT_EQ(replies[1].error().code, Errc::invalid_argument);
}

TEST_F(GatewayTest, LetsNobodyPassWhoIsNotAuthenticated) {
  make({std::make_unique<DenyingAuthenticator>(), std::make_unique<AllowAllAuthorizer>(),
        std::make_unique<AllowAllQuota>()});
  const auto replies = send(sends_to({"a", "b"}));
  for (const auto& reply : replies) EXPECT_EQ(reply.error().code, Errc::unauthenticated);
  const auto pulled = ask(pull());
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, Errc::unauthenticated);
  EXPECT_TRUE(broker_.calls().empty());
}

TEST_F(GatewayTest, LetsNobodyDoWhatTheyMayNot) {
  make({std::make_unique<AllowAllAuthenticator>(), std::make_unique<DenyingAuthorizer>(),
        std::make_unique<AllowAllQuota>()});
  const auto replies = send(sends_to({"open", "secret"}));
  EXPECT_TRUE(replies[0]);
  ASSERT_FALSE(replies[1]);
  EXPECT_EQ(replies[1].error().code, Errc::permission_denied);
  auto secret_topic = pull();
  secret_topic.topic = "secret";
  EXPECT_EQ(ask(secret_topic).error().code, Errc::permission_denied);
  auto secret_group = pull();
  secret_group.group = "secret";
  EXPECT_EQ(ask(secret_group).error().code, Errc::permission_denied);
  EXPECT_TRUE(ask(pull()));
}

TEST_F(GatewayTest, RefusesWhatIsOverTheQuotaAndTakesNothingForIt) {
  make({std::make_unique<AllowAllAuthenticator>(), std::make_unique<AllowAllAuthorizer>(),
        std::make_unique<ByteQuota>(10)});
  const std::string body(6, 'x');
  auto sends = sends_to({"a", "b", "c"});
  sends[0].messages[0].body = as_bytes(body);
  sends[1].messages[0].body = as_bytes(body);
  sends[2].messages[0].body = as_bytes(std::string_view(body).substr(2));
  const auto replies = send(std::move(sends));
  EXPECT_TRUE(replies[0]);
  ASSERT_FALSE(replies[1]);
  EXPECT_EQ(replies[1].error().code, Errc::quota_exceeded);
  EXPECT_TRUE(replies[2]);
}

TEST_F(GatewayTest, BringsEveryQueueCommandToTheBrokerAndItsAnswerBack) {
  make();
  EXPECT_EQ(std::get<model::PullReply>(*ask(pull())).next_offset, 100);
  EXPECT_EQ(std::get<model::OffsetReply>(*ask(about_t<model::QueryOffset>())).offset, 1);
  EXPECT_TRUE(std::holds_alternative<model::Acknowledged>(*ask(about_t<model::UpdateOffset>())));
  EXPECT_EQ(std::get<model::BoundsReply>(*ask(about_t<model::QueryBounds>())).next, 3);
  EXPECT_EQ(std::get<model::OffsetReply>(*ask(about_t<model::SearchOffset>())).offset, 4);
  EXPECT_EQ(std::get<model::OffsetReply>(*ask(about_t<model::QueryEarliestTime>())).offset, 5);
  const Calls expected{"pull",         "query_offset",  "update_offset",
                       "query_bounds", "search_offset", "query_earliest_time"};
  EXPECT_EQ(broker_.calls(), expected);
}

TEST_F(GatewayTest, BringsEveryClientAndTopicCommandToTheBroker) {
  make();
  broker_.set_members({"c1"});
  model::RegisterClient client;
  client.client_id = "c1";
  EXPECT_TRUE(ask(client));
  EXPECT_EQ(std::get<model::MembersReply>(*ask(model::ListMembers{.group = "g"})).client_ids,
            std::vector<std::string>{"c1"});
  model::UnregisterClient goodbye;
  goodbye.client_id = "c1";
  EXPECT_TRUE(ask(goodbye));
  model::CreateTopic create;
  create.config.name = "t";
  EXPECT_TRUE(ask(create));
  EXPECT_TRUE(ask(model::DeleteTopic{.topic = "t"}));
  const Calls expected{"register_client", "list_members", "unregister_client", "create_topic",
                       "delete_topic"};
  EXPECT_EQ(broker_.calls(), expected);
}

TEST_F(GatewayTest, BringsTheBrokersErrorBack) {
  make();
  broker_.fail_with(Errc::subscription_missing);
  const auto pulled = ask(pull());
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, Errc::subscription_missing);
  const auto updated = ask(about_t<model::UpdateOffset>());
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, Errc::subscription_missing);
}

TEST_F(GatewayTest, AsksNoBrokerForWhatIsNotWellFormed) {
  make();
  auto groupless = pull();
  groupless.group.clear();
  EXPECT_FALSE(ask(groupless));
  EXPECT_TRUE(broker_.calls().empty());
}

TEST_F(GatewayTest, SaysThatASubscriptionIsFineWithoutAskingABroker) {
  make();
  model::CheckSubscription check;
  check.subscription.topic = "t";
  EXPECT_TRUE(ask(check));
  EXPECT_TRUE(broker_.calls().empty());
}

TEST_F(GatewayTest, DoesNotSupportFiltersThatAreNotBuilt) {
  make();
  model::CheckSubscription check;
  check.subscription.topic = "t";
  check.subscription.filter = {.expression = "a > 1", .type = "SQL92"};
  const auto checked = ask(check);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, Errc::unsupported);
  EXPECT_EQ(checked.error().text,
            "The broker does not support consumer to filter message by SQL92");
}

TEST_F(GatewayTest, AnswersRoutesWithTheAddressThatClientsReach) {
  make();
  model::TopicConfig orders;
  orders.name = "orders";
  orders.read_queues = 4;
  orders.write_queues = 2;
  broker_.add_topic(orders);
  const auto reply = ask(model::QueryRoute{.topic = "orders"});
  ASSERT_TRUE(reply);
  const model::Route expected{
      .queues = {{.broker_name = "broker-a", .read_queues = 4, .write_queues = 2, .permission = 6}},
      .brokers = {
          {.cluster = "c", .broker_name = "broker-a", .addresses = {{0, "10.0.0.1:10911"}}}}};
  EXPECT_EQ(std::get<model::RouteReply>(*reply).route, expected);
}

TEST_F(GatewayTest, SaysTopicNotFoundForARouteToATopicTheBrokerHasNot) {
  make();
  const auto reply = ask(model::QueryRoute{.topic = "orders"});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::topic_not_found);
}

TEST_F(GatewayTest, AnswersTheClusterWithItsOneBroker) {
  make();
  const auto reply = ask(model::QueryCluster{});
  ASSERT_TRUE(reply);
  const std::vector<model::BrokerData> expected{
      {.cluster = "c", .broker_name = "broker-a", .addresses = {{0, "10.0.0.1:10911"}}}};
  EXPECT_EQ(std::get<model::ClusterReply>(*reply).brokers, expected);
}

TEST_F(GatewayTest, ListsTheBrokersTopics) {
  make();
  broker_.add_topic(topic("a"));
  broker_.add_topic(topic("b"));
  EXPECT_EQ(std::get<model::TopicsReply>(*ask(model::QueryTopics{})).topics.size(), 2U);
  const auto one = ask(model::QueryTopics{.topic = "b"});
  ASSERT_EQ(std::get<model::TopicsReply>(*one).topics.size(), 1U);
  EXPECT_EQ(std::get<model::TopicsReply>(*one).topics[0].name, "b");
}

TEST_F(GatewayTest, TakesNoBrokersRegistration) {
  make();
  const auto reply = ask(model::RegisterBroker{});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::unsupported);
}

TEST_F(GatewayTest, IsNoNameServerButHearsOfTopicsThatAreGone) {
  make();
  const auto put =
      ask(model::NameServerCommand(model::PutKv{.name_space = "n", .key = "k", .value = "v"}));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, Errc::unsupported);
  EXPECT_TRUE(ask(model::NameServerCommand(model::ForgetTopic{.topic = "t", .cluster = {}})));
}

TEST_F(GatewayTest, TellsASessionWhatTheBrokerHasToSay) {
  make();
  const auto stream = gateway_->attach(context_of(9));
  broker_.notify({{.session = {9}, .event = model::GroupChanged{"g"}}});
  const auto events = run(*runtime_, stream->next(10));
  ASSERT_TRUE(events);
  const std::vector<model::Event> expected{model::GroupChanged{"g"}};
  EXPECT_EQ(*events, expected);
}

TEST_F(GatewayTest, TellsTheBrokerWhichSessionsAreGone) {
  make();
  gateway_->session_closed(model::SessionId{9}, model::SessionId{4});
  EXPECT_EQ(broker_.calls(), Calls{"closed 9 via 4"});
}

TEST_F(GatewayTest, NumbersSessionsWithoutRepeats) {
  make();
  const auto first = gateway_->next_session_id();
  EXPECT_NE(first.value, 0U);
  EXPECT_NE(gateway_->next_session_id(), first);
}

}  // namespace
}  // namespace sluice::gateway
