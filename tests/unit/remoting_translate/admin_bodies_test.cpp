// The JSON bodies of administration: what the Java broker writes comes out of ours byte for byte.

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/translate/broker_bodies.hpp"
#include "protocols/remoting/translate/connection_bodies.hpp"
#include "protocols/remoting/translate/group_bodies.hpp"
#include "protocols/remoting/translate/progress_bodies.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/captured_frames.hpp"

namespace sluice::remoting {
namespace {

using sluice::test::error_of;
using test::captured;
using test::CapturedFrame;

/// Every captured body of `code` in `direction` is read, and written as it was.
template <class Decode, class Append>
void expect_same(std::string_view direction, std::int32_t code, Decode decode, Append append) {
  const auto frames = captured(direction, code);
  EXPECT_FALSE(frames.empty()) << code;
  for (const CapturedFrame* const frame : frames) {
    const auto value = decode(as_bytes(frame->body()));
    ASSERT_TRUE(value) << frame->name() << " " << describe(value.error());
    std::string written;
    append(written, *value);
    EXPECT_EQ(written, frame->body()) << frame->name();
  }
}

TEST(AdminBodies, OfTheJavaBrokerComeOutByteForByte) {
  expect_same("response", 351, decode_topic_config, append_topic_config);
  expect_same("response", 202, decode_topic_stats, append_topic_stats);
  expect_same("response", 203, decode_consumer_connection, append_consumer_connection);
  expect_same("response", 204, decode_producer_connection, append_producer_connection);
  expect_same("response", 328, decode_producer_table, append_producer_table);
  expect_same("response", 300, decode_group_names, append_group_names);
  expect_same("response", 315, decode_rates, append_rates);
  expect_same("response", 321, decode_queue_entries, append_queue_entries);
  expect_same("response", 208, decode_consume_stats, append_consume_stats);
}

TEST(AdminBodies, OfTheJavaBrokersTablesAreRead) {
  for (const CapturedFrame* const frame : captured("response", 201)) {
    const auto groups = decode_group_table(as_bytes(frame->body()));
    ASSERT_TRUE(groups) << frame->name() << " " << describe(groups.error());
    EXPECT_GT(groups->groups.size(), 5U);
    EXPECT_GT(groups->version.timestamp_ms, 1'700'000'000'000);
    std::string written;
    append_group_table(written, *groups);
    EXPECT_EQ(written, frame->body()) << frame->name();
  }
  for (const CapturedFrame* const frame : captured("response", 28)) {
    const auto table = decode_table(as_bytes(frame->body()));
    ASSERT_TRUE(table) << frame->name() << " " << describe(table.error());
    EXPECT_GT(table->size(), 40U);
  }
  for (const CapturedFrame* const frame : captured("response", 26)) {
    const auto settings = decode_properties(as_bytes(frame->body()));
    ASSERT_TRUE(settings) << frame->name();
    std::string written;
    append_properties(written, *settings);
    EXPECT_EQ(written, frame->body()) << frame->name();
  }
  for (const CapturedFrame* const frame : captured("response", 317)) {
    const auto progress = decode_consume_stats_list(as_bytes(frame->body()));
    ASSERT_TRUE(progress) << frame->name() << " " << describe(progress.error());
    EXPECT_GT(progress->parts.size(), 5U);
    std::string written;
    append_consume_stats_list(written, *progress);
    EXPECT_EQ(decode_consume_stats_list(as_bytes(written)).value(), *progress) << frame->name();
  }
}

TEST(GroupConfig, OfEveryClientIsRead) {
  std::size_t with_all_members = 0;
  for (const CapturedFrame* const frame : captured("request", 200)) {
    const auto group = decode_group_config(as_bytes(frame->body()));
    ASSERT_TRUE(group) << frame->name() << " " << describe(group.error());
    EXPECT_FALSE(group->may_broadcast) << frame->name();
    EXPECT_TRUE(group->retry_max == 5 || group->retry_max == 3) << frame->name();
    EXPECT_EQ(group->broker_id_when_slow, 1);
    std::string written;
    append_group_config(written, *group);
    const bool has_all_members = frame->client.ends_with("5.5.0");
    if (!has_all_members) continue;
    EXPECT_EQ(written, frame->body()) << frame->name();
    ++with_all_members;
  }
  EXPECT_GT(with_all_members, 1U);
}

TEST(GroupConfig, KeepsTheRetryPolicyAndTheSubscriptionsAsTheyCame) {
  const std::string body =
      R"({"attributes":{"k":"v"},"brokerId":0,"consumeBroadcastEnable":true,"consumeEnable":true,)"
      R"("consumeFromMinEnable":true,"consumeMessageOrderly":true,"consumeTimeoutMinute":15,)"
      R"("groupName":"g","groupRetryPolicy":{"exponentialRetryPolicy":{"initial":5000},"type":)"
      R"("EXPONENTIAL"},"groupSysFlag":0,"notifyConsumerIdsChangedEnable":true,"retryMaxTimes":16,)"
      R"("retryQueueNums":1,"subscriptionDataSet":[{"expression":"*","topic":"t"}],)"
      R"("whichBrokerWhenConsumeSlowly":1})";
  const auto group = decode_group_config(as_bytes(body));
  ASSERT_TRUE(group) << describe(group.error());
  std::string written;
  append_group_config(written, *group);
  EXPECT_EQ(written, body);
}

TEST(GroupList, IsReadAsItIsWrittenAndHasABound) {
  model::GroupConfig one;
  one.name = "a";
  model::GroupConfig two = one;
  two.name = "b";
  std::string body;
  append_group_list(body, {one, two});
  EXPECT_EQ(decode_group_list(as_bytes(body)).value(), (std::vector{one, two}));
  std::string many = R"({"groupConfigList":[{})";
  for (std::size_t i = 0; i < limits::kGroupsPerRequestMax; ++i) many += ",{}";
  EXPECT_EQ(error_of(decode_group_list(as_bytes(many + "]}"))), Errc::malformed_packet);
}

TEST(TopicConfigs, TellAttributesToAddFromThoseToRemove) {
  const auto create = decode_topic_configs(
      as_bytes(R"({"topicConfigList":[{"attributes":{"+message.type":"FIFO","-a":"","b":"c"},)"
               R"("order":true,"perm":4,"readQueueNums":2,"topicName":"t","writeQueueNums":1},)"
               R"({"topicName":"u"}]})"));
  ASSERT_TRUE(create) << describe(create.error());
  ASSERT_EQ(create->topics.size(), 2U);
  const model::CreateTopic& topic = create->topics[0];
  EXPECT_EQ(topic.config.name, "t");
  EXPECT_EQ(topic.config.permission, 4);
  EXPECT_EQ(topic.config.read_queues, 2);
  EXPECT_EQ(topic.config.write_queues, 1);
  EXPECT_TRUE(topic.config.is_ordered);
  EXPECT_EQ(topic.config.attributes.at("message.type"), "FIFO");
  EXPECT_EQ(topic.config.attributes.at("b"), "c");
  EXPECT_EQ(topic.removed_attributes, std::vector<std::string>{"a"});
}

TEST(ConsumeStats, ShowProgressThatIsNotKnownAsZero) {
  model::ProgressReply reply;
  auto& part = reply.parts.emplace_back();
  part.topic = "t";
  part.get_rate = 1.5;
  part.queues.push_back({.broker_name = "b", .queue = 0, .next = 9, .consumed = -1, .time_ms = 0});
  std::string body;
  append_consume_stats(body, reply);
  EXPECT_EQ(body, R"({"consumeTps":1.5,"offsetTable":{{"brokerName":"b","queueId":0,"topic":"t"}:)"
                  R"({"brokerOffset":9,"consumerOffset":0,"lastTimestamp":0,"pullOffset":0}}})");
}

TEST(TimeSpans, AreReadAsTheyAreWritten) {
  model::TimeSpansReply reply;
  reply.spans.push_back({.broker_name = "b",
                         .topic = "t",
                         .queue = 1,
                         .first_ms = 1,
                         .last_ms = 2,
                         .consumed_ms = 3,
                         .delay_ms = 4});
  std::string body;
  append_time_spans(body, reply);
  EXPECT_EQ(body, R"({"consumeTimeSpanSet":[{"consumeTimeStamp":3,"delayTime":4,)"
                  R"("maxTimeStamp":2,"messageQueue":{"brokerName":"b","queueId":1,"topic":"t"},)"
                  R"("minTimeStamp":1}]})");
  EXPECT_EQ(decode_time_spans(as_bytes(body)).value(), reply);
}

TEST(AllProgress, HasQueuesAsBareKeys) {
  model::AllProgressReply reply;
  reply.entries = {{"t", "g", 0, 5}, {"t", "g", 1, 6}, {"t", "h", 0, 7}};
  std::string body;
  append_all_progress(body, reply);
  EXPECT_EQ(body, R"({"dataVersion":{"counter":0,"stateVersion":0,"timestamp":0},)"
                  R"("offsetTable":{"t@g":{0:5,1:6},"t@h":{0:7}}})");
  EXPECT_EQ(decode_all_progress(as_bytes(body)).value(), reply);
}

TEST(GroupSubscription, LeavesOutWhatIsNotThere) {
  model::SubscriptionReply reply{.group = "g", .topic = "t", .subscription = {}};
  std::string body;
  append_group_subscription(body, reply);
  EXPECT_EQ(body, R"({"group":"g","topic":"t"})");
  reply.subscription =
      model::Subscription{.topic = "t", .filter = {.expression = "a || b", .type = "TAG"}};
  body.clear();
  append_group_subscription(body, reply);
  EXPECT_EQ(decode_group_subscription(as_bytes(body)).value(), reply);
  EXPECT_NE(body.find(R"("codeSet":[97,98])"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("tagsSet":["a","b"])"), std::string::npos) << body;
}

TEST(AdminBodies, NameTheMemberThatIsWrong) {
  const std::pair<Result<model::ProgressReply>, const char*> progress[] = {
      {decode_consume_stats(as_bytes(R"({"offsetTable":[]})")), "offsetTable"},
      {decode_consume_stats(as_bytes(R"({"offsetTable":{"x":{}}})")), "queue"},
      {decode_consume_stats_list(as_bytes(R"({"consumeStatsList":[1]})")), "consumeStatsList"}};
  for (const auto& [result, member] : progress) {
    ASSERT_FALSE(result) << member;
    EXPECT_EQ(result.error().code, Errc::malformed_packet);
    EXPECT_NE(result.error().text.find(member), std::string::npos) << result.error().text;
  }
  EXPECT_EQ(error_of(decode_group_config(as_bytes(R"({"retryMaxTimes":"x"})"))),
            Errc::malformed_packet);
  EXPECT_EQ(error_of(decode_producer_table(as_bytes(R"({"data":{"g":1}})"))),
            Errc::malformed_packet);
  EXPECT_EQ(error_of(decode_all_progress(as_bytes(R"({"offsetTable":{"no separator":{}}})"))),
            Errc::malformed_packet);
}

}  // namespace
}  // namespace sluice::remoting
