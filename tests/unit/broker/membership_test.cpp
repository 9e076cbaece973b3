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
  membership.register_client(session(1), consumer("a"), Instant{});
  EXPECT_EQ(membership.take_notices().size(), 1U);
  membership.register_client(session(2), consumer("b"), Instant{});
  EXPECT_TRUE(membership.has_news());
  EXPECT_EQ(membership.take_notices().size(), 2U);
  EXPECT_FALSE(membership.has_news());
}

TEST(Membership, TellsNobodyOfARepeatedHeartbeat) {
  Membership membership;
  membership.register_client(session(1), consumer("a"), Instant{});
  static_cast<void>(membership.take_notices());
  membership.register_client(session(1), consumer("a"), Instant{});
  EXPECT_FALSE(membership.has_news());
}

TEST(Membership, TellsTheGroupWhenASubscriptionChanges) {
  Membership membership;
  membership.register_client(session(1), consumer("a"), Instant{});
  static_cast<void>(membership.take_notices());
  membership.register_client(session(1), consumer("a", "bills"), Instant{});
  EXPECT_EQ(membership.take_notices().size(), 1U);
  EXPECT_FALSE(membership.subscription("g", "orders"));
  EXPECT_TRUE(membership.subscription("g", "bills"));
}

TEST(Membership, KeepsTheNewerOfTwoSubscriptions) {
  Membership membership;
  membership.register_client(session(1), consumer("a", "t", 9), Instant{});
  membership.register_client(session(2), consumer("b", "t", 3), Instant{});
  EXPECT_EQ(membership.subscription("g", "t")->version, 9);
}

TEST(Membership, TellsNobodyOfBroadcastingGroups) {
  Membership membership;
  auto client = consumer("a");
  client.consumers[0].model = model::MessageModel::broadcasting;
  membership.register_client(session(1), client, Instant{});
  EXPECT_TRUE(membership.take_notices().empty());
}

TEST(Membership, ForgetsEverySessionOfAGatewayThatIsGone) {
  Membership membership;
  membership.register_client(session(1, 50), consumer("a"), Instant{});
  membership.register_client(session(2, 50), consumer("b"), Instant{});
  membership.register_client(session(3), consumer("c"), Instant{});
  membership.close(session(50));
  EXPECT_EQ(membership.members("g"), std::vector<std::string>{"c"});
}

TEST(Membership, TellsEachMemberOnceHoweverMuchChanges) {
  Membership membership;
  for (std::uint64_t id = 1; id <= 4; ++id) {
    membership.register_client(session(id, 50), consumer("a"), Instant{});
    membership.register_client(session(id + 10), consumer("b"), Instant{});
  }
  EXPECT_EQ(membership.take_notices().size(), 8U);
  membership.close(session(50));
  EXPECT_EQ(membership.take_notices().size(), 4U);
  const Instant later = Instant{} + limits::kClientExpiry + std::chrono::seconds(1);
  membership.register_client(session(20), consumer("c"), later);
  membership.expire(later);
  EXPECT_EQ(membership.take_notices().size(), 1U);
}

TEST(Membership, AddressesNoticesToTheGatewayOfTheSession) {
  Membership membership;
  membership.register_client(session(1, 50), consumer("a"), Instant{});
  const auto notices = membership.take_notices();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].first, model::SessionId{50});
  EXPECT_EQ(notices[0].second.session, model::SessionId{1});
}

TEST(Membership, ExpiresMembersThatAreSilent) {
  Membership membership;
  membership.register_client(session(1), consumer("a"), Instant{});
  const Instant later = Instant{} + limits::kClientExpiry + std::chrono::seconds(1);
  membership.register_client(session(2), consumer("b"), later);
  static_cast<void>(membership.take_notices());
  membership.expire(later);
  const auto notices = membership.take_notices();
  EXPECT_EQ(notices.size(), 1U);
  EXPECT_EQ(membership.members("g"), std::vector<std::string>{"b"});
}

TEST(Membership, ExpiresOneGroupOfAConnectionAndNotTheOther) {
  Membership membership;
  auto other = consumer("a");
  other.consumers[0].group = "h";
  membership.register_client(session(1), consumer("a"), Instant{});
  membership.register_client(session(1), other, Instant{});
  const Instant later = Instant{} + limits::kClientExpiry + std::chrono::seconds(1);
  membership.register_client(session(1), consumer("a"), later);
  membership.expire(later);
  EXPECT_EQ(membership.members("g"), std::vector<std::string>{"a"});
  EXPECT_TRUE(membership.members("h").empty());
}

TEST(Membership, BoundsTheGroupsOfOneConnection) {
  Membership membership;
  for (std::size_t i = 0; i <= limits::kGroupsPerSessionMax; ++i) {
    auto client = consumer("a");
    client.consumers[0].group = "g" + std::to_string(i);
    membership.register_client(session(1), client, Instant{});
  }
  EXPECT_FALSE(membership.members("g0").empty());
  EXPECT_TRUE(membership.members("g" + std::to_string(limits::kGroupsPerSessionMax)).empty());
}

TEST(Membership, FindsTheConnectionOfAMember) {
  Membership membership;
  membership.register_client(session(1, 9), consumer("a"), Instant{});
  membership.register_client(session(2), consumer("b"), Instant{});
  EXPECT_EQ(membership.find("g", "a"), session(1, 9));
  EXPECT_EQ(membership.find("g", "b"), session(2));
  EXPECT_FALSE(membership.find("g", "c"));
  EXPECT_FALSE(membership.find("h", "a"));
}

TEST(Membership, FindsTheConnectionThatAMemberWasHeardOnLast) {
  Membership membership;
  const Instant later = Instant{} + std::chrono::seconds(1);
  membership.register_client(session(7), consumer("a"), Instant{});
  membership.register_client(session(3), consumer("a"), later);
  EXPECT_EQ(membership.find("g", "a"), session(3));
  membership.close(session(3));
  EXPECT_EQ(membership.find("g", "a"), session(7));
}

}  // namespace

}  // namespace sluice::broker
