#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "nameserver/route_table.hpp"
#include "tests/support/printers.hpp"

namespace sluice::nameserver {
namespace {

using std::chrono::seconds;

constexpr RouteTable::Instant kStart{};
constexpr model::SessionId kSession{7};

model::TopicConfig topic(std::string name, std::int32_t system_flag = 0) {
  model::TopicConfig config;
  config.name = std::move(name);
  config.system_flag = system_flag;
  return config;
}

model::RegisterBroker broker(std::string name, std::string address, std::int64_t id = 0) {
  model::RegisterBroker registration;
  registration.cluster = "c";
  registration.broker_name = std::move(name);
  registration.broker_id = id;
  registration.address = std::move(address);
  registration.ha_address = registration.address + "-ha";
  registration.version = {.state_version = 0, .timestamp_ms = 1000, .counter = 1};
  registration.topics = {topic("orders"), topic("TBW102")};
  return registration;
}

model::BrokerIdentity identity(const model::RegisterBroker& registration) {
  return {.cluster = registration.cluster,
          .broker_name = registration.broker_name,
          .address = registration.address};
}

/// Two clusters: `c` with broker-a and broker-b, `d` with broker-d.
class RouteTableAdmin : public ::testing::Test {
 protected:
  RouteTableAdmin() {
    other_.cluster = "d";
    for (const auto* registration : {&a_, &b_, &other_}) {
      EXPECT_TRUE(table_.register_broker(*registration, kSession, kStart));
    }
  }

  std::int32_t permission(std::string_view topic, std::string_view broker_name) const {
    const auto route = table_.route(topic);
    if (!route) return -1;
    const auto found =
        std::ranges::find(route->queues, broker_name, &model::QueueData::broker_name);
    return found == route->queues.end() ? -1 : found->permission;
  }

  std::vector<std::string> names(model::TopicSelection selection, std::string cluster = {}) const {
    return table_.names({.selection = selection, .cluster = std::move(cluster)}).names;
  }

  model::RegisterBroker a_ = broker("broker-a", "10.0.0.1:10911");
  model::RegisterBroker b_ = broker("broker-b", "10.0.0.2:10911");
  model::RegisterBroker other_ = broker("broker-d", "10.0.0.3:10911");
  RouteTable table_;
};

// --- write permission ------------------------------------------------------------------------

TEST_F(RouteTableAdmin, WipesTheWritePermissionOfEveryTopicOfOneBroker) {
  EXPECT_EQ(table_.set_write_permission({.broker_name = "broker-a"}), 2U);
  EXPECT_EQ(permission("orders", "broker-a"), 4);
  EXPECT_EQ(permission("TBW102", "broker-a"), 4);
  EXPECT_EQ(permission("orders", "broker-b"), 6);
}

TEST_F(RouteTableAdmin, CountsTopicsWhetherTheyChangeOrNot) {
  EXPECT_EQ(table_.set_write_permission({.broker_name = "broker-a"}), 2U);
  EXPECT_EQ(table_.set_write_permission({.broker_name = "broker-a"}), 2U);
  EXPECT_EQ(table_.set_write_permission({.broker_name = "nobody"}), 0U);
}

TEST_F(RouteTableAdmin, GrantsReadingWithWriting) {
  a_.topics[0].permission = 0;
  a_.version.counter = 2;
  ASSERT_TRUE(table_.register_broker(a_, kSession, kStart));
  ASSERT_EQ(permission("orders", "broker-a"), 0);
  EXPECT_EQ(table_.set_write_permission(
                {.broker_name = "broker-a", .permission = model::WritePermission::granted}),
            2U);
  EXPECT_EQ(permission("orders", "broker-a"), 6);
}

TEST_F(RouteTableAdmin, KeepsAPermissionWipedUntilAnotherVersionIsRegistered) {
  table_.set_write_permission({.broker_name = "broker-a"});
  ASSERT_TRUE(table_.register_broker(a_, kSession, kStart));
  EXPECT_EQ(permission("orders", "broker-a"), 4);
  a_.version.counter = 2;
  ASSERT_TRUE(table_.register_broker(a_, kSession, kStart));
  EXPECT_EQ(permission("orders", "broker-a"), 6);
}

// --- lists -----------------------------------------------------------------------------------

TEST_F(RouteTableAdmin, ListsTheTopicsOfACluster) {
  other_.topics.push_back(topic("of-d"));
  other_.version.counter = 2;
  ASSERT_TRUE(table_.register_broker(other_, kSession, kStart));
  EXPECT_EQ(names(model::TopicSelection::of_cluster, "c"),
            (std::vector<std::string>{"TBW102", "orders"}));
  EXPECT_EQ(names(model::TopicSelection::of_cluster, "d"),
            (std::vector<std::string>{"TBW102", "of-d", "orders"}));
  EXPECT_TRUE(names(model::TopicSelection::of_cluster, "e").empty());
}

TEST_F(RouteTableAdmin, ListsClustersAndBrokersAsSystemTopics) {
  const auto reply = table_.names({.selection = model::TopicSelection::system, .cluster = {}});
  EXPECT_EQ(reply.names, (std::vector<std::string>{"broker-a", "broker-b", "broker-d", "c", "d"}));
  EXPECT_EQ(reply.broker_address, "10.0.0.1:10911");
}

TEST_F(RouteTableAdmin, ListsTopicsByTheirUnitFlags) {
  a_.topics = {topic("plain", 0), topic("unit", 1), topic("subscribed", 2), topic("both", 3)};
  a_.version.counter = 2;
  ASSERT_TRUE(table_.register_broker(a_, kSession, kStart));
  EXPECT_EQ(names(model::TopicSelection::unit), (std::vector<std::string>{"both", "unit"}));
  EXPECT_EQ(names(model::TopicSelection::unit_subscribed),
            (std::vector<std::string>{"both", "subscribed"}));
  EXPECT_EQ(names(model::TopicSelection::unit_subscribed_alone),
            (std::vector<std::string>{"subscribed"}));
}

TEST(RouteTableWithoutBrokers, HasNoSystemTopics) {
  const RouteTable table;
  const auto reply = table.names({.selection = model::TopicSelection::system, .cluster = {}});
  EXPECT_TRUE(reply.names.empty());
  EXPECT_TRUE(reply.broker_address.empty());
}

// --- topics ----------------------------------------------------------------------------------

TEST_F(RouteTableAdmin, ForgetsATopicOfOneClusterOnly) {
  table_.forget_topic({.topic = "orders", .cluster = "c"});
  const auto route = table_.route("orders");
  ASSERT_TRUE(route);
  ASSERT_EQ(route->queues.size(), 1U);
  EXPECT_EQ(route->queues[0].broker_name, "broker-d");
}

TEST_F(RouteTableAdmin, ForgetsNothingOfAClusterThatThereIsNot) {
  table_.forget_topic({.topic = "orders", .cluster = "e"});
  EXPECT_EQ(table_.route("orders")->queues.size(), 3U);
}

TEST_F(RouteTableAdmin, TakesNewsAboutOneTopic) {
  ASSERT_TRUE(table_.register_topic(
      {.topic = "news",
       .queues = {{.broker_name = "broker-a", .read_queues = 3, .write_queues = 2}}}));
  const auto route = table_.route("news");
  ASSERT_TRUE(route);
  EXPECT_EQ(route->queues[0].write_queues, 2);
  EXPECT_EQ(route->brokers[0].addresses.at(0), "10.0.0.1:10911");
}

TEST_F(RouteTableAdmin, KeepsTheQueuesOfOtherBrokersOfThatTopic) {
  ASSERT_TRUE(table_.register_topic(
      {.topic = "orders", .queues = {{.broker_name = "broker-b", .write_queues = 1}}}));
  const auto route = table_.route("orders");
  ASSERT_EQ(route->queues.size(), 3U);
  EXPECT_EQ(route->queues[0].write_queues, 8);
  EXPECT_EQ(route->queues[1].write_queues, 1);
}

TEST_F(RouteTableAdmin, RefusesNewsOfABrokerThatIsNotRegisteredAndTakesNoneOfIt) {
  const auto registered = table_.register_topic(
      {.topic = "news", .queues = {{.broker_name = "broker-a"}, {.broker_name = "nobody"}}});
  EXPECT_EQ(test::error_of(registered), Errc::conflict);
  EXPECT_FALSE(table_.route("news"));
}

TEST_F(RouteTableAdmin, ForgetsUnnamedTopicsIfToldTo) {
  a_.topics = {topic("TBW102")};
  a_.topics.push_back(topic("new"));
  a_.version.counter = 2;
  ASSERT_TRUE(table_.register_broker(a_, kSession, kStart, RouteTable::Unnamed::forgotten));
  EXPECT_EQ(permission("orders", "broker-a"), -1);
  EXPECT_EQ(permission("orders", "broker-b"), 6);
  EXPECT_EQ(permission("new", "broker-a"), 6);
}

// --- static topics ---------------------------------------------------------------------------

TEST_F(RouteTableAdmin, CarriesTheMappingsOfAStaticTopicUntilTheBrokerIsGone) {
  a_.mappings = {{.topic = "orders", .broker_name = "broker-a", .json = R"({"epoch":1})"}};
  a_.version.counter = 2;
  ASSERT_TRUE(table_.register_broker(a_, kSession, kStart));
  const auto route = table_.route("orders");
  ASSERT_EQ(route->mappings.size(), 1U);
  EXPECT_EQ(route->mappings[0].broker_name, "broker-a");
  EXPECT_EQ(route->mappings[0].json, R"({"epoch":1})");
  table_.unregister_broker({.cluster = "c", .broker_name = "broker-a", .address = a_.address});
  EXPECT_TRUE(table_.route("orders")->mappings.empty());
}

// --- liveness and versions -------------------------------------------------------------------

TEST_F(RouteTableAdmin, KnowsTheVersionThatABrokerRegistered) {
  EXPECT_EQ(table_.version_of(identity(a_)), a_.version);
  auto moved = identity(a_);
  moved.address = "10.0.0.9:10911";
  EXPECT_EQ(table_.version_of(moved), std::nullopt);
}

TEST_F(RouteTableAdmin, KeepsABrokerThatGivesASignOfLife) {
  table_.touch(identity(a_), kStart + seconds(100));
  const auto gone = table_.expire(kStart + seconds(130));
  EXPECT_EQ(std::ranges::count(gone, a_.address), 0);
  EXPECT_EQ(gone.size(), 2U);
}

TEST_F(RouteTableAdmin, TakesNoSignOfLifeForAnotherCluster) {
  auto elsewhere = identity(a_);
  elsewhere.cluster = "d";
  table_.touch(elsewhere, kStart + seconds(100));
  EXPECT_EQ(table_.expire(kStart + seconds(130)).size(), 3U);
}

// --- followers -------------------------------------------------------------------------------

TEST_F(RouteTableAdmin, TellsAFollowerWhereItsLeaderIs) {
  const auto leader = table_.leader_of("broker-a", 1);
  EXPECT_EQ(leader.leader_address, "10.0.0.1:10911");
  EXPECT_EQ(leader.leader_ha_address, "10.0.0.1:10911-ha");
  EXPECT_TRUE(table_.leader_of("broker-a", 0).leader_address.empty());
  EXPECT_TRUE(table_.leader_of("broker-x", 1).leader_address.empty());
}

TEST_F(RouteTableAdmin, ListsTheBrokersOfOneName) {
  ASSERT_TRUE(table_.register_broker(broker("broker-a", "10.0.0.8:10911", 1), kSession, kStart));
  const auto group = table_.group_of({.cluster = "c", .broker_name = "broker-a"});
  EXPECT_EQ(group.addresses.size(), 2U);
  EXPECT_EQ(group.addresses.at(1), "10.0.0.8:10911");
  const auto none = table_.group_of({.cluster = "c", .broker_name = "nobody"});
  EXPECT_EQ(none.broker_name, "nobody");
  EXPECT_TRUE(none.addresses.empty());
}

/// A leader and a follower of one name, both of which allow an acting leader.
class ActingLeader : public ::testing::Test {
 protected:
  ActingLeader() {
    leader_.allows_acting_leader = true;
    follower_.allows_acting_leader = true;
    EXPECT_TRUE(table_.register_broker(leader_, kSession, kStart));
    EXPECT_TRUE(table_.register_broker(follower_, kSession, kStart));
  }

  void end_leader() {
    table_.unregister_broker(
        {.cluster = "c", .broker_name = "broker-a", .broker_id = 0, .address = leader_.address});
  }

  model::RegisterBroker leader_ = broker("broker-a", "10.0.0.1:10911");
  model::RegisterBroker follower_ = broker("broker-a", "10.0.0.2:10911", 1);
  RouteTable table_;
};

TEST_F(ActingLeader, IsShownOnceTheLeaderIsGone) {
  EXPECT_EQ(table_.route("orders", RouteTable::Acting::leaders)->brokers[0].addresses.at(0),
            leader_.address);
  end_leader();
  const auto route = table_.route("orders", RouteTable::Acting::leaders);
  ASSERT_TRUE(route);
  EXPECT_EQ(route->brokers[0].addresses,
            (std::map<std::int64_t, std::string>{{0, follower_.address}}));
  EXPECT_EQ(route->queues[0].permission, 4) << "it can be read, and nothing else";
}

TEST_F(ActingLeader, IsNotShownUnlessTheNameServerIsToldTo) {
  end_leader();
  EXPECT_EQ(table_.route("orders")->brokers[0].addresses,
            (std::map<std::int64_t, std::string>{{1, follower_.address}}));
}

TEST_F(ActingLeader, IsNotShownIfTheBrokersDoNotAllowIt) {
  follower_.allows_acting_leader = false;
  ASSERT_TRUE(table_.register_broker(follower_, kSession, kStart));
  end_leader();
  const auto route = table_.route("orders", RouteTable::Acting::leaders);
  EXPECT_FALSE(route->brokers[0].addresses.contains(0));
}

TEST_F(ActingLeader, IsNotShownToItsOwnGroup) {
  leader_.topics.push_back(topic("rmq_sys_SYNC_BROKER_MEMBER_broker-a"));
  leader_.version.counter = 2;
  ASSERT_TRUE(table_.register_broker(leader_, kSession, kStart));
  end_leader();
  const auto route =
      table_.route("rmq_sys_SYNC_BROKER_MEMBER_broker-a", RouteTable::Acting::leaders);
  EXPECT_FALSE(route->brokers[0].addresses.contains(0));
}

TEST(PrimeFollower, RegistersItsTopicsWithoutWritePermission) {
  RouteTable table;
  auto follower = broker("broker-a", "10.0.0.2:10911", 1);
  follower.allows_acting_leader = false;
  ASSERT_TRUE(table.register_broker(follower, kSession, kStart));
  EXPECT_EQ(table.route("orders")->queues[0].permission, 4);
}

TEST(PrimeFollower, OfABrokerThatKnowsOfNoActingLeaderHasNoTopics) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker("broker-a", "10.0.0.2:10911", 1), kSession, kStart));
  EXPECT_FALSE(table.route("orders"));
}

}  // namespace
}  // namespace sluice::nameserver
