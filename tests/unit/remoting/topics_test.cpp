#include "protocols/remoting/handlers/topics.hpp"

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

const FieldMap kTopic = {{"topic", "t"},         {"defaultTopic", "TBW102"},
                         {"readQueueNums", "6"}, {"writeQueueNums", "4"},
                         {"perm", "6"},          {"topicFilterType", "MULTI_TAG"},
                         {"topicSysFlag", "1"},  {"order", "true"}};

Result<Call> create(FieldMap more) {
  more.insert(kTopic.begin(), kTopic.end());
  const DecodedRequest request(17, more);
  return to_create_topic(request.get());
}

TEST(Topics, CreatesATopicFromEveryField) {
  const auto call = create({{"attributes", "+message.type=FIFO,+a=b=c"}});
  ASSERT_TRUE(call);
  const model::TopicConfig expected{.name = "t",
                                    .read_queues = 6,
                                    .write_queues = 4,
                                    .permission = 6,
                                    .system_flag = 1,
                                    .is_ordered = true,
                                    .filter_type = "MULTI_TAG",
                                    .attributes = {{"message.type", "FIFO"}, {"a", "b=c"}}};
  EXPECT_EQ(std::get<model::CreateTopic>(call->command).config, expected);
}

TEST(Topics, CreatesATopicWithoutAttributes) {
  const auto call = create({});
  ASSERT_TRUE(call);
  EXPECT_TRUE(std::get<model::CreateTopic>(call->command).config.attributes.empty());
}

TEST(Topics, NamesAnAttributeThatIsNotAnAddition) {
  for (const char* attributes :
       {"-message.type", "message.type=FIFO", "+message.type", "+a=b,,+c=d"}) {
    EXPECT_EQ(test::error_of(create({{"attributes", attributes}})), Errc::invalid_argument)
        << attributes;
  }
}

TEST(Topics, RefusesTooManyAttributes) {
  std::string attributes;
  for (std::size_t i = 0; i <= limits::kTopicAttributesMax; ++i) {
    attributes += (i == 0 ? "+k" : ",+k") + std::to_string(i) + "=v";
  }
  EXPECT_EQ(test::error_of(create({{"attributes", attributes}})), Errc::invalid_argument);
}

TEST(Topics, DeletesATopic) {
  const DecodedRequest request(215, {{"topic", "t"}});
  const auto call = to_delete_topic(request.get());
  ASSERT_TRUE(call);
  EXPECT_EQ(std::get<model::DeleteTopic>(call->command).topic, "t");
}

model::TopicsReply two_topics() {
  return {{{.name = "a", .read_queues = 3, .filter_type = "SINGLE_TAG", .attributes = {}},
           {.name = "b", .filter_type = "SINGLE_TAG", .attributes = {{"k", "v"}}}}};
}

TEST(Topics, ListsTheConfigurationsOfAllTopics) {
  const DecodedRequest request(21, {});
  const auto call = to_query_topic_configs(request.get());
  ASSERT_TRUE(call);
  EXPECT_EQ(std::get<model::QueryTopics>(call->command).topic, "");
  std::string out;
  call->answer(out, {}, two_topics());
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.field("totalTopicNum"), "2");
  const auto body = decode_register_broker_body(as_bytes(answer.body));
  ASSERT_TRUE(body);
  ASSERT_EQ(body->topic_configs.size(), 2);
  EXPECT_EQ(body->topic_configs[0].topic_name, "a");
  EXPECT_EQ(body->topic_configs[0].read_queue_nums, 3);
  EXPECT_EQ(body->topic_configs[1].attributes.at("k"), "v");
}

TEST(Topics, ListsTheNamesOfAllTopics) {
  const DecodedRequest request(206, {});
  const auto call = to_query_topic_names(request.get());
  ASSERT_TRUE(call);
  std::string out;
  call->answer(out, {}, two_topics());
  EXPECT_EQ(read_frame(out).body, R"({"topicList":["a","b"]})");
}

}  // namespace
}  // namespace sluice::remoting
