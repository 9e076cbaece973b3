#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/gateway.hpp"
#include "gateway/routing/cluster_routing.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/gateway/fake_broker.hpp"

namespace sluice::gateway {
namespace {

using std::chrono::milliseconds;
using test::FakeBroker;
using test::run;
using test::TestRuntime;
using test::wait_until;

using Calls = std::vector<std::string>;

constexpr std::string_view kAdvertised = "gateway.example:10911";

/// Name servers as a table that the test writes.
class FakeSource final : public RouteSource {
 public:
  void add_broker(const std::string& name, std::string address) {
    const std::lock_guard lock(mutex_);
    model::BrokerData& data = brokers_[name];
    data.cluster = "c";
    data.broker_name = name;
    data.addresses = {{0, std::move(address)}};
  }
  void add_slave(const std::string& name, std::string address) {
    const std::lock_guard lock(mutex_);
    model::BrokerData& data = brokers_[name];
    data.cluster = "c";
    data.broker_name = name;
    data.addresses.emplace(1, std::move(address));
  }
  void add_topic(const std::string& topic, const std::string& broker, std::int32_t queues = 4) {
    const std::lock_guard lock(mutex_);
    topics_[topic][broker] = queues;
  }
  void remove_topic(const std::string& topic) {
    const std::lock_guard lock(mutex_);
    topics_.erase(topic);
  }
  void fail_with(std::optional<Errc> code) {
    const std::lock_guard lock(mutex_);
    failure_ = code;
  }
  std::size_t route_queries() const {
    const std::lock_guard lock(mutex_);
    return route_queries_;
  }

  Task<model::Route> fetch_route(std::string topic) override {
    const std::lock_guard lock(mutex_);
    ++route_queries_;
    if (failure_) co_return fail(*failure_, "fake");
    const auto found = topics_.find(topic);
    if (found == topics_.end()) co_return fail(Errc::topic_not_found, "fake");
    model::Route route;
    for (const auto& [broker, queues] : found->second) {
      model::QueueData& data = route.queues.emplace_back();
      data.broker_name = broker;
      data.read_queues = queues;
      data.write_queues = queues;
      data.permission = 6;
      route.brokers.push_back(brokers_.at(broker));
    }
    co_return route;
  }

  Task<std::vector<model::BrokerData>> fetch_cluster() override {
    const std::lock_guard lock(mutex_);
    if (failure_) co_return fail(*failure_, "fake");
    std::vector<model::BrokerData> all;
    for (const auto& [name, data] : brokers_) all.push_back(data);
    co_return all;
  }

  Task<std::vector<std::string>> fetch_topics() override {
    const std::lock_guard lock(mutex_);
    if (failure_) co_return fail(*failure_, "fake");
    std::vector<std::string> names;
    for (const auto& [name, brokers] : topics_) names.push_back(name);
    co_return names;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, model::BrokerData> brokers_;
  std::map<std::string, std::map<std::string, std::int32_t>> topics_;
  std::optional<Errc> failure_;
  std::size_t route_queries_ = 0;
};

model::CallContext context_of(std::uint64_t session) {
  model::CallContext context;
  context.session = std::make_shared<model::Session>(
      model::Session{.id = {session}, .via = {}, .peer = {}, .protocol = "test"});
  return context;
}

model::Send send_to(std::string topic, std::string broker_name = {}) {
  model::Send send;
  send.topic = std::move(topic);
  send.broker_name = std::move(broker_name);
  send.messages.emplace_back();
  return send;
}

model::Pull pull_of(std::string topic, std::string broker_name = {}) {
  model::Pull pull;
  pull.group = "g";
  pull.topic = std::move(topic);
  pull.broker_name = std::move(broker_name);
  return pull;
}

/// Two brokers, "a" and "b": topic "both" is on both, "only-b" on b; both make topics.
class ClusterTest : public ::testing::Test {
 protected:
  ClusterTest() {
    source_->add_broker("a", "host-a:1");
    source_->add_broker("b", "host-b:1");
    source_->add_topic("both", "a");
    source_->add_topic("both", "b");
    source_->add_topic("only-b", "b");
    source_->add_topic("TBW102", "a");
    source_->add_topic("TBW102", "b");
  }

  ~ClusterTest() override { run(*runtime_, gateway().stop()); }

  void make(milliseconds refresh_after = std::chrono::hours(1)) {
    ClusterRoutingOptions options;
    options.advertised = kAdvertised;
    options.refresh_after = refresh_after;
    auto make_broker = [this](const std::string& address) { return make_broker_at(address); };
    auto routing = make_cluster_routing(*runtime_, std::unique_ptr<RouteSource>(source_),
                                        make_broker, std::move(options));
    gateway_ = std::make_unique<Gateway>(*runtime_, std::move(routing));
  }

  std::unique_ptr<ClusterBroker> make_broker_at(const std::string& address) {
    const std::lock_guard lock(mutex_);
    auto broker = std::make_unique<FakeBroker>(address == "host-b:1" ? 2 : 1);
    at_[address] = broker.get();
    return broker;
  }

  bool is_known(const std::string& address) {
    const std::lock_guard lock(mutex_);
    return at_.contains(address);
  }

  /// The broker at an address, once the gateway has found it.
  FakeBroker& at(const std::string& address) {
    EXPECT_TRUE(wait_until([&] { return is_known(address); })) << address;
    const std::lock_guard lock(mutex_);
    return *at_.at(address);
  }
  FakeBroker& a() { return at("host-a:1"); }
  FakeBroker& b() { return at("host-b:1"); }

  Gateway& gateway() {
    if (!gateway_) make();
    return *gateway_;
  }

  Result<model::Reply> ask(model::Command command) {
    return run(*runtime_, gateway().handle(context_of(1), std::move(command)));
  }
  Errc error_of(model::Command command) {
    const auto reply = ask(std::move(command));
    return reply ? Errc{} : reply.error().code;
  }

  std::vector<Result<model::SendReply>> send(std::vector<model::Send> sends) {
    return std::move(*run(*runtime_, gateway().send(context_of(1), std::move(sends))));
  }
  Result<model::SendReply> send_one(model::Send one) {
    std::vector<model::Send> sends;
    sends.push_back(std::move(one));
    return std::move(send(std::move(sends)).front());
  }

  FakeSource* source_ = new FakeSource;  // the routing's, once made
  std::mutex mutex_;
  std::map<std::string, FakeBroker*> at_;
  TestRuntime runtime_;
  std::unique_ptr<Gateway> gateway_;
};

TEST_F(ClusterTest, SendsToTheBrokerThatTheClientNames) {
  EXPECT_EQ(send_one(send_to("both", "b"))->queue, 2);
  EXPECT_EQ(send_one(send_to("both", "a"))->queue, 1);
}

TEST_F(ClusterTest, SendsToTheOneBrokerThatHasTheTopic) {
  EXPECT_EQ(send_one(send_to("only-b"))->queue, 2);
}

TEST_F(ClusterTest, AsksWhichBrokerIsMeantIfSeveralHaveTheTopic) {
  const auto reply = send_one(send_to("both"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::invalid_argument);
  EXPECT_NE(reply.error().text.find("several brokers"), std::string::npos) << reply.error().text;
}

TEST_F(ClusterTest, SendsToTheFirstBrokerThatMakesTopicsIfNoneHasTheTopic) {
  EXPECT_EQ(send_one(send_to("new"))->queue, 1);
}

TEST_F(ClusterTest, SaysTopicNotFoundIfNoBrokerHasOrMakesTheTopic) {
  source_->remove_topic("TBW102");
  const auto reply = send_one(send_to("new"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::topic_not_found);
}

TEST_F(ClusterTest, SplitsTheSendsOfACallAmongTheirBrokersAndKeepsTheirOrder) {
  std::vector<model::Send> sends;
  sends.push_back(send_to("both", "a"));
  sends.push_back(send_to("only-b"));
  sends.push_back(send_to("both"));
  sends.push_back(send_to("both", "a"));
  const auto replies = send(std::move(sends));
  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(replies[0]->queue, 1);
  EXPECT_EQ(replies[1]->queue, 2);
  EXPECT_EQ(replies[1]->unique_key, "only-b");
  EXPECT_FALSE(replies[2]);
  EXPECT_EQ(replies[3]->queue, 1);
  EXPECT_EQ(a().send_sizes(), std::vector<std::size_t>{2});
  EXPECT_EQ(b().send_sizes(), std::vector<std::size_t>{1});
}

TEST_F(ClusterTest, PullsFromTheBrokerOfTheTopic) {
  EXPECT_EQ(std::get<model::PullReply>(*ask(pull_of("only-b"))).next_offset, 102);
  EXPECT_EQ(std::get<model::PullReply>(*ask(pull_of("both", "a"))).next_offset, 101);
}

TEST_F(ClusterTest, SaysUnavailableForABrokerThatIsNotRegistered) {
  EXPECT_EQ(error_of(pull_of("both", "c")), Errc::unavailable);
}

TEST_F(ClusterTest, FindsABrokerThatRegisteredSinceItLooked) {
  EXPECT_EQ(error_of(pull_of("both", "c")), Errc::unavailable);
  source_->add_broker("c", "host-c:1");
  EXPECT_EQ(error_of(pull_of("both", "c")), Errc{});
  EXPECT_EQ(at("host-c:1").calls(), Calls{"pull"});
}

TEST_F(ClusterTest, GoesToABrokersNewAddressOnceTheNameServersSayIt) {
  make(milliseconds(1));
  EXPECT_TRUE(ask(pull_of("only-b")));
  source_->add_broker("b", "host-b:2");
  EXPECT_TRUE(wait_until([&] {
    EXPECT_TRUE(ask(pull_of("only-b")));
    return is_known("host-b:2");
  }));
  EXPECT_TRUE(wait_until([&] {
    EXPECT_TRUE(ask(pull_of("only-b")));
    return !at("host-b:2").calls().empty();
  }));
}

TEST_F(ClusterTest, AsksForARouteOnceWhileItIsYoung) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(ask(pull_of("only-b")));
  EXPECT_EQ(source_->route_queries(), 1U);
}

TEST_F(ClusterTest, UsesAnOldRouteWhileNoNameServerAnswers) {
  make(milliseconds(1));
  EXPECT_TRUE(ask(pull_of("only-b")));
  source_->fail_with(Errc::unavailable);
  const std::size_t before = source_->route_queries();
  EXPECT_TRUE(wait_until([&] {
    EXPECT_TRUE(ask(pull_of("only-b")));
    return source_->route_queries() > before + 2;
  }));
}

TEST_F(ClusterTest, ForgetsTheRouteOfATopicThatIsGone) {
  make(milliseconds(1));
  EXPECT_TRUE(ask(model::QueryRoute{.topic = "only-b"}));
  source_->remove_topic("only-b");
  EXPECT_TRUE(wait_until(
      [&] { return error_of(model::QueryRoute{.topic = "only-b"}) == Errc::topic_not_found; }));
}

TEST_F(ClusterTest, SaysUnavailableIfNoNameServerAnswersAndNothingIsKnown) {
  source_->fail_with(Errc::unavailable);
  EXPECT_EQ(error_of(pull_of("only-b")), Errc::unavailable);
  EXPECT_EQ(error_of(model::QueryRoute{.topic = "only-b"}), Errc::unavailable);
  EXPECT_EQ(error_of(model::ListMembers{.group = "g"}), Errc::unavailable);
}

TEST_F(ClusterTest, TellsClientsEveryBrokerNameWithItsOwnAddress) {
  const auto reply = ask(model::QueryRoute{.topic = "both"});
  ASSERT_TRUE(reply);
  const model::Route& route = std::get<model::RouteReply>(*reply).route;
  ASSERT_EQ(route.queues.size(), 2U);
  EXPECT_EQ(route.queues[0].broker_name, "a");
  EXPECT_EQ(route.queues[1].broker_name, "b");
  ASSERT_EQ(route.brokers.size(), 2U);
  const std::map<std::int64_t, std::string> ours{{0, std::string(kAdvertised)}};
  EXPECT_EQ(route.brokers[0].addresses, ours);
  EXPECT_EQ(route.brokers[1].addresses, ours);
}

TEST_F(ClusterTest, TellsClientsTheClusterWithItsOwnAddress) {
  const auto reply = ask(model::QueryCluster{});
  ASSERT_TRUE(reply);
  const auto& brokers = std::get<model::ClusterReply>(*reply).brokers;
  ASSERT_EQ(brokers.size(), 2U);
  EXPECT_EQ(brokers[1].broker_name, "b");
  EXPECT_EQ(brokers[1].addresses.at(0), kAdvertised);
}

TEST_F(ClusterTest, LeavesOutBrokersThatTakeNoMessages) {
  source_->add_slave("s", "host-s:1");
  source_->add_topic("both", "s");
  const auto route = ask(model::QueryRoute{.topic = "both"});
  EXPECT_EQ(std::get<model::RouteReply>(*route).route.queues.size(), 2U);
  EXPECT_EQ(std::get<model::RouteReply>(*route).route.brokers.size(), 2U);
  const auto cluster = ask(model::QueryCluster{});
  EXPECT_EQ(std::get<model::ClusterReply>(*cluster).brokers.size(), 2U);
}

TEST_F(ClusterTest, ListsTheTopicsOfAllBrokersOrTheOneAskedFor) {
  EXPECT_EQ(std::get<model::TopicsReply>(*ask(model::QueryTopics{})).topics.size(), 3U);
  const auto one = ask(model::QueryTopics{.topic = "only-b"});
  ASSERT_EQ(std::get<model::TopicsReply>(*one).topics.size(), 1U);
  EXPECT_EQ(std::get<model::TopicsReply>(*one).topics[0].write_queues, 4);
  const auto none = ask(model::QueryTopics{.topic = "none"});
  EXPECT_TRUE(std::get<model::TopicsReply>(*none).topics.empty());
}

TEST_F(ClusterTest, TellsAHeartbeatToEveryBroker) {
  model::RegisterClient client;
  client.client_id = "c1";
  EXPECT_TRUE(ask(client));
  EXPECT_EQ(a().clients().size(), 1U);
  EXPECT_EQ(b().clients().size(), 1U);
}

TEST_F(ClusterTest, TakesAHeartbeatThoughABrokerIsDown) {
  model::RegisterClient client;
  client.client_id = "c1";
  EXPECT_TRUE(ask(client));
  a().fail_with(Errc::unavailable);
  EXPECT_TRUE(ask(client));
  b().fail_with(Errc::unavailable);
  EXPECT_EQ(error_of(client), Errc::unavailable);
}

TEST_F(ClusterTest, ListsTheMembersThatTheFirstBrokerKnows) {
  EXPECT_TRUE(ask(model::QueryCluster{}));
  a().set_members({"c1", "c2"});
  b().set_members({"c1", "c2"});
  const auto reply = ask(model::ListMembers{.group = "g"});
  EXPECT_EQ(std::get<model::MembersReply>(*reply).client_ids.size(), 2U);
  EXPECT_TRUE(b().calls().empty());
}

TEST_F(ClusterTest, ListsTheMembersThatAnotherBrokerKnowsIfTheFirstIsDown) {
  EXPECT_TRUE(ask(model::QueryCluster{}));
  a().fail_with(Errc::unavailable);
  b().set_members({"c1"});
  EXPECT_TRUE(ask(model::ListMembers{.group = "g"}));
}

TEST_F(ClusterTest, MakesAndDeletesATopicAtEveryBroker) {
  model::CreateTopic create;
  create.config.name = "new";
  EXPECT_TRUE(ask(create));
  EXPECT_TRUE(ask(model::DeleteTopic{.topic = "new"}));
  const Calls expected{"create_topic", "delete_topic"};
  EXPECT_EQ(a().calls(), expected);
  EXPECT_EQ(b().calls(), expected);
}

TEST_F(ClusterTest, SaysWhichErrorKeptATopicFromBeingMadeEverywhere) {
  EXPECT_TRUE(ask(model::QueryCluster{}));
  b().fail_with(Errc::storage_full);
  model::CreateTopic create;
  create.config.name = "new";
  EXPECT_EQ(error_of(create), Errc::storage_full);
}

TEST_F(ClusterTest, DeletesATopicThatNotEveryBrokerHas) {
  EXPECT_TRUE(ask(model::QueryCluster{}));
  a().fail_with(Errc::topic_not_found);
  EXPECT_EQ(error_of(model::DeleteTopic{.topic = "only-b"}), Errc{});
  b().fail_with(Errc::topic_not_found);
  EXPECT_EQ(error_of(model::DeleteTopic{.topic = "only-b"}), Errc::topic_not_found);
}

TEST_F(ClusterTest, AsksAnewForTheRouteOfATopicItMade) {
  EXPECT_EQ(error_of(model::QueryRoute{.topic = "only-b"}), Errc{});
  model::CreateTopic create;
  create.config.name = "only-b";
  EXPECT_TRUE(ask(create));
  source_->add_topic("only-b", "b", 9);
  const auto route = ask(model::QueryRoute{.topic = "only-b"});
  EXPECT_EQ(std::get<model::RouteReply>(*route).route.queues[0].read_queues, 9);
}

TEST_F(ClusterTest, BringsTheNoticesOfEveryBrokerToItsSessions) {
  const auto stream = gateway().attach(context_of(7));
  a().notify({{.session = {7}, .event = model::GroupChanged{"from a"}}});
  EXPECT_TRUE(run(*runtime_, stream->next(10)));
  b().notify({{.session = {7}, .event = model::GroupChanged{"from b"}}});
  const auto events = run(*runtime_, stream->next(10));
  ASSERT_TRUE(events);
  EXPECT_EQ(std::get<model::GroupChanged>(events->front()).group, "from b");
}

TEST_F(ClusterTest, TellsEveryBrokerWhichSessionsAreGone) {
  EXPECT_TRUE(ask(model::QueryCluster{}));
  gateway().session_closed(model::SessionId{7}, model::SessionId{});
  EXPECT_EQ(a().calls(), Calls{"closed 7 via 0"});
  EXPECT_EQ(b().calls(), Calls{"closed 7 via 0"});
}

TEST_F(ClusterTest, IsNotWatchedByOtherGateways) {
  const auto watched = run(*runtime_, gateway().watch(context_of(1), {}));
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code, Errc::unsupported);
}

}  // namespace
}  // namespace sluice::gateway
