#include "protocols/remoting/codec/bodies.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/captured_frames.hpp"

namespace sluice::remoting {
namespace {

using sluice::test::error_of;
using test::captured;
using test::CapturedFrame;

// --- parsing ---

TEST(QuoteBareKeys, QuotesIntegersThatAreKeysAndNothingElse) {
  EXPECT_EQ(quote_bare_keys(R"({0:"a",-1 : "b", 22:3})"), R"({"0":"a","-1" : "b", "22":3})");
  EXPECT_EQ(quote_bare_keys(R"({"a":0,"b":[1,2],"1":2})"), R"({"a":0,"b":[1,2],"1":2})");
  EXPECT_EQ(quote_bare_keys(R"({"s":"{0:1}","t":"\"1:2\\",3:4})"),
            R"({"s":"{0:1}","t":"\"1:2\\","3":4})");
  for (const char* const text : {"", "1", "\"", "\"\\", "-", "{0", "{0:"}) {
    EXPECT_NE(quote_bare_keys(text).size(), std::string::npos) << text;  // no byte past the end
  }
}

TEST(QuoteBareKeys, MakesStringsOfObjectsThatAreKeys) {
  EXPECT_EQ(quote_bare_keys(R"({{"q":0,"t":"a\"b"}:{"x":1},{"q":1} : 2})"),
            R"({"{\"q\":0,\"t\":\"a\\\"b\"}":{"x":1},"{\"q\":1}" : 2})");
  EXPECT_EQ(quote_bare_keys(R"({"a":{"b":{}},"c":[{},{}]})"), R"({"a":{"b":{}},"c":[{},{}]})");
  EXPECT_EQ(quote_bare_keys(R"({{{"a":1}:2}:3})"), R"({{"{\"a\":1}":2}:3})") << "only flat ones";
  for (const char* const text : {"}", "}:", "{", "{{", "{}:", "}}:}:{:", "{{}:}:"}) {
    EXPECT_NE(quote_bare_keys(text).size(), std::string::npos) << text;
  }
}

// A level of escapes for each level of keys within keys would double the text each time.
TEST(QuoteBareKeys, GrowsByNoMoreThanTwice) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "{";
  for (int i = 0; i < 10'000; ++i) deep += "\"\"}:";
  EXPECT_LT(quote_bare_keys(deep).size(), 2 * deep.size());
}

TEST(ParseJson, NamesTheBodyThatIsNotJson) {
  const auto value = parse_json(as_bytes("{\"a\":"), "heartbeat");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, Errc::malformed_packet);
  EXPECT_TRUE(value.error().text.starts_with("heartbeat is not the JSON it should be"))
      << value.error().text;
}

TEST(ParseJson, ReadsBytesThatAreNotUtf8AsReplacementCharacters) {
  const auto list = decode_topic_list(as_bytes("{\"topicList\":[\"v\xFF\"],1:2,\"k\xFF\":3}"));
  ASSERT_TRUE(list) << describe(list.error());
  EXPECT_EQ(list->topics, std::vector<std::string>{"v\xEF\xBF\xBD"});
}

TEST(ParseJson, RefusesWhatIsNestedTooDeep) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(error_of(parse_json(as_bytes(deep), "body")), Errc::malformed_packet);
}

TEST(ParseJson, RefusesWhatNeedsTooMuchMemory) {
  std::string wide = "[";
  while (wide.size() < limits::kRemotingFrameBytesMax) wide += "0,";
  wide += "0]";
  EXPECT_EQ(error_of(parse_json(as_bytes(wide), "body")), Errc::quota_exceeded);
}

// --- heartbeat ---

TEST(Heartbeat, OfAJavaConsumerIsRead) {
  const auto heartbeat = decode_heartbeat(as_bytes(
      R"({"clientID":"127.0.0.1@DEFAULT","consumerDataSet":[{"consumeFromWhere":)"
      R"("CONSUME_FROM_FIRST_OFFSET","consumeType":"CONSUME_POP","groupName":"g","messageModel":)"
      R"("BROADCASTING","subscriptionDataSet":[{"classFilterMode":false,"codeSet":[2598919,-1],)"
      R"("expressionType":"TAG","subString":"a || b","subVersion":1796011706562,"tagsSet":["a",)"
      R"("b"],"topic":"t"}],"unitMode":true}],"heartbeatFingerprint":-5,"producerDataSet":)"
      R"([{"groupName":"p"}],"withoutSub":true})"));
  ASSERT_TRUE(heartbeat) << describe(heartbeat.error());
  const HeartbeatData expected{.client_id = "127.0.0.1@DEFAULT",
                               .producer_groups = {"p"},
                               .consumers = {{.group_name = "g",
                                              .consume_type = ConsumeType::pop,
                                              .message_model = MessageModel::broadcasting,
                                              .consume_from_where = ConsumeFromWhere::first_offset,
                                              .subscriptions = {{.topic = "t",
                                                                 .sub_string = "a || b",
                                                                 .expression_type = "TAG",
                                                                 .tags_set = {"a", "b"},
                                                                 .code_set = {2598919, -1},
                                                                 .sub_version = 1'796'011'706'562}},
                                              .unit_mode = true}},
                               .heartbeat_fingerprint = -5,
                               .without_sub = true};
  EXPECT_EQ(*heartbeat, expected);
}

TEST(Heartbeat, OfACppClientHasOrdinalsTextsForNumbersAndNoEmptyArrays) {
  const auto heartbeat = decode_heartbeat(as_bytes(
      R"({"clientID":"c","consumerDataSet":[{"consumeFromWhere":4,"consumeType":0,"groupName":"g",)"
      R"("messageModel":1,"subscriptionDataSet":[{"subString":"*","subVersion":"1699999999999",)"
      R"("topic":"t"}]}]})"));
  ASSERT_TRUE(heartbeat) << describe(heartbeat.error());
  ASSERT_EQ(heartbeat->consumers.size(), 1U);
  const ConsumerData& consumer = heartbeat->consumers[0];
  EXPECT_EQ(consumer.consume_from_where, ConsumeFromWhere::first_offset);
  EXPECT_EQ(consumer.consume_type, ConsumeType::actively);
  EXPECT_EQ(consumer.message_model, MessageModel::clustering);
  ASSERT_EQ(consumer.subscriptions.size(), 1U);
  EXPECT_EQ(consumer.subscriptions[0].sub_version, 1'699'999'999'999);
  EXPECT_EQ(consumer.subscriptions[0].expression_type, "TAG");
  EXPECT_TRUE(heartbeat->producer_groups.empty());
}

TEST(Heartbeat, EnumeratorsOfNewerClientsReadAsTheDefault) {
  const auto heartbeat = decode_heartbeat(
      as_bytes(R"({"consumerDataSet":[{"messageModel":"LITE_SELECTIVE","consumeType":"NEW"},)"
               R"({"messageModel":77,"consumeType":null}]})"));
  ASSERT_TRUE(heartbeat) << describe(heartbeat.error());
  for (const ConsumerData& consumer : heartbeat->consumers) {
    EXPECT_EQ(consumer.message_model, MessageModel::clustering);
    EXPECT_EQ(consumer.consume_type, ConsumeType::passively);
  }
}

TEST(Heartbeat, NamesTheMemberThatIsWrong) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"consumerDataSet":{}})", "consumerDataSet"},
      {R"({"consumerDataSet":[1]})", "consumerDataSet"},
      {R"({"producerDataSet":"x"})", "producerDataSet"},
      {R"({"producerDataSet":[{"groupName":[]}]})", "groupName"},
      {R"({"heartbeatFingerprint":99999999999})", "heartbeatFingerprint"},
      {R"({"consumerDataSet":[{"subscriptionDataSet":[{"subVersion":"x"}]}]})", "subVersion"},
      {R"({"consumerDataSet":[{"subscriptionDataSet":[{"tagsSet":[{}]}]}]})", "tagsSet"},
      {R"({"consumerDataSet":[{"subscriptionDataSet":[{"codeSet":["x"]}]}]})", "codeSet"},
      {R"([])", "heartbeat"},
  };
  for (const auto& [body, member] : rows) {
    const auto heartbeat = decode_heartbeat(as_bytes(body));
    ASSERT_FALSE(heartbeat) << body;
    EXPECT_EQ(heartbeat.error().code, Errc::malformed_packet) << body;
    EXPECT_NE(heartbeat.error().text.find(member), std::string::npos) << heartbeat.error().text;
  }
}

TEST(Heartbeat, HasABoundOfGroups) {
  const auto with_producers = [](std::size_t count) {
    std::string body = R"({"producerDataSet":[{})";
    for (std::size_t i = 1; i < count; ++i) body += ",{}";
    return body + "]}";
  };
  EXPECT_TRUE(decode_heartbeat(as_bytes(with_producers(limits::kGroupsPerSessionMax))));
  EXPECT_EQ(error_of(decode_heartbeat(as_bytes(with_producers(limits::kGroupsPerSessionMax + 1)))),
            Errc::malformed_packet);
}

TEST(Heartbeat, OfEveryCapturedClientIsReadAndWrittenTheSame) {
  std::size_t with_consumers = 0;
  for (const CapturedFrame* const frame : captured("request", request_code::kHeartBeat)) {
    const auto heartbeat = decode_heartbeat(as_bytes(frame->body()));
    ASSERT_TRUE(heartbeat) << frame->name() << " " << describe(heartbeat.error());
    EXPECT_FALSE(heartbeat->client_id.empty()) << frame->name();
    EXPECT_FALSE(heartbeat->producer_groups.empty() && heartbeat->consumers.empty());
    with_consumers += heartbeat->consumers.empty() ? 0 : 1;
    std::string written;
    append_heartbeat(written, *heartbeat);
    EXPECT_EQ(decode_heartbeat(as_bytes(written)).value(), *heartbeat) << frame->name();
    const bool has_all_members = frame->client.ends_with("5.5.0");
    if (has_all_members) EXPECT_EQ(written, frame->body()) << frame->name();
  }
  EXPECT_GT(with_consumers, 2U);
}

TEST(CheckClientRequest, OfEveryCapturedClientIsReadAndWrittenTheSame) {
  const auto frames = captured("request", request_code::kCheckClientConfig);
  EXPECT_FALSE(frames.empty());
  for (const CapturedFrame* const frame : frames) {
    const auto request = decode_check_client_request(as_bytes(frame->body()));
    ASSERT_TRUE(request) << frame->name() << " " << describe(request.error());
    EXPECT_EQ(request->subscription.expression_type, "SQL92");
    EXPECT_FALSE(request->group.empty());
    std::string written;
    append_check_client_request(written, *request);
    EXPECT_EQ(written, frame->body()) << frame->name();
  }
}

TEST(CheckClientRequest, MayLackEverythingButMustBeAnObject) {
  EXPECT_TRUE(decode_check_client_request(as_bytes("{}")));
  EXPECT_FALSE(decode_check_client_request(as_bytes("[]")));
  EXPECT_FALSE(decode_check_client_request(as_bytes(R"({"subscriptionData":3})")));
}

TEST(UnregisterClient, NeedsTheClientId) {
  const std::vector<Field> fields = {{"clientID", "c"}, {"consumerGroup", "g"}};
  const auto request = decode_unregister_client(Fields(fields));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->client_id, "c");
  EXPECT_EQ(request->consumer_group, "g");
  EXPECT_EQ(request->producer_group, "");
  const std::vector<Field> other = {{"clientId", "c"}};  // the wire has a capital D
  EXPECT_EQ(error_of(decode_unregister_client(Fields(other))), Errc::protocol_error);
}

// --- routes ---

TopicRouteData example_route() {
  return {.order_topic_conf = "b:4",
          .queue_datas = {{.broker_name = "b",
                           .read_queue_nums = 8,
                           .write_queue_nums = 4,
                           .perm = 6,
                           .topic_sys_flag = 1}},
          .broker_datas = {{.cluster = "c",
                            .broker_name = "b",
                            .broker_addrs = {{0, "10.0.0.1:10911"}, {1, "10.0.0.2:10911"}},
                            .enable_acting_master = true,
                            .zone_name = "z"}},
          .topic_queue_mapping_by_broker = {{"b", R"({"epoch":1})"}}};
}

TEST(TopicRoute, WritesQuotedOrBareKeysAndBothNamesOfTheFlag) {
  std::string quoted;
  append_topic_route(quoted, example_route(), MapKeys::quoted);
  EXPECT_EQ(quoted,
            R"({"brokerDatas":[{"brokerAddrs":{"0":"10.0.0.1:10911","1":"10.0.0.2:10911"},)"
            R"("brokerName":"b","cluster":"c","enableActingMaster":true,"zoneName":"z"}],)"
            R"("filterServerTable":{},"orderTopicConf":"b:4","queueDatas":[{"brokerName":"b",)"
            R"("perm":6,"readQueueNums":8,"topicSynFlag":1,"topicSysFlag":1,"writeQueueNums":4}],)"
            R"("topicQueueMappingByBroker":{"b":{"epoch":1}}})");
  std::string bare;
  append_topic_route(bare, example_route(), MapKeys::bare);
  EXPECT_NE(bare.find(R"("brokerAddrs":{0:"10.0.0.1:10911",1:"10.0.0.2:10911"})"),
            std::string::npos);
}

TEST(TopicRoute, IsReadInBothForms) {
  for (const MapKeys keys : {MapKeys::quoted, MapKeys::bare}) {
    std::string body;
    append_topic_route(body, example_route(), keys);
    const auto route = decode_topic_route(as_bytes(body));
    ASSERT_TRUE(route) << describe(route.error());
    EXPECT_EQ(*route, example_route());
  }
}

TEST(TopicRoute, OfOldServersHasTheOtherNameOfTheFlag) {
  const auto route = decode_topic_route(as_bytes(R"({"queueDatas":[{"topicSynFlag":2}]})"));
  ASSERT_TRUE(route);
  EXPECT_EQ(route->queue_datas[0].topic_sys_flag, 2);
}

TEST(TopicRoute, OfTheJavaNameServerIsReadInBothForms) {
  std::size_t bare = 0;
  std::size_t quoted = 0;
  for (const CapturedFrame* const frame :
       captured("response", request_code::kGetRouteinfoByTopic)) {
    const auto route = decode_topic_route(as_bytes(frame->body()));
    ASSERT_TRUE(route) << frame->name() << " " << describe(route.error());
    ASSERT_EQ(route->broker_datas.size(), 1U) << frame->name();
    EXPECT_EQ(route->broker_datas[0].broker_addrs.at(0), "127.0.0.1:10911");
    EXPECT_EQ(route->broker_datas[0].cluster, "DefaultCluster");
    ASSERT_EQ(route->queue_datas.size(), 1U) << frame->name();
    EXPECT_EQ(route->queue_datas[0].broker_name, "broker-a");
    EXPECT_GT(route->queue_datas[0].write_queue_nums, 0);
    ++(frame->body().find("{0:") == std::string_view::npos ? quoted : bare);
  }
  EXPECT_GT(bare, 0U);
  EXPECT_GT(quoted, 0U);
}

TEST(TopicRoute, NamesTheMemberThatIsWrong) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"brokerDatas":[{"brokerAddrs":{"x":"a:1"}}]})", "brokerAddrs"},
      {R"({"brokerDatas":[{"brokerAddrs":{"0":{}}}]})", "brokerAddrs"},
      {R"({"brokerDatas":[{"brokerAddrs":[]}]})", "brokerAddrs"},
      {R"({"queueDatas":[{"perm":"rw"}]})", "perm"},
      {R"({"queueDatas":7})", "queueDatas"},
      {R"(7)", "topic route"},
  };
  for (const auto& [body, member] : rows) {
    const auto route = decode_topic_route(as_bytes(body));
    ASSERT_FALSE(route) << body;
    EXPECT_NE(route.error().text.find(member), std::string::npos) << route.error().text;
  }
}

TEST(ClusterInfo, OfTheJavaNameServerComesOutByteForByte) {
  const auto frames = captured("response", request_code::kGetBrokerClusterInfo);
  EXPECT_FALSE(frames.empty());
  for (const CapturedFrame* const frame : frames) {
    const auto info = decode_cluster_info(as_bytes(frame->body()));
    ASSERT_TRUE(info) << frame->name() << " " << describe(info.error());
    std::string written;
    append_cluster_info(written, *info);
    EXPECT_EQ(written, frame->body()) << frame->name();
  }
}

// --- lists ---

TEST(Lists, OfTheJavaServersComeOutByteForByte) {
  std::size_t lists = 0;
  for (const CapturedFrame* const frame :
       captured("response", request_code::kGetConsumerListByGroup)) {
    const auto list = decode_consumer_list(as_bytes(frame->body()));
    ASSERT_TRUE(list) << frame->name() << " " << describe(list.error());
    std::string written;
    append_consumer_list(written, *list);
    EXPECT_EQ(written, frame->body()) << frame->name();
    ++lists;
  }
  for (const std::int32_t code : {request_code::kGetAllTopicListFromNameserver, 224, 304, 305}) {
    for (const CapturedFrame* const frame : captured("response", code)) {
      const auto list = decode_topic_list(as_bytes(frame->body()));
      ASSERT_TRUE(list) << frame->name() << " " << describe(list.error());
      std::string written;
      append_topic_list(written, *list);
      EXPECT_EQ(written, frame->body()) << frame->name();
      ++lists;
    }
  }
  EXPECT_GT(lists, 8U);
}

TEST(Lists, ThatAreNotAreRefused) {
  EXPECT_FALSE(decode_consumer_list(as_bytes(R"({"consumerIdList":"x"})")));
  EXPECT_FALSE(decode_consumer_list(as_bytes(R"({"consumerIdList":[null]})")));
  EXPECT_FALSE(decode_topic_list(as_bytes(R"({"topicList":{}})")));
  EXPECT_FALSE(decode_topic_list(as_bytes("")));
}

}  // namespace
}  // namespace sluice::remoting
