#include "protocols/remoting/handlers/clients.hpp"

#include <gtest/gtest.h>

#include "protocols/remoting/codec/heartbeat_body.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

Result<Call> heartbeat_of(std::string_view body, RequestOptions options = {}) {
  const DecodedRequest request(request_code::kHeartBeat, {}, body, options);
  return to_heartbeat(request.get());
}

// As Java 4.9 writes it.
constexpr std::string_view kHeartbeat =
    R"({"clientID":"10.0.0.1@7","consumerDataSet":[{"consumeFromWhere":"CONSUME_FROM_FIRST_OFFSET",)"
    R"("consumeType":"CONSUME_PASSIVELY","groupName":"cg","messageModel":"CLUSTERING",)"
    R"("subscriptionDataSet":[{"classFilterMode":false,"codeSet":[97],"expressionType":"TAG",)"
    R"("subString":"a","subVersion":1700000000001,"tagsSet":["a"],"topic":"t"}],)"
    R"("unitMode":false}],"producerDataSet":[{"groupName":"pg"}]})";

TEST(Clients, RegistersWhatAHeartbeatSays) {
  const auto call = heartbeat_of(kHeartbeat, {.version = kVersion4_9_8});
  ASSERT_TRUE(call);
  const auto& client = std::get<model::RegisterClient>(call->command);
  EXPECT_EQ(client.client_id, "10.0.0.1@7");
  EXPECT_EQ(client.language, "JAVA");
  EXPECT_EQ(client.version, kVersion4_9_8);
  EXPECT_EQ(client.producer_groups, std::vector<std::string>{"pg"});
  ASSERT_EQ(client.consumers.size(), 1);
  const model::ConsumerRegistration& consumer = client.consumers[0];
  EXPECT_EQ(consumer.group, "cg");
  EXPECT_EQ(consumer.type, model::ConsumeType::push);
  EXPECT_EQ(consumer.model, model::MessageModel::clustering);
  EXPECT_EQ(consumer.consume_from_where, 4);
  const model::Subscription expected{
      .topic = "t", .filter = {.expression = "a", .type = "TAG"}, .version = 1'700'000'000'001};
  EXPECT_EQ(consumer.subscriptions, std::vector<model::Subscription>{expected});
}

TEST(Clients, AnswersAHeartbeatWithAVersionAndNoOfferOfHeartbeatV2) {
  std::string out;
  heartbeat_of(kHeartbeat)->answer(out, {}, model::Acknowledged{});
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.version, kOurVersion);
  EXPECT_TRUE(answer.fields.empty());
}

TEST(Clients, RefusesAHeartbeatThatLeavesItsSubscriptionsOut) {
  EXPECT_EQ(test::error_of(heartbeat_of(R"({"clientID":"c","withoutSub":true})")),
            Errc::invalid_argument);
}

TEST(Clients, RefusesAHeartbeatThatIsNoJson) {
  EXPECT_EQ(test::error_of(heartbeat_of("hello")), Errc::malformed_packet);
}

TEST(Clients, UnregistersAClient) {
  const DecodedRequest request(
      35, {{"clientID", "c"}, {"producerGroup", "pg"}, {"consumerGroup", "cg"}});
  const auto call = to_unregister_client(request.get());
  ASSERT_TRUE(call);
  const auto& client = std::get<model::UnregisterClient>(call->command);
  EXPECT_EQ(client.client_id, "c");
  EXPECT_EQ(client.producer_group, "pg");
  EXPECT_EQ(client.consumer_group, "cg");
}

TEST(Clients, ListsTheMembersOfAGroup) {
  const DecodedRequest request(38, {{"consumerGroup", "g"}});
  const auto call = to_list_members(request.get());
  ASSERT_TRUE(call);
  EXPECT_EQ(std::get<model::ListMembers>(call->command).group, "g");
  std::string out;
  call->answer(out, {}, model::MembersReply{{"a", "b"}});
  EXPECT_EQ(read_frame(out).body, R"({"consumerIdList":["a","b"]})");
}

TEST(Clients, ChecksASubscription) {
  const DecodedRequest request(46, {},
                               R"({"clientId":"c","group":"g","subscriptionData":)"
                               R"({"topic":"t","subString":"a > 1","expressionType":"SQL92"}})");
  const auto call = to_check_client(request.get());
  ASSERT_TRUE(call);
  const auto& check = std::get<model::CheckSubscription>(call->command);
  EXPECT_EQ(check.subscription.topic, "t");
  EXPECT_EQ(check.subscription.filter,
            (model::FilterExpression{.expression = "a > 1", .type = "SQL92"}));
}

// As a Java broker with enablePropertyFilter=false.
TEST(Clients, RefusesAFilterThatIsNotBuiltWithASystemError) {
  const DecodedRequest request(46, {}, R"({"clientId":"c","group":"g","subscriptionData":{}})");
  const auto call = to_check_client(request.get());
  std::string out;
  call->refuse(out, {}, {Errc::unsupported, "The broker does not support it"});
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kSystemError);
  EXPECT_EQ(answer.remark, "The broker does not support it");
  out.clear();
  call->refuse(out, {}, {Errc::subscription_invalid, "bad"});
  EXPECT_EQ(read_frame(out).code, response_code::kSubscriptionParseFailed);
}

}  // namespace
}  // namespace sluice::remoting
