#include "gateway/pipeline/validate.hpp"

#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"

namespace sluice::gateway {
namespace {

model::Send send_to(std::string topic, std::string_view body = "hello") {
  model::Send send;
  send.topic = std::move(topic);
  send.messages.push_back({.body = as_bytes(body), .properties = {}, .flag = 0});
  return send;
}

Errc code_of(const Result<>& result) {
  return result ? Errc{} : result.error().code;
}

Errc code_of(model::Command command) {
  return code_of(validate(command));
}

model::Pull pull() {
  model::Pull pull;
  pull.group = "g";
  pull.topic = "t";
  return pull;
}

TEST(Validate, LetsAnOrdinarySendPass) {
  EXPECT_TRUE(validate(send_to("orders")));
  EXPECT_TRUE(validate(send_to("%RETRY%g"))) << "clients send back what they could not consume";
  EXPECT_TRUE(validate(send_to("orders", ""))) << "an empty body is a body";
}

TEST(Validate, RefusesSendsToNamesThatAreNoTopic) {
  EXPECT_EQ(code_of(validate(send_to(""))), Errc::invalid_argument);
  EXPECT_EQ(code_of(validate(send_to("a/b"))), Errc::invalid_argument);
  EXPECT_EQ(code_of(validate(send_to(std::string(limits::kTopicNameBytesMax + 1, 'a')))),
            Errc::invalid_argument);
}

// TopicValidator.NOT_ALLOWED_SEND_TOPIC_SET
TEST(Validate, DeniesSendsToTopicsThatAreClosedToSenders) {
  EXPECT_EQ(code_of(validate(send_to("SCHEDULE_TOPIC_XXXX"))), Errc::permission_denied);
  EXPECT_EQ(code_of(validate(send_to("RMQ_SYS_TRANS_HALF_TOPIC"))), Errc::permission_denied);
}

TEST(Validate, RefusesASendWithoutAMessage) {
  auto send = send_to("orders");
  send.messages.clear();
  EXPECT_EQ(code_of(validate(send)), Errc::invalid_argument);
}

TEST(Validate, TakesABodyOfExactlyTheLimitAndNoByteMore) {
  const std::string body(limits::kMessageBodyBytesMax + 1, 'x');
  EXPECT_TRUE(validate(send_to("orders", std::string_view(body).substr(1))));
  const auto refused = validate(send_to("orders", body));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::payload_too_large);
  EXPECT_NE(refused.error().text.find(std::to_string(limits::kMessageBodyBytesMax)),
            std::string::npos)
      << "the text names the limit: " << refused.error().text;
}

TEST(Validate, RefusesPropertiesOverTheLimitAndSaysIt) {
  const std::string properties(limits::kPropertiesBytesMax + 1, 'p');
  auto send = send_to("orders");
  send.messages[0].properties = properties;
  const auto refused = validate(send);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::message_illegal);
  EXPECT_NE(refused.error().text.find("32767"), std::string::npos) << refused.error().text;
}

TEST(Validate, LetsTheBrokerChooseAQueueForAnyNegativeNumber) {
  auto send = send_to("orders");
  send.queue = -1;
  EXPECT_TRUE(validate(send));
  send.queue = limits::kQueuesPerTopicMax;
  EXPECT_EQ(code_of(validate(send)), Errc::invalid_argument);
}

TEST(Validate, RefusesBatchesToRetryTopicsAndOfTooManyMessages) {
  auto send = send_to("%RETRY%g");
  send.is_batch = true;
  EXPECT_EQ(code_of(validate(send)), Errc::message_illegal);
  send.topic = "orders";
  EXPECT_TRUE(validate(send));
  const model::NewMessage message = send.messages[0];
  send.messages.assign(limits::kMessagesPerBatchMax, message);
  EXPECT_TRUE(validate(send));
  send.messages.push_back(message);
  EXPECT_EQ(code_of(validate(send)), Errc::message_illegal);
}

TEST(Validate, RefusesPullsWithoutAGroupOrATopicOrAQueue) {
  auto groupless = pull();
  groupless.group.clear();
  EXPECT_EQ(code_of(groupless), Errc::invalid_argument);
  auto topicless = pull();
  topicless.topic = "a b";
  EXPECT_EQ(code_of(topicless), Errc::invalid_argument);
  auto negative = pull();
  negative.queue = -1;
  EXPECT_EQ(code_of(negative), Errc::invalid_argument);
  auto too_high = pull();
  too_high.queue = limits::kQueuesPerTopicMax;
  EXPECT_EQ(code_of(too_high), Errc::invalid_argument);
}

TEST(Validate, GivesAPullNoMoreThanTheLimitsWhateverItAsks) {
  auto greedy = pull();
  greedy.messages_max = 1'000'000;
  greedy.bytes_max = 0xFFFF'FFFF;
  greedy.wait = std::chrono::hours(1);
  model::Command command = greedy;
  ASSERT_TRUE(validate(command));
  const auto& bounded = std::get<model::Pull>(command);
  EXPECT_EQ(bounded.messages_max, limits::kPullMessagesMax);
  EXPECT_EQ(bounded.bytes_max, limits::kPullBytesMax);
  EXPECT_EQ(bounded.wait, limits::kPullWaitMax);
}

TEST(Validate, GivesAPullThatAsksForNothingOneMessageAndNoWait) {
  auto modest = pull();
  modest.messages_max = 0;
  modest.wait = std::chrono::milliseconds(-5);
  model::Command command = modest;
  ASSERT_TRUE(validate(command));
  EXPECT_EQ(std::get<model::Pull>(command).messages_max, 1U);
  EXPECT_EQ(std::get<model::Pull>(command).wait.count(), 0);
}

TEST(Validate, DropsTheGroupsOfAHeartbeatThatHaveNoNameAndKeepsTheOthers) {
  model::RegisterClient client;
  client.client_id = "10.0.0.1@1";
  client.producer_groups = {"good", "", "not a name"};
  client.consumers.resize(2);
  client.consumers[0].group = "a/b";
  client.consumers[1].group = "good";
  client.consumers[1].subscriptions.resize(2);
  client.consumers[1].subscriptions[0].topic = "t";
  model::Command command = client;
  ASSERT_TRUE(validate(command));
  const auto& kept = std::get<model::RegisterClient>(command);
  EXPECT_EQ(kept.producer_groups, std::vector<std::string>{"good"});
  ASSERT_EQ(kept.consumers.size(), 1U);
  EXPECT_EQ(kept.consumers[0].group, "good");
  ASSERT_EQ(kept.consumers[0].subscriptions.size(), 1U);
  EXPECT_EQ(kept.consumers[0].subscriptions[0].topic, "t");
}

TEST(Validate, RefusesAHeartbeatWithoutAClientId) {
  EXPECT_EQ(code_of(model::RegisterClient{}), Errc::invalid_argument);
  model::RegisterClient long_winded;
  long_winded.client_id.assign(limits::kClientIdBytesMax + 1, 'c');
  EXPECT_EQ(code_of(long_winded), Errc::invalid_argument);
}

TEST(Validate, RefusesFiltersThatAreNotBuilt) {
  model::CheckSubscription check;
  check.subscription.topic = "t";
  EXPECT_EQ(code_of(check), Errc{});
  check.subscription.filter = {.expression = "a > 1", .type = "SQL92"};
  EXPECT_EQ(code_of(check), Errc::unsupported);
}

model::CreateTopic create(std::string topic) {
  model::CreateTopic create;
  create.config.name = std::move(topic);
  return create;
}

TEST(Validate, RefusesToMakeTopicsThatBelongToTheBroker) {
  EXPECT_EQ(code_of(create("orders")), Errc{});
  EXPECT_EQ(code_of(create("TBW102")), Errc::invalid_argument);
  EXPECT_EQ(code_of(model::DeleteTopic{.topic = "TBW102"}), Errc::invalid_argument);
}

// UPDATE_AND_CREATE_TOPIC takes 0: a topic that is closed to readers or writers.
TEST(Validate, MakesTopicsWithNoneUpToTheLimitOfQueues) {
  auto topic = create("orders");
  topic.config.write_queues = 0;
  topic.config.read_queues = limits::kQueuesPerTopicMax;
  EXPECT_EQ(code_of(topic), Errc{});
  topic.config.write_queues = -1;
  EXPECT_EQ(code_of(topic), Errc::invalid_argument);
  topic.config.write_queues = limits::kQueuesPerTopicMax + 1;
  EXPECT_EQ(code_of(topic), Errc::invalid_argument);
}

TEST(Validate, RefusesPermissionsThatAreNone) {
  auto topic = create("orders");
  topic.config.permission = 8;
  EXPECT_EQ(code_of(topic), Errc::invalid_argument);
  topic.config.permission = -1;
  EXPECT_EQ(code_of(topic), Errc::invalid_argument);
}

template <class Command>
Command progress(std::string group, std::string topic, std::int32_t queue = 0) {
  Command command;
  command.group = std::move(group);
  command.topic = std::move(topic);
  command.queue = queue;
  return command;
}

TEST(Validate, RefusesOffsetsOfNamesThatAreNone) {
  EXPECT_EQ(code_of(progress<model::UpdateOffset>("", "t")), Errc::invalid_argument);
  EXPECT_EQ(code_of(progress<model::UpdateOffset>("g", "")), Errc::invalid_argument);
  EXPECT_EQ(code_of(progress<model::QueryOffset>("g", "t", -1)), Errc::invalid_argument);
  EXPECT_EQ(code_of(progress<model::QueryOffset>("g", "t")), Errc{});
}

TEST(Validate, RefusesAttributesOfTopicsThatWouldHaveNoEffect) {
  const auto code_with = [](std::string name, std::string value) {
    model::CreateTopic create;
    create.config.name = "t";
    create.config.attributes[std::move(name)] = std::move(value);
    return code_of(create);
  };
  EXPECT_EQ(code_with("message.type", "FIFO"), Errc{});
  EXPECT_EQ(code_with("queue.type", "SimpleCQ"), Errc{});
  EXPECT_EQ(code_with("cleanup.policy", "DELETE"), Errc{});
  EXPECT_EQ(code_with("reserve.time", "-1"), Errc{});
  EXPECT_EQ(code_with("message.type", "fifo"), Errc::invalid_argument);
  EXPECT_EQ(code_with("queue.type", "BatchCQ"), Errc::invalid_argument);
  EXPECT_EQ(code_with("cleanup.policy", "COMPACTION"), Errc::invalid_argument);
  EXPECT_EQ(code_with("reserve.time", "60000"), Errc::invalid_argument);
  EXPECT_EQ(code_with("no.such.attribute", "x"), Errc::invalid_argument);
}

// It would be kept in a record whose lengths have 16 bits.
TEST(Validate, RefusesAFilterTypeThatNoRecordCouldHold) {
  auto topic = create("orders");
  topic.config.filter_type = std::string(limits::kAttributeBytesMax, 'x');
  EXPECT_EQ(code_of(topic), Errc{});
  topic.config.filter_type.push_back('x');
  EXPECT_EQ(code_of(topic), Errc::invalid_argument);
}

TEST(Validate, RefusesAListOfTopicsWithOneThatCannotBe) {
  model::CreateTopics create;
  create.topics.emplace_back().config.name = "t";
  EXPECT_EQ(code_of(create), Errc{});
  for (const char* name : {"../t", "a/b", "", "TBW102", "rmq_sys_x"}) {
    create.topics.emplace_back().config.name = name;
    EXPECT_EQ(code_of(create), Errc::invalid_argument) << name;
    create.topics.pop_back();
  }
}

}  // namespace
}  // namespace sluice::gateway
