#include "nameserver/route_table.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"

namespace sluice::nameserver {
namespace {

using std::chrono::seconds;

constexpr RouteTable::Instant kStart{};
constexpr model::SessionId kSession{7};

model::TopicConfig topic(std::string name, std::int32_t queues = 8) {
  model::TopicConfig config;
  config.name = std::move(name);
  config.read_queues = queues;
  config.write_queues = queues;
  return config;
}

/// A broker with the two topics that every broker has when it starts.
model::RegisterBroker broker_a() {
  model::RegisterBroker registration;
  registration.cluster = "c";
  registration.broker_name = "broker-a";
  registration.address = "10.0.0.1:10911";
  registration.version = {.state_version = 0, .timestamp_ms = 1000, .counter = 1};
  registration.topics = {topic("TBW102"), topic("SELF_TEST_TOPIC", 1)};
  return registration;
}

model::RegisterBroker broker_b() {
  model::RegisterBroker registration = broker_a();
  registration.broker_name = "broker-b";
  registration.address = "10.0.0.2:10911";
  return registration;
}

model::UnregisterBroker goodbye_of(const model::RegisterBroker& registration) {
  return {.cluster = registration.cluster,
          .broker_name = registration.broker_name,
          .broker_id = registration.broker_id,
          .address = registration.address};
}

TEST(RouteTable, AnswersTheQueuesAndTheAddressOfABrokerThatRegistered) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  const auto route = table.route("SELF_TEST_TOPIC");
  ASSERT_TRUE(route);
  const model::Route expected{
      .queues = {{.broker_name = "broker-a", .read_queues = 1, .write_queues = 1, .permission = 6}},
      .brokers = {
          {.cluster = "c", .broker_name = "broker-a", .addresses = {{0, "10.0.0.1:10911"}}}}};
  EXPECT_EQ(*route, expected);
}

TEST(RouteTable, SaysTopicNotFoundForATopicThatNoBrokerHas) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  const auto route = table.route("orders");
  ASSERT_FALSE(route);
  EXPECT_EQ(route.error().code, Errc::topic_not_found);
}

TEST(RouteTable, JoinsTheBrokersOfATopicSortedByName) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_b(), kSession, kStart));
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  const auto route = table.route("TBW102");
  ASSERT_TRUE(route);
  ASSERT_EQ(route->queues.size(), 2U);
  EXPECT_EQ(route->queues[0].broker_name, "broker-a");
  EXPECT_EQ(route->queues[1].broker_name, "broker-b");
  ASSERT_EQ(route->brokers.size(), 2U);
  EXPECT_EQ(route->brokers[0].broker_name, "broker-a");
  EXPECT_EQ(route->brokers[1].broker_name, "broker-b");
}

TEST(RouteTable, TakesAChangedTopicWithANewDataVersion) {
  RouteTable table;
  auto registration = broker_a();
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  registration.topics[1].write_queues = 4;
  registration.version.counter = 2;
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  EXPECT_EQ(table.route("SELF_TEST_TOPIC")->queues[0].write_queues, 4);
}

// RouteInfoManager.isTopicConfigChanged: the version says whether to look at the topics at all.
TEST(RouteTable, KeepsAKnownTopicWhileTheDataVersionIsTheSame) {
  RouteTable table;
  auto registration = broker_a();
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  registration.topics[1].write_queues = 4;
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  EXPECT_EQ(table.route("SELF_TEST_TOPIC")->queues[0].write_queues, 1);
}

TEST(RouteTable, TakesAMissingTopicThoughTheDataVersionIsTheSame) {
  RouteTable table;
  auto registration = broker_a();
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  registration.topics.push_back(topic("orders"));
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  EXPECT_TRUE(table.route("orders"));
}

TEST(RouteTable, KeepsTopicsThatALaterRegistrationDoesNotName) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  auto news = broker_a();
  news.topics = {topic("orders")};
  news.version.counter = 2;
  ASSERT_TRUE(table.register_broker(news, kSession, kStart));
  EXPECT_TRUE(table.route("orders"));
  EXPECT_TRUE(table.route("TBW102"));
}

TEST(RouteTable, ForgetsTopicsThatARegistrationOfAllTopicsDoesNotName) {
  RouteTable table;
  auto registration = broker_a();
  registration.topics.push_back(topic("orders"));
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  ASSERT_TRUE(table.register_broker(broker_b(), kSession, kStart));
  registration = broker_a();
  registration.topics.pop_back();
  registration.replaces_topics = true;
  registration.version.counter = 2;
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  EXPECT_FALSE(table.route("orders"));
  ASSERT_TRUE(table.route("SELF_TEST_TOPIC")) << "the other broker has it still";
  EXPECT_EQ(table.route("SELF_TEST_TOPIC")->queues.size(), 1U);
}

// RouteInfoManager.registerBroker: one topic is news about a change; the broker's table follows.
TEST(RouteTable, RefusesABrokerItDoesNotKnowWithOneTopic) {
  RouteTable table;
  auto registration = broker_a();
  registration.topics.resize(1);
  const auto registered = table.register_broker(registration, kSession, kStart);
  ASSERT_FALSE(registered);
  EXPECT_EQ(registered.error().code, Errc::conflict);
  EXPECT_FALSE(table.route("TBW102"));
  EXPECT_TRUE(table.brokers().empty());
}

TEST(RouteTable, TakesABrokerItDoesNotKnowWithOneTopicIfThatIsAllItHas) {
  RouteTable table;
  auto registration = broker_a();
  registration.topics.resize(1);
  registration.replaces_topics = true;
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  EXPECT_TRUE(table.route("TBW102"));
}

TEST(RouteTable, MovesABrokerThatRegistersTheSameAddressUnderAnotherId) {
  RouteTable table;
  auto registration = broker_a();
  registration.broker_id = 1;
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  registration.broker_id = 0;
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  ASSERT_EQ(table.brokers().size(), 1U);
  const std::map<std::int64_t, std::string> expected{{0, "10.0.0.1:10911"}};
  EXPECT_EQ(table.brokers()[0].addresses, expected);
}

TEST(RouteTable, RefusesAnotherAddressWithALowerStateVersion) {
  RouteTable table;
  auto registration = broker_a();
  registration.version.state_version = 5;
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  auto stale = broker_a();
  stale.address = "10.0.0.9:10911";
  stale.version.state_version = 4;
  const auto registered = table.register_broker(stale, kSession, kStart);
  ASSERT_FALSE(registered);
  EXPECT_EQ(registered.error().code, Errc::conflict);
  EXPECT_EQ(table.brokers()[0].addresses.at(0), "10.0.0.1:10911");
}

TEST(RouteTable, LetsAnotherAddressTakeOverWithTheSameStateVersion) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  auto restarted = broker_a();
  restarted.address = "10.0.0.9:10911";
  ASSERT_TRUE(table.register_broker(restarted, kSession, kStart));
  EXPECT_EQ(table.brokers()[0].addresses.at(0), "10.0.0.9:10911");
}

TEST(RouteTable, HoldsSeveralIdsOfOneBroker) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  auto slave = broker_a();
  slave.broker_id = 1;
  slave.address = "10.0.0.5:10911";
  ASSERT_TRUE(table.register_broker(slave, kSession, kStart));
  const std::map<std::int64_t, std::string> expected{{0, "10.0.0.1:10911"}, {1, "10.0.0.5:10911"}};
  EXPECT_EQ(table.route("TBW102")->brokers[0].addresses, expected);
}

TEST(RouteTable, TakesTopicsFromTheMasterOnly) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  auto slave = broker_a();
  slave.broker_id = 1;
  slave.address = "10.0.0.5:10911";
  slave.topics = {topic("TBW102", 3), topic("orders")};
  ASSERT_TRUE(table.register_broker(slave, kSession, kStart));
  EXPECT_FALSE(table.route("orders"));
  EXPECT_EQ(table.route("TBW102")->queues[0].read_queues, 8);
}

TEST(RouteTable, KeepsTheTopicsWhileOneIdOfTheBrokerIsLeft) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  auto slave = broker_a();
  slave.broker_id = 1;
  slave.address = "10.0.0.5:10911";
  ASSERT_TRUE(table.register_broker(slave, kSession, kStart));
  table.unregister_broker(goodbye_of(broker_a()));
  const auto route = table.route("TBW102");
  ASSERT_TRUE(route);
  const std::map<std::int64_t, std::string> expected{{1, "10.0.0.5:10911"}};
  EXPECT_EQ(route->brokers[0].addresses, expected);
}

TEST(RouteTable, ForgetsAnUnregisteredBrokerAndItsQueues) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  table.unregister_broker(goodbye_of(broker_a()));
  EXPECT_FALSE(table.route("TBW102"));
  EXPECT_TRUE(table.brokers().empty());
  EXPECT_TRUE(table.topics().empty());
}

TEST(RouteTable, IgnoresTheGoodbyeOfAnAddressThatWasReplaced) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  auto restarted = broker_a();
  restarted.address = "10.0.0.9:10911";
  ASSERT_TRUE(table.register_broker(restarted, kSession, kStart));
  table.unregister_broker(goodbye_of(broker_a()));
  EXPECT_TRUE(table.route("TBW102"));
}

TEST(RouteTable, ForgetsTheBrokerWhoseConnectionClosed) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), model::SessionId{1}, kStart));
  ASSERT_TRUE(table.register_broker(broker_b(), model::SessionId{2}, kStart));
  table.close(model::SessionId{1});
  const auto route = table.route("TBW102");
  ASSERT_TRUE(route);
  ASSERT_EQ(route->queues.size(), 1U);
  EXPECT_EQ(route->queues[0].broker_name, "broker-b");
}

TEST(RouteTable, KeepsABrokerThatRegisteredAnewThroughAnotherConnection) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), model::SessionId{1}, kStart));
  ASSERT_TRUE(table.register_broker(broker_a(), model::SessionId{2}, kStart));
  table.close(model::SessionId{1});
  EXPECT_TRUE(table.route("TBW102"));
}

TEST(RouteTable, KeepsABrokerUntilItsDefaultExpiryHasPassed) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  EXPECT_TRUE(table.expire(kStart + limits::kBrokerExpiry).empty());
  EXPECT_TRUE(table.route("TBW102"));
  const std::vector<std::string> expected{"10.0.0.1:10911"};
  EXPECT_EQ(table.expire(kStart + limits::kBrokerExpiry + seconds(1)), expected);
  EXPECT_FALSE(table.route("TBW102"));
}

TEST(RouteTable, ExpiresABrokerByTheTimeItNamed) {
  RouteTable table;
  auto registration = broker_a();
  registration.expiry = seconds(2);
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  EXPECT_TRUE(table.expire(kStart + seconds(2)).empty());
  EXPECT_EQ(table.expire(kStart + seconds(3)).size(), 1U);
}

TEST(RouteTable, CountsTheExpiryFromTheLatestRegistration) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart + seconds(100)));
  EXPECT_TRUE(table.expire(kStart + seconds(200)).empty());
}

TEST(RouteTable, ListsAllTopicsOnceSortedByName) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  ASSERT_TRUE(table.register_broker(broker_b(), kSession, kStart));
  const auto topics = table.topics();
  ASSERT_EQ(topics.size(), 2U);
  EXPECT_EQ(topics[0].name, "SELF_TEST_TOPIC");
  EXPECT_EQ(topics[1].name, "TBW102");
}

TEST(RouteTable, DeletesATopicOfEveryBroker) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  ASSERT_TRUE(table.register_broker(broker_b(), kSession, kStart));
  table.forget_topic({.topic = "TBW102", .cluster = {}});
  EXPECT_FALSE(table.route("TBW102"));
  EXPECT_TRUE(table.route("SELF_TEST_TOPIC"));
}

TEST(RouteTable, RefusesRegistrationsWithoutNameAddressOrCluster) {
  RouteTable table;
  auto nameless = broker_a();
  nameless.broker_name.clear();
  auto homeless = broker_a();
  homeless.address.clear();
  auto lonely = broker_a();
  lonely.cluster.clear();
  auto with_nameless_topic = broker_a();
  with_nameless_topic.topics[0].name.clear();
  for (const auto& registration : {nameless, homeless, lonely, with_nameless_topic}) {
    const auto registered = table.register_broker(registration, kSession, kStart);
    ASSERT_FALSE(registered);
    EXPECT_EQ(registered.error().code, Errc::invalid_argument);
  }
  EXPECT_TRUE(table.brokers().empty());
}

TEST(RouteTable, RefusesTextsOverTheirLimit) {
  RouteTable table;
  auto registration = broker_a();
  registration.broker_name.assign(limits::kRegistrationTextBytesMax + 1, 'b');
  const auto registered = table.register_broker(registration, kSession, kStart);
  ASSERT_FALSE(registered);
  EXPECT_EQ(registered.error().code, Errc::invalid_argument);
}

TEST(RouteTable, RefusesNumbersOfQueuesThatAreNone) {
  RouteTable table;
  auto registration = broker_a();
  const auto code_with = [&](std::int32_t read, std::int32_t write) {
    registration.topics[1].read_queues = read;
    registration.topics[1].write_queues = write;
    const auto registered = table.register_broker(registration, kSession, kStart);
    return registered ? Errc{} : registered.error().code;
  };
  EXPECT_EQ(code_with(limits::kQueuesPerRouteMax, 0), Errc{});
  EXPECT_EQ(code_with(limits::kQueuesPerRouteMax + 1, 0), Errc::invalid_argument);
  EXPECT_EQ(code_with(1, -1), Errc::invalid_argument);
}

TEST(RouteTable, RefusesATopicWithQueuesThatAreNone) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  model::RegisterTopic more{.topic = "more", .queues = {{.broker_name = "broker-a"}}};
  more.queues[0].read_queues = limits::kQueuesPerRouteMax + 1;
  const auto registered = table.register_topic(more);
  ASSERT_FALSE(registered);
  EXPECT_EQ(registered.error().code, Errc::invalid_argument);
}

TEST(RouteTable, RefusesAZoneOverItsLimit) {
  RouteTable table;
  auto registration = broker_a();
  registration.zone.assign(limits::kRegistrationTextBytesMax + 1, 'z');
  EXPECT_FALSE(table.register_broker(registration, kSession, kStart));
}

TEST(RouteTable, KeepsNoMappingOfATopicThatTheBrokerDoesNotHave) {
  RouteTable table;
  auto registration = broker_a();
  registration.mappings.push_back({.topic = "nowhere", .broker_name = "broker-a", .json = "{}"});
  registration.mappings.push_back(
      {.topic = "SELF_TEST_TOPIC", .broker_name = "broker-a", .json = "{}"});
  ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  auto other = broker_b();
  other.topics = {topic("nowhere"), topic("SELF_TEST_TOPIC", 1)};
  ASSERT_TRUE(table.register_broker(other, kSession, kStart));
  EXPECT_TRUE(table.route("nowhere")->mappings.empty());
  EXPECT_EQ(table.route("SELF_TEST_TOPIC")->mappings.size(), 1U);
}

TEST(RouteTable, ForgetsTheTopicsOfAllBrokersOfAConnection) {
  RouteTable table;
  ASSERT_TRUE(table.register_broker(broker_a(), kSession, kStart));
  constexpr model::SessionId kOther{8};
  ASSERT_TRUE(table.register_broker(broker_b(), kOther, kStart));
  auto third = broker_b();
  third.broker_name = "broker-c";
  third.topics = {topic("only-c"), topic("SELF_TEST_TOPIC", 1)};
  ASSERT_TRUE(table.register_broker(third, kOther, kStart));
  table.close(kOther);
  EXPECT_FALSE(table.route("only-c"));
  const auto route = table.route("SELF_TEST_TOPIC");
  ASSERT_TRUE(route);
  ASSERT_EQ(route->queues.size(), 1U);
  EXPECT_EQ(route->queues[0].broker_name, "broker-a");
}

TEST(RouteTable, RefusesOneBrokerMoreThanItsLimit) {
  RouteTable table;
  auto registration = broker_a();
  for (std::size_t i = 0; i < limits::kBrokersPerNameServerMax; ++i) {
    registration.broker_name = "broker-" + std::to_string(i);
    ASSERT_TRUE(table.register_broker(registration, kSession, kStart));
  }
  registration.broker_name = "one-more";
  const auto registered = table.register_broker(registration, kSession, kStart);
  ASSERT_FALSE(registered);
  EXPECT_EQ(registered.error().code, Errc::quota_exceeded);
  registration.broker_name = "broker-0";
  EXPECT_TRUE(table.register_broker(registration, kSession, kStart)) << "it is known";
}

}  // namespace
}  // namespace sluice::nameserver
