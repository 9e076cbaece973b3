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

TEST(Topics, RemovesAttributes) {
  const auto call = create({{"attributes", "-message.type,+a=b,-c"}});
  ASSERT_TRUE(call);
  const auto& command = std::get<model::CreateTopic>(call->command);
  EXPECT_EQ(command.removed_attributes, (std::vector<std::string>{"message.type", "c"}));
  EXPECT_EQ(command.config.attributes.at("a"), "b");
}

TEST(Topics, NamesAnAttributeThatIsNeitherAddedNorRemoved) {
  for (const char* attributes :
       {"-message.type=FIFO", "message.type=FIFO", "+message.type", "+a=b,,+c=d"}) {
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
  model::TopicsReply reply;
  reply.topics = {{.name = "a", .read_queues = 3, .filter_type = "SINGLE_TAG", .attributes = {}},
                  {.name = "b", .filter_type = "SINGLE_TAG", .attributes = {{"k", "v"}}}};
  reply.version = {.state_version = 0, .timestamp_ms = 5, .counter = 6};
  return reply;
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

TEST(Topics, AsksForThePageThatARequestNames) {
  const DecodedRequest paged(21, {{"topicSeq", "4000"},
                                  {"maxTopicNum", "100"},
                                  {"dataVersion", R"({"counter":6,"timestamp":5})"}});
  const auto call = to_query_topic_configs(paged.get());
  ASSERT_TRUE(call);
  const model::Page& page = std::get<model::QueryTopics>(call->command).page;
  EXPECT_EQ(page.first, 4000);
  EXPECT_EQ(page.count_max, 100);
  EXPECT_EQ(page.version, (model::DataVersion{.timestamp_ms = 5, .counter = 6}));
  const DecodedRequest begun(21, {{"topicSeq", "0"}, {"dataVersion", ""}});
  const auto first = to_query_topic_configs(begun.get());
  EXPECT_EQ(std::get<model::QueryTopics>(first->command).page.count_max, limits::kNamesPerPageMax);
  const DecodedRequest broken(21, {{"dataVersion", "{"}});
  EXPECT_EQ(test::error_of(to_query_topic_configs(broken.get())), Errc::malformed_packet);
}

TEST(Topics, GivesTheConfigurationOfOneTopicOrSaysThatThereIsNone) {
  const DecodedRequest request(351, {{"topic", "a"}});
  const auto call = to_query_topic_config(request.get());
  ASSERT_TRUE(call);
  EXPECT_EQ(std::get<model::QueryTopics>(call->command).topic, "a");
  std::string out;
  model::TopicsReply one;
  one.topics = {two_topics().topics[0]};
  call->answer(out, {}, one);
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.body,
            R"({"attributes":{},"order":false,"perm":6,"readQueueNums":3,"topicFilterType":)"
            R"("SINGLE_TAG","topicName":"a","topicSysFlag":0,"writeQueueNums":8})");
  out.clear();
  call->answer(out, {}, model::TopicsReply{});
  EXPECT_EQ(read_frame(out).code, response_code::kTopicNotExist);
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
