#include "protocols/rest/read.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "common/model/stored_message.hpp"
#include "protocols/rest/resources.hpp"

namespace sluice::rest {
namespace {

namespace json = boost::json;

RequestHead get(std::string_view target) {
  return {.method = "GET", .target = target, .fields = {}};
}

unsigned status_of(const RequestHead& head) {
  const auto call = route(head);
  return call ? 0 : call.error().status;
}

Slice stored(std::string_view body, std::string_view properties, std::int32_t system_flag = 0) {
  model::StoredMessageFields fields;
  fields.queue = 1;
  fields.topic = "t";
  fields.body = as_bytes(body);
  fields.properties = properties;
  fields.system_flag = system_flag;
  fields.born_at_ms = 1'000;
  fields.born_host.address = {10, 0, 0, 9};
  fields.born_host.port = 4711;
  std::string bytes(model::stored_message_size(fields), '\0');
  model::encode_stored_message(fields, reinterpret_cast<std::byte*>(bytes.data()));
  return Slice::copy_of(bytes);
}

model::PullReply reply_with(Slice payload) {
  model::PullReply reply;
  reply.status = model::PullStatus::found;
  reply.next_offset = 8;
  reply.first_offset = 5;
  reply.end_offset = 9;
  reply.store_host.address = {127, 0, 0, 1};
  reply.store_host.port = 10911;
  reply.records.push_back({7, 21, 2'000, std::move(payload)});
  return reply;
}

json::value message_of(Slice payload) {
  const Response response = to_response(model::Pull{}, reply_with(std::move(payload)));
  EXPECT_EQ(response.status, 200U) << response.body;
  return json::parse(response.body).at("messages").at(0);
}

TEST(Read, TakesQueueOffsetMaxAndWait) {
  const auto call = route(get("/v1/topics/t/queues/3/messages?offset=7&max=5&wait=1500"));
  ASSERT_TRUE(call.has_value());
  const auto& pull = std::get<model::Pull>(*call);
  EXPECT_EQ(pull.topic, "t");
  EXPECT_EQ(pull.queue, 3);
  EXPECT_EQ(pull.offset, 7);
  EXPECT_EQ(pull.messages_max, 5U);
  EXPECT_EQ(pull.wait, std::chrono::milliseconds(1500));
  ASSERT_TRUE(pull.filter.has_value());
  EXPECT_EQ(pull.filter->expression, "*");
  EXPECT_FALSE(pull.commit_offset.has_value());
}

TEST(Read, HasDefaultsForMaxAndWait) {
  const auto call = route(get("/v1/topics/t/queues/0/messages?offset=0"));
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(std::get<model::Pull>(*call).messages_max, 32U);
  EXPECT_EQ(std::get<model::Pull>(*call).wait.count(), 0);
}

TEST(Read, RefusesParametersOutOfRange) {
  for (const char* query : {"", "?offset=-1", "?offset=x", "?offset=0&max=0", "?offset=0&max=1025",
                            "?offset=0&wait=60001", "?offset=0&offset=1", "?offset=0&from=1"}) {
    EXPECT_EQ(status_of(get(std::string("/v1/topics/t/queues/0/messages") + query)), 400U) << query;
  }
  EXPECT_EQ(status_of(get("/v1/topics/t/queues/-1/messages?offset=0")), 400U);
  EXPECT_EQ(status_of(get("/v1/topics/t/queues/x/messages?offset=0")), 400U);
}

TEST(Read, KnowsNoOtherResources) {
  for (const char* target :
       {"/", "/v1", "/v1/topics", "/v1/topics/t", "/v2/topics/t/messages", "/v1/topics/t/messages/",
        "/v1/topics/t/queue/0/messages", "/v1/topics/t/queues/messages"}) {
    EXPECT_EQ(status_of(get(target)), 404U) << target;
  }
}

TEST(Read, NamesTheMethodsOfAResource) {
  const auto wrong = route(
      {.method = "DELETE", .target = "/v1/topics/t/queues/0/messages?offset=0", .fields = {}});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().status, 405U);
  ASSERT_EQ(wrong.error().fields.size(), 1U);
  EXPECT_EQ(wrong.error().fields[0].first, "Allow");
  EXPECT_EQ(wrong.error().fields[0].second, "GET, HEAD");
  EXPECT_EQ(status_of(get("/v1/topics/t/messages")), 405U);
}

TEST(Read, GivesEveryFieldOfAMessage) {
  const auto message = message_of(stored("hello",
                                         "UNIQ_KEY\x01"
                                         "0A1B\x02"
                                         "TAGS\x01"
                                         "red\x02"
                                         "KEYS\x01"
                                         "k1 k2\x02"
                                         "__SHARDINGKEY\x01"
                                         "g\x02"
                                         "__CONTENT_TYPE\x01"
                                         "text/plain\x02"
                                         "city\x01"
                                         "Bern\x02"
                                         "city\x01"
                                         "Basel\x02"
                                         "WAIT\x01"
                                         "true\x02"));
  EXPECT_EQ(message, json::parse(R"({
      "id":"0A1B","tag":"red","keys":["k1","k2"],"message_group":"g","content_type":"text/plain",
      "properties":[{"name":"city","value":"Bern"},{"name":"city","value":"Basel"}],
      "system_properties":[{"name":"WAIT","value":"true"}],
      "queue":1,"offset":7,"position":"21","offset_message_id":"7F00000100002A9F0000000000000015",
      "born_at":1000,"born_host":"10.0.0.9:4711","stored_at":2000,"flag":0,"reconsume_times":0,
      "body":"hello"})"));
}

TEST(Read, GivesABodyThatIsNoTextInBase64) {
  const auto message = message_of(stored("\xFF\xFE", ""));
  EXPECT_EQ(message.at("body_base64"), "//4=");
  EXPECT_FALSE(message.as_object().contains("body"));
}

TEST(Read, GivesABodyOfControlCharactersInBase64) {
  EXPECT_EQ(message_of(stored(std::string_view("\x01\x02", 2), "")).at("body_base64"), "AQI=");
  EXPECT_EQ(message_of(stored("a\tb\r\n\x7F", "")).at("body"), "a\tb\r\n\x7F");
}

TEST(Read, LeavesForTheNextRequestWhatIsTooMuch) {
  const std::string body(limits::kHttpAnswerBodiesBytesMax / 2 - 1, 'x');
  model::PullReply reply = reply_with(stored(body, ""));
  reply.records.push_back({8, 22, 2'000, stored(body, "")});
  reply.records.push_back({9, 23, 2'000, stored(body, "")});
  reply.next_offset = 10;
  const auto result = json::parse(to_response(model::Pull{}, reply).body);
  EXPECT_EQ(result.at("messages").as_array().size(), 2U);
  EXPECT_EQ(result.at("next_offset"), 9);
}

TEST(Read, GivesOneMessageHoweverLarge) {
  const std::string body(limits::kHttpAnswerBodiesBytesMax + 1, 'x');
  model::PullReply reply = reply_with(stored(body, ""));
  reply.records.push_back({8, 22, 2'000, stored("small", "")});
  reply.next_offset = 9;
  const auto result = json::parse(to_response(model::Pull{}, reply).body);
  EXPECT_EQ(result.at("messages").as_array().size(), 1U);
  EXPECT_EQ(result.at("next_offset"), 8);
}

TEST(Read, GivesPropertiesThatAreNoTextInBase64) {
  const auto message = message_of(stored("",
                                         "bin\x01"
                                         "\xFF\x02"
                                         "TAGS\x01"
                                         "\xFE\x02"));
  EXPECT_EQ(message.at("properties"), json::parse(R"([{"name":"bin","value_base64":"/w=="}])"));
  EXPECT_EQ(message.at("system_properties"),
            json::parse(R"([{"name":"TAGS","value_base64":"/g=="}])"));
  EXPECT_FALSE(message.as_object().contains("tag"));
}

TEST(Read, KeepsARepeatedSystemProperty) {
  const auto message = message_of(stored("",
                                         "TAGS\x01"
                                         "a\x02"
                                         "TAGS\x01"
                                         "b\x02"));
  EXPECT_EQ(message.at("tag"), "a");
  EXPECT_EQ(message.at("system_properties"), json::parse(R"([{"name":"TAGS","value":"b"}])"));
}

TEST(Read, NamesTheCompressionItDoesNotUndo) {
  const auto message = message_of(stored("zzz", "", 0x201));
  EXPECT_EQ(message.at("body_base64"), "enp6");
  EXPECT_EQ(message.at("body_encoding"), "zstd");
}

TEST(Read, GivesAMessageWithoutUniqueKeyItsOffsetMessageId) {
  EXPECT_EQ(message_of(stored("", "")).at("id"), "7F00000100002A9F0000000000000015");
}

TEST(Read, SaysWhereToGoOn) {
  const Response response = to_response(model::Pull{}, reply_with(stored("", "")));
  const auto result = json::parse(response.body);
  EXPECT_EQ(result.at("next_offset"), 8);
  EXPECT_EQ(result.at("first_offset"), 5);
  EXPECT_EQ(result.at("end_offset"), 9);
}

TEST(Read, OfNothingNewIsAnEmptyList) {
  model::PullReply reply;
  reply.next_offset = reply.end_offset = 3;
  EXPECT_EQ(to_response(model::Pull{}, reply).body,
            R"({"messages":[],"next_offset":3,"first_offset":0,"end_offset":3})");
}

TEST(Read, OutsideTheQueueIsAProblemWithItsBounds) {
  model::PullReply reply;
  reply.status = model::PullStatus::offset_moved;
  reply.first_offset = reply.next_offset = 5;
  reply.end_offset = 9;
  model::Pull pull;
  pull.offset = 2;
  const Response response = to_response(pull, reply);
  EXPECT_EQ(response.status, 416U);
  const auto problem = json::parse(response.body);
  EXPECT_EQ(problem.at("error"), "offset_out_of_range");
  EXPECT_EQ(problem.at("detail"), "offset 2 is outside the queue's 5 to 9: go on at 5");
  EXPECT_EQ(problem.at("next_offset"), 5);
  EXPECT_EQ(problem.at("first_offset"), 5);
  EXPECT_EQ(problem.at("end_offset"), 9);
}

TEST(Read, OfADamagedRecordIsAProblem) {
  const Response response = to_response(model::Pull{}, reply_with(Slice::copy_of("damaged")));
  EXPECT_EQ(response.status, 500U);
  EXPECT_EQ(json::parse(response.body).at("error"), "corrupt_record");
}

}  // namespace
}  // namespace sluice::rest
