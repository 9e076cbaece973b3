#include "broker/membership/connections.hpp"

#include <gtest/gtest.h>

#include "broker/membership/made_groups.hpp"

namespace sluice::broker {

namespace {

using std::chrono::seconds;

ClientKey session(std::uint64_t id, std::uint64_t via = 0) {
  return {{id}, {via}};
}

model::RegisterClient producer(std::string client_id, std::string group) {
  model::RegisterClient client;
  client.client_id = std::move(client_id);
  client.language = "JAVA";
  client.version = 513;
  client.producer_groups.push_back(std::move(group));
  return client;
}

class ConnectionsTest : public testing::Test {
 protected:
  void beat(ClientKey key, const model::RegisterClient& client) {
    connections_.register_client(key, peer_, client, {now_, UnixMillis{77}});
  }
  std::size_t producers(std::string_view group) const {
    const auto groups = connections_.producers(group);
    return groups.empty() ? 0 : groups.front().connections.size();
  }

  Connections connections_;
  model::Endpoint peer_ = model::parse_endpoint("10.0.0.1:5000").value();
  Environment::Instant now_{seconds(1000)};
};

TEST_F(ConnectionsTest, KnowsWhatAHeartbeatSays) {
  beat(session(1), producer("p", "g"));
  const model::Connection expected{.client_id = "p",
                                   .address = "10.0.0.1:5000",
                                   .language = "JAVA",
                                   .version = 513,
                                   .last_seen_ms = 77};
  EXPECT_EQ(connections_.find(session(1), "p"), expected);
  EXPECT_FALSE(connections_.find(session(1), "q"));
  EXPECT_FALSE(connections_.find(session(2), "p"));
  ASSERT_EQ(connections_.producers("g").size(), 1U);
  EXPECT_EQ(connections_.producers("g")[0].connections, std::vector{expected});
}

TEST_F(ConnectionsTest, KeepsAGroupThatALaterHeartbeatDoesNotName) {
  beat(session(1), producer("p", "g"));
  beat(session(1), producer("p", "h"));
  EXPECT_EQ(producers("g"), 1U);
  EXPECT_EQ(connections_.producers("").size(), 2U);
}

TEST_F(ConnectionsTest, ForgetsAGroupThatAClientLeaves) {
  beat(session(1), producer("p", "g"));
  beat(session(2), producer("q", "g"));
  connections_.leave_producers(session(1), "p", "g");
  connections_.leave_producers(session(1), "p", "g");
  connections_.leave_producers(session(9), "x", "g");
  EXPECT_EQ(producers("g"), 1U);
  EXPECT_TRUE(connections_.find(session(1), "p"));
}

TEST_F(ConnectionsTest, ForgetsAConnectionThatIsGone) {
  beat(session(1), producer("p", "g"));
  connections_.close(session(1));
  connections_.close(session(1));
  EXPECT_FALSE(connections_.find(session(1), "p"));
  EXPECT_TRUE(connections_.producers("g").empty());
}

TEST_F(ConnectionsTest, ForgetsWhatCameThroughAGatewayThatIsGone) {
  beat(session(1, 7), producer("p", "g"));
  beat(session(2, 7), producer("q", "g"));
  beat(session(1, 8), producer("r", "g"));
  beat(session(7), producer("s", "g"));
  connections_.close(session(2, 7));
  EXPECT_EQ(producers("g"), 3U);
  connections_.close(session(7));
  EXPECT_EQ(producers("g"), 1U);
  EXPECT_TRUE(connections_.find(session(1, 8), "r"));
}

TEST_F(ConnectionsTest, ForgetsSilentClients) {
  beat(session(1), producer("p", "g"));
  now_ += limits::kClientExpiry;
  beat(session(1), producer("q", "g"));
  connections_.expire(now_);
  EXPECT_EQ(producers("g"), 2U);
  connections_.expire(now_ + seconds(1));
  EXPECT_EQ(producers("g"), 1U);
  EXPECT_FALSE(connections_.find(session(1), "p"));
}

TEST_F(ConnectionsTest, HasABoundOfClientsAndGroupsOfOneConnection) {
  for (std::size_t i = 0; i <= limits::kClientsPerSessionRemembered; ++i) {
    beat(session(1), producer("p" + std::to_string(i), "g"));
  }
  EXPECT_EQ(producers("g"), limits::kClientsPerSessionRemembered);
  auto greedy = producer("p0", "h0");
  for (std::size_t i = 1; i <= limits::kGroupsPerSessionMax; ++i) {
    greedy.producer_groups.push_back("h" + std::to_string(i));
  }
  beat(session(1), greedy);
  EXPECT_LE(connections_.producers("").size(), limits::kGroupsPerSessionMax);
}

TEST(MadeGroups, AreBoundedByConnectionAndForgottenWithIt) {
  MadeGroups made;
  for (std::size_t i = 0; i < limits::kGroupsMadePerSessionMax; ++i) {
    ASSERT_TRUE(made.add(session(1)));
    ASSERT_TRUE(made.add(session(5, 2)));
  }
  EXPECT_FALSE(made.add(session(1)));
  EXPECT_FALSE(made.add(session(5, 2)));
  EXPECT_TRUE(made.add(session(5, 3)));
  made.close(session(1));
  EXPECT_TRUE(made.add(session(1)));
  made.close(session(2));
  EXPECT_TRUE(made.add(session(5, 2))) << "it came through a gateway that is gone";
}

}  // namespace

}  // namespace sluice::broker
