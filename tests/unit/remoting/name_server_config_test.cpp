#include "protocols/remoting/handlers/name_server_config.hpp"

#include <gtest/gtest.h>

#include "protocols/remoting/handlers/name_server_topics.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

using ToCall = Result<Call> (*)(const Request&);

/// The command, of the kind it should be.
template <class T>
T command_of(ToCall to_call, const FieldMap& fields, std::string_view body = {}) {
  const DecodedRequest request(100, fields, body);
  const auto call = to_call(request.get());
  EXPECT_TRUE(call) << describe(call.error());
  return call ? std::get<T>(std::get<model::NameServerCommand>(call->command)) : T{};
}

Received answer_of(ToCall to_call, const FieldMap& fields, model::NameServerReply reply) {
  const DecodedRequest request(100, fields);
  const auto call = to_call(request.get());
  EXPECT_TRUE(call) << describe(call.error());
  std::string out;
  call->answer(out, {}, reply);
  return read_frame(out);
}

const FieldMap kKey = {{"namespace", "n"}, {"key", "k"}};

TEST(KvConfig, IsPut) {
  const auto put =
      command_of<model::PutKv>(to_put_kv, {{"namespace", "n"}, {"key", "k"}, {"value", "v"}});
  EXPECT_EQ(put.name_space, "n");
  EXPECT_EQ(put.key, "k");
  EXPECT_EQ(put.value, "v");
}

TEST(KvConfig, IsGot) {
  const auto get = command_of<model::GetKv>(to_get_kv, kKey);
  EXPECT_EQ(get.name_space, "n");
  EXPECT_EQ(get.key, "k");
  EXPECT_EQ(answer_of(to_get_kv, kKey, model::TextReply{"v"}).field("value"), "v");
}

TEST(KvConfig, IsDeleted) {
  const auto remove = command_of<model::DeleteKv>(to_delete_kv, kKey);
  EXPECT_EQ(remove.name_space, "n");
  EXPECT_EQ(remove.key, "k");
}

TEST(KvConfig, IsListed) {
  EXPECT_EQ(command_of<model::ListKv>(to_list_kv, {{"namespace", "n"}}).name_space, "n");
  const Received answer =
      answer_of(to_list_kv, {{"namespace", "n"}}, model::TextMapReply{{{"a", "1"}, {"b", "\""}}});
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.body, R"({"table":{"a":"1","b":"\""}})");
}

TEST(KvConfig, NamesAMissingField) {
  for (const ToCall to_call : {to_put_kv, to_get_kv, to_delete_kv, to_list_kv, to_find_kv_keys}) {
    const DecodedRequest request(100, {{"key", "k"}});
    const auto call = to_call(request.get());
    ASSERT_EQ(test::error_of(call), Errc::protocol_error);
    EXPECT_NE(call.error().text.find("namespace"), std::string::npos) << call.error().text;
  }
}

// Node's ali-ons 3 asks so for the project group of an address, under a code that is another today.
TEST(KvConfig, IsFoundByItsValueUnderCode217) {
  const auto find = command_of<model::FindKvKeys>(
      to_register_topic, {{"namespace", "PROJECT_CONFIG"}, {"key", "10.0.0.1"}});
  EXPECT_EQ(find.name_space, "PROJECT_CONFIG");
  EXPECT_EQ(find.value, "10.0.0.1");
}

TEST(NameServerSettings, AreChangedByAPropertiesText) {
  const auto update = command_of<model::UpdateSettings>(
      to_update_settings, {}, "#note\norderMessageEnable = true\nx=a=b\n");
  EXPECT_EQ(update.settings, (model::TextMap{{"orderMessageEnable", "true"}, {"x", "a=b"}}));
}

TEST(NameServerSettings, AreLeftAloneByAnEmptyBody) {
  EXPECT_TRUE(command_of<model::UpdateSettings>(to_update_settings, {}).settings.empty());
}

TEST(NameServerSettings, AreToldAsAPropertiesText) {
  const Received answer =
      answer_of(to_query_settings, {}, model::TextMapReply{{{"a", "true"}, {"b", "x;y"}}});
  EXPECT_EQ(answer.body, "a=true\nb=x;y\n");
}

// --- topics at a name server -----------------------------------------------------------------

TEST(NameServerTopics, AreForgottenOfAllClustersOrOfOne) {
  EXPECT_EQ(command_of<model::ForgetTopic>(to_forget_topic, {{"topic", "t"}}).cluster, "");
  const auto forget =
      command_of<model::ForgetTopic>(to_forget_topic, {{"topic", "t"}, {"clusterName", "c"}});
  EXPECT_EQ(forget.topic, "t");
  EXPECT_EQ(forget.cluster, "c");
}

TEST(NameServerTopics, AreRegisteredWithTheirQueues) {
  const auto topic = command_of<model::RegisterTopic>(
      to_register_topic, {{"topic", "t"}},
      R"({"brokerDatas":[],"queueDatas":[{"brokerName":"b","perm":6,"readQueueNums":3,)"
      R"("topicSysFlag":1,"writeQueueNums":2}]})");
  EXPECT_EQ(topic.topic, "t");
  ASSERT_EQ(topic.queues.size(), 1U);
  EXPECT_EQ(topic.queues[0], (model::QueueData{.broker_name = "b",
                                               .read_queues = 3,
                                               .write_queues = 2,
                                               .permission = 6,
                                               .topic_system_flag = 1}));
}

TEST(NameServerTopics, AreListedByWhatIsAsked) {
  struct Row {
    ToCall to_call;
    model::TopicSelection selection;
  };
  for (const Row& row :
       {Row{to_list_system_topics, model::TopicSelection::system},
        Row{to_list_unit_topics, model::TopicSelection::unit},
        Row{to_list_unit_subscribed, model::TopicSelection::unit_subscribed},
        Row{to_list_unit_subscribed_alone, model::TopicSelection::unit_subscribed_alone}}) {
    EXPECT_EQ(command_of<model::ListTopicNames>(row.to_call, {}).selection, row.selection);
  }
  const auto of_cluster =
      command_of<model::ListTopicNames>(to_list_topics_of_cluster, {{"cluster", "c"}});
  EXPECT_EQ(of_cluster.selection, model::TopicSelection::of_cluster);
  EXPECT_EQ(of_cluster.cluster, "c");
}

TEST(NameServerTopics, AreAnsweredWithTheBrokerThatKnowsMore) {
  EXPECT_EQ(answer_of(to_list_system_topics, {},
                      model::NamesReply{.names = {"c", "b"}, .broker_address = "10.0.0.1:1"})
                .body,
            R"({"brokerAddr":"10.0.0.1:1","topicList":["c","b"]})");
  EXPECT_EQ(answer_of(to_list_unit_topics, {}, model::NamesReply{}).body, R"({"topicList":[]})");
}

}  // namespace
}  // namespace sluice::remoting
