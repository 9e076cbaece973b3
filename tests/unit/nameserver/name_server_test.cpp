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

  /// What only name servers are asked.
  Result<model::Reply> order(model::NameServerCommand command) { return ask(std::move(command)); }

  template <class T>
  T answer_to(model::NameServerCommand command) {
    const auto reply = order(std::move(command));
    EXPECT_TRUE(reply);
    return reply ? std::get<T>(std::get<model::NameServerReply>(*reply)) : T{};
  }

  Errc refusal_of(model::NameServerCommand command) {
    const auto reply = order(std::move(command));
    EXPECT_FALSE(reply);
    return reply ? Errc::internal : reply.error().code;
  }

  static model::RegisteredReply registered(const model::Reply& reply) {
    return std::get<model::RegisteredReply>(std::get<model::NameServerReply>(reply));
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
  ASSERT_TRUE(ask(model::NameServerCommand(model::ForgetTopic{.topic = "TBW102", .cluster = {}})));
  EXPECT_FALSE(ask(model::QueryRoute{.topic = "TBW102"}));
}

TEST_F(NameServerTest, KeepsKvEntries) {
  ASSERT_TRUE(order(model::PutKv{.name_space = "n", .key = "k", .value = "v"}));
  EXPECT_EQ(answer_to<model::TextReply>(model::GetKv{.name_space = "n", .key = "k"}).text, "v");
  EXPECT_EQ(answer_to<model::TextMapReply>(model::ListKv{.name_space = "n"}).texts,
            (model::TextMap{{"k", "v"}}));
  EXPECT_EQ(answer_to<model::NamesReply>(model::ListKvNamespaces{}).names,
            (std::vector<std::string>{"n"}));
  EXPECT_EQ(answer_to<model::TextReply>(model::FindKvKeys{.name_space = "n", .value = "v"}).text,
            "k");
  ASSERT_TRUE(order(model::DeleteKv{.name_space = "n", .key = "k"}));
  EXPECT_EQ(refusal_of(model::GetKv{.name_space = "n", .key = "k"}), Errc::not_found);
}

TEST_F(NameServerTest, FindsNoKvEntryThatWasNeverPut) {
  EXPECT_EQ(refusal_of(model::GetKv{.name_space = "n", .key = "k"}), Errc::not_found);
  EXPECT_EQ(refusal_of(model::ListKv{.name_space = "n"}), Errc::not_found);
  EXPECT_EQ(refusal_of(model::FindKvKeys{.name_space = "n", .value = "v"}), Errc::not_found);
}

TEST_F(NameServerTest, TellsARegisteringBrokerOfOrderTopics) {
  const auto before = ask(registration());
  ASSERT_TRUE(before);
  EXPECT_FALSE(registered(*before).order_topics);
  ASSERT_TRUE(order(
      model::PutKv{.name_space = "ORDER_TOPIC_CONFIG", .key = "TBW102", .value = "broker-a:4"}));
  const auto after = ask(registration());
  ASSERT_TRUE(after);
  EXPECT_EQ(registered(*after).order_topics, (model::TextMap{{"TBW102", "broker-a:4"}}));
  ASSERT_TRUE(order(model::UpdateSettings{{{"returnOrderTopicConfigToBroker", "false"}}}));
  EXPECT_FALSE(registered(*ask(registration())).order_topics);
}

TEST_F(NameServerTest, PutsTheOrderIntoRoutesOnceThatIsSwitchedOn) {
  ASSERT_TRUE(ask(registration()));
  ASSERT_TRUE(order(
      model::PutKv{.name_space = "ORDER_TOPIC_CONFIG", .key = "TBW102", .value = "broker-a:4"}));
  const model::Command query = model::QueryRoute{.topic = "TBW102"};
  EXPECT_FALSE(std::get<model::RouteReply>(*ask(query)).route.order_config);
  ASSERT_TRUE(order(model::UpdateSettings{{{"orderMessageEnable", "true"}}}));
  EXPECT_EQ(std::get<model::RouteReply>(*ask(query)).route.order_config, "broker-a:4");
  const model::Command other = model::QueryRoute{.topic = "SELF_TEST_TOPIC"};
  EXPECT_FALSE(std::get<model::RouteReply>(*ask(other)).route.order_config);
}

TEST_F(NameServerTest, SaysWhetherABrokersVersionIsNews) {
  const auto broker = registration();
  const model::BrokerIdentity identity{
      .cluster = "c", .broker_name = "broker-a", .address = "10.0.0.1:10911"};
  const model::QueryBrokerVersion query{.broker = identity, .version = broker.version};
  const auto unknown = answer_to<model::BrokerVersionReply>(query);
  EXPECT_TRUE(unknown.is_changed);
  EXPECT_FALSE(unknown.known);
  ASSERT_TRUE(ask(broker));
  const auto known = answer_to<model::BrokerVersionReply>(query);
  EXPECT_FALSE(known.is_changed);
  EXPECT_EQ(known.known, broker.version);
}

TEST_F(NameServerTest, KeepsABrokerAliveByItsHeartbeats) {
  auto broker = registration();
  broker.expiry = std::chrono::milliseconds(200);
  ASSERT_TRUE(ask(broker));
  const model::BrokerIdentity identity{
      .cluster = "c", .broker_name = "broker-a", .address = "10.0.0.1:10911"};
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
  EXPECT_TRUE(test::wait_until([&] {
    EXPECT_TRUE(order(model::BrokerHeartbeat{.broker = identity}));
    return std::chrono::steady_clock::now() > end;
  }));
  EXPECT_TRUE(ask(model::QueryRoute{.topic = "TBW102"}));
  EXPECT_TRUE(test::wait_until([&] { return !ask(model::QueryRoute{.topic = "TBW102"}); }));
}

TEST_F(NameServerTest, CountsTheTopicsWhoseWritePermissionItWipes) {
  ASSERT_TRUE(ask(registration()));
  EXPECT_EQ(
      answer_to<model::CountReply>(model::SetWritePermission{.broker_name = "broker-a"}).count, 2);
  EXPECT_EQ(answer_to<model::CountReply>(model::SetWritePermission{.broker_name = "nobody"}).count,
            0);
}

TEST_F(NameServerTest, ListsNoTopicsWhileThatIsSwitchedOff) {
  ASSERT_TRUE(ask(registration()));
  ASSERT_TRUE(order(model::UpdateSettings{{{"enableAllTopicList", "false"}}}));
  EXPECT_FALSE(ask(model::QueryTopics{}));
  EXPECT_TRUE(ask(model::QueryTopics{.topic = "TBW102"})) << "one is not a list";
  ASSERT_TRUE(order(model::UpdateSettings{{{"enableTopicList", "false"}}}));
  EXPECT_EQ(refusal_of(model::ListTopicNames{.cluster = "c"}), Errc::conflict);
}

TEST_F(NameServerTest, TellsItsSettings) {
  ASSERT_TRUE(order(model::UpdateSettings{{{"supportActingMaster", "true"}}}));
  EXPECT_EQ(answer_to<model::TextMapReply>(model::QuerySettings{}).texts.at("supportActingMaster"),
            "true");
  EXPECT_EQ(refusal_of(model::UpdateSettings{{{"kvConfigPath", "/etc/passwd"}}}),
            Errc::permission_denied);
}

TEST_F(NameServerTest, KeepsItsConfigurationOverARestart) {
  const test::TempDirectory directory;
  const NameServerOptions options{.data_directory = directory.path() / "ns"};
  {
    NameServer first(*runtime_, options);
    ASSERT_TRUE(first.open());
    const model::NameServerCommand put = model::PutKv{.name_space = "n", .key = "k", .value = "v"};
    ASSERT_TRUE(run(*runtime_, first.handle(context_of(1), put)));
    const model::NameServerCommand update = model::UpdateSettings{{{"orderMessageEnable", "true"}}};
    ASSERT_TRUE(run(*runtime_, first.handle(context_of(1), update)));
  }
  NameServer second(*runtime_, options);
  ASSERT_TRUE(second.open());
  const model::NameServerCommand get = model::GetKv{.name_space = "n", .key = "k"};
  const auto value = run(*runtime_, second.handle(context_of(1), get));
  ASSERT_TRUE(value);
  const auto& reply = std::get<model::NameServerReply>(*value);
  EXPECT_EQ(std::get<model::TextReply>(reply).text, "v");
  const model::NameServerCommand query = model::QuerySettings{};
  const auto settings = run(*runtime_, second.handle(context_of(1), query));
  ASSERT_TRUE(settings);
  const auto& texts = std::get<model::TextMapReply>(std::get<model::NameServerReply>(*settings));
  EXPECT_EQ(texts.texts.at("orderMessageEnable"), "true");
}

/// Lets nobody manage.
class ReadersOnly final : public Authorizer {
 public:
  Result<> authorize(const model::CallContext& /*context*/, Access access) override {
    if (access != Access::manage) return {};
    return fail(Errc::permission_denied, "not you");
  }
};

TEST(NameServerAccess, IsAskedBeforeEveryRequest) {
  TestRuntime runtime;
  NameServer name_server(*runtime, {}, std::make_unique<ReadersOnly>());
  const std::vector<model::NameServerCommand> refused = {
      model::PutKv{.name_space = "n", .key = "k", .value = "v"},
      model::DeleteKv{.name_space = "n", .key = "k"},
      model::SetWritePermission{.broker_name = "b"},
      model::ForgetTopic{.topic = "t", .cluster = {}},
      model::QuerySettings{},
      model::UpdateSettings{}};
  for (const model::NameServerCommand& command : refused) {
    const auto reply = run(*runtime, name_server.handle({}, command));
    ASSERT_FALSE(reply) << command.index();
    EXPECT_EQ(reply.error().code, Errc::permission_denied) << command.index();
  }
  EXPECT_TRUE(run(*runtime, name_server.handle({}, registration())));
  EXPECT_TRUE(run(*runtime, name_server.handle({}, model::QueryRoute{.topic = "TBW102"})));
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
