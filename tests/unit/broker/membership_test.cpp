#include "broker/membership/membership.hpp"

#include <gtest/gtest.h>

#include "common/base/limits.hpp"

namespace sluice::broker {

namespace {

using Instant = Environment::Instant;

model::RegisterClient consumer(std::string client_id, std::string topic = "orders",
                               std::int64_t version = 1) {
  model::RegisterClient client;
  client.client_id = std::move(client_id);
  model::ConsumerRegistration registration;
  registration.group = "g";
  registration.subscriptions.push_back({std::move(topic), {}, version});
  client.consumers.push_back(std::move(registration));
  return client;
}

ClientKey session(std::uint64_t id, std::uint64_t via = 0) {
  return {{id}, {via}};
}

TEST(Membership, TellsEveryMemberWhenOneJoinsTheNewOneToo) {
  Membership membership;
  EXPECT_EQ(membership.register_client(session(1), consumer("a"), Instant{}).size(), 1U);
  EXPECT_EQ(membership.register_client(session(2), consumer("b"), Instant{}).size(), 2U);
}

TEST(Membership, TellsNobodyOfARepeatedHeartbeat) {
  Membership membership;
  static_cast<void>(membership.register_client(session(1), consumer("a"), Instant{}));
  EXPECT_TRUE(membership.register_client(session(1), consumer("a"), Instant{}).empty());
}

TEST(Membership, TellsTheGroupWhenASubscriptionChanges) {
  Membership membership;
  static_cast<void>(membership.register_client(session(1), consumer("a"), Instant{}));
  EXPECT_EQ(membership.register_client(session(1), consumer("a", "bills"), Instant{}).size(), 1U);
  EXPECT_FALSE(membership.subscription("g", "orders"));
  EXPECT_TRUE(membership.subscription("g", "bills"));
}

TEST(Membership, KeepsTheNewerOfTwoSubscriptions) {
  Membership membership;
  static_cast<void>(membership.register_client(session(1), consumer("a", "t", 9), Instant{}));
  static_cast<void>(membership.register_client(session(2), consumer("b", "t", 3), Instant{}));
  EXPECT_EQ(membership.subscription("g", "t")->version, 9);
}

TEST(Membership, TellsNobodyOfBroadcastingGroups) {
  Membership membership;
  auto client = consumer("a");
  client.consumers[0].model = model::MessageModel::broadcasting;
  EXPECT_TRUE(membership.register_client(session(1), client, Instant{}).empty());
}

TEST(Membership, ForgetsEverySessionOfAGatewayThatIsGone) {
  Membership membership;
  static_cast<void>(membership.register_client(session(1, 50), consumer("a"), Instant{}));
  static_cast<void>(membership.register_client(session(2, 50), consumer("b"), Instant{}));
  static_cast<void>(membership.register_client(session(3), consumer("c"), Instant{}));
  static_cast<void>(membership.close(session(50)));
  EXPECT_EQ(membership.members("g"), std::vector<std::string>{"c"});
}

TEST(Membership, AddressesNoticesToTheGatewayOfTheSession) {
  Membership membership;
  const auto notices = membership.register_client(session(1, 50), consumer("a"), Instant{});
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].first, model::SessionId{50});
  EXPECT_EQ(notices[0].second.session, model::SessionId{1});
}

TEST(Membership, ExpiresMembersThatAreSilent) {
  Membership membership;
  static_cast<void>(membership.register_client(session(1), consumer("a"), Instant{}));
  const Instant later = Instant{} + limits::kClientExpiry + std::chrono::seconds(1);
  static_cast<void>(membership.register_client(session(2), consumer("b"), later));
  const auto notices = membership.expire(later);
  EXPECT_EQ(notices.size(), 1U);
  EXPECT_EQ(membership.members("g"), std::vector<std::string>{"b"});
}

TEST(Membership, BoundsTheGroupsOfOneConnection) {
  Membership membership;
  for (std::size_t i = 0; i <= limits::kGroupsPerSessionMax; ++i) {
    auto client = consumer("a");
    client.consumers[0].group = "g" + std::to_string(i);
    static_cast<void>(membership.register_client(session(1), client, Instant{}));
  }
  EXPECT_FALSE(membership.members("g0").empty());
  EXPECT_TRUE(membership.members("g" + std::to_string(limits::kGroupsPerSessionMax)).empty());
}

TEST(Membership, FindsTheConnectionOfAMember) {
  Membership membership;
  static_cast<void>(membership.register_client(session(1, 9), consumer("a"), Instant{}));
  static_cast<void>(membership.register_client(session(2), consumer("b"), Instant{}));
  EXPECT_EQ(membership.find("g", "a"), session(1, 9));
  EXPECT_EQ(membership.find("g", "b"), session(2));
  EXPECT_FALSE(membership.find("g", "c"));
  EXPECT_FALSE(membership.find("h", "a"));
}

TEST(Membership, FindsTheConnectionThatAMemberWasHeardOnLast) {
  Membership membership;
  const Instant later = Instant{} + std::chrono::seconds(1);
  static_cast<void>(membership.register_client(session(7), consumer("a"), Instant{}));
  static_cast<void>(membership.register_client(session(3), consumer("a"), later));
  EXPECT_EQ(membership.find("g", "a"), session(3));
  static_cast<void>(membership.close(session(3)));
  EXPECT_EQ(membership.find("g", "a"), session(7));
}

}  // namespace

}  // namespace sluice::broker
