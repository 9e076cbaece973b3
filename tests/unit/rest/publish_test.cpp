#include "protocols/rest/publish.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "common/model/properties.hpp"
#include "protocols/rest/resources.hpp"

namespace sluice::rest {
namespace {

RequestHead post(std::vector<HeaderField> fields,
                 std::string_view target = "/v1/topics/t/messages") {
  return {.method = "POST", .target = target, .fields = std::move(fields)};
}

Publish published(std::vector<HeaderField> fields,
                  std::string_view target = "/v1/topics/t/messages") {
  auto call = route(post(std::move(fields), target));
  EXPECT_TRUE(call.has_value()) << call.error().body;
  return call ? std::get<Publish>(*call) : Publish{};
}

unsigned status_of(const RequestHead& head) {
  const auto call = route(head);
  return call ? 0 : call.error().status;
}

std::string property(const Publish& publish, std::string_view name) {
  return std::string(model::find_property(publish.properties, name).value_or("(none)"));
}

TEST(Publish, TakesTagKeysGroupAndContentTypeFromTheirHeaders) {
  const Publish publish = published({{"sluice-tag", "r%C3%B6d"},
                                     {"Sluice-Key", "order-7, order%2C8"},
                                     {"SLUICE-KEY", "nine"},
                                     {"Sluice-Message-Group", "customer 4"},
                                     {"Content-Type", "text/plain; charset=utf-8"}});
  EXPECT_EQ(publish.topic, "t");
  EXPECT_EQ(publish.queue, -1);
  EXPECT_EQ(property(publish, "TAGS"),
            "r\xC3\xB6"
            "d");
  EXPECT_EQ(property(publish, "KEYS"), "order-7 order,8 nine");
  EXPECT_EQ(property(publish, "__SHARDINGKEY"), "customer 4");
  EXPECT_EQ(property(publish, "__CONTENT_TYPE"), "text/plain; charset=utf-8");
}

TEST(Publish, TakesPropertiesFromOneHeaderOrFromMany) {
  const Publish publish =
      published({{"Sluice-Property", "city=Z%C3%BCrich, formula=a%20%3D%20b%2C%20c%2520"},
                 {"Sluice-Property", "x=1"},
                 {"sluice-property", "x=2"}});
  EXPECT_EQ(property(publish, "city"), "Z\xC3\xBCrich");
  EXPECT_EQ(property(publish, "formula"), "a = b, c%20");
  EXPECT_TRUE(
      publish.properties.ends_with("x\x01"
                                   "1\x02"
                                   "x\x01"
                                   "2\x02"));
}

TEST(Publish, PassesOverTheHeadersOfOthers) {
  EXPECT_EQ(published({{"Host", "h"}, {"User-Agent", "u"}, {"X-Tag", "no"}}).properties, "");
}

TEST(Publish, RefusesHeadersItDoesNotKnow) {
  EXPECT_EQ(status_of(post({{"Sluice-Deliver-At", "1"}})), 400U);
}

TEST(Publish, RefusesReservedPropertyNames) {
  for (const char* value :
       {"UNIQ_KEY=1", "TAGS=a", "DELAY=3", "__SHARDINGKEY=g", "__CONTENT_TYPE=x", "%55NIQ_KEY=1"}) {
    EXPECT_EQ(status_of(post({{"Sluice-Property", value}})), 400U) << value;
  }
}

TEST(Publish, RefusesPropertiesThatCannotBeStored) {
  for (const char* value : {"noequals", "=v", "n=", "n=%01", "n=%02", "n=%zz", "n=\xFF"}) {
    EXPECT_EQ(status_of(post({{"Sluice-Property", value}})), 400U) << value;
  }
}

TEST(Publish, RefusesAnAmbiguousHeader) {
  EXPECT_EQ(status_of(post({{"Sluice-Tag", "a"}, {"Sluice-Tag", "b"}})), 400U);
  EXPECT_EQ(status_of(post({{"Sluice-Tag", ""}})), 400U);
  EXPECT_EQ(status_of(post({{"Content-Type", "a/b"}, {"Content-Type", "c/d"}})), 400U);
  EXPECT_EQ(status_of(post({{"Sluice-Key", "a%20b"}})), 400U);
}

TEST(Publish, RefusesACompressedBody) {
  EXPECT_EQ(status_of(post({{"Content-Encoding", "gzip"}})), 415U);
  EXPECT_EQ(status_of(post({{"Content-Encoding", "identity"}})), 0U);
}

TEST(Publish, RefusesPropertiesOverTheirLimit) {
  const std::string value = "n=" + std::string(limits::kPropertiesBytesMax, 'x');
  const auto call = route(post({{"Sluice-Property", value}}));
  ASSERT_FALSE(call.has_value());
  EXPECT_EQ(call.error().status, 422U);
  EXPECT_NE(call.error().body.find("the limit is 32767"), std::string::npos);
}

TEST(Publish, TakesTheQueueFromTheQuery) {
  EXPECT_EQ(published({}, "/v1/topics/t/messages?queue=3").queue, 3);
  for (const char* query : {"?queue=-1", "?queue=", "?queue=x", "?queue=2147483648", "?other=1"}) {
    EXPECT_EQ(status_of(post({}, std::string("/v1/topics/t/messages") + query)), 400U) << query;
  }
}

TEST(Publish, RefusesTopicsThatCannotBeOrAreReserved) {
  const auto to = [](const std::string& topic) {
    const std::string target = "/v1/topics/" + topic + "/messages";
    return status_of(post({}, target));
  };
  EXPECT_EQ(to("a.b"), 400U);
  EXPECT_EQ(to(""), 400U);
  EXPECT_EQ(to("a%2Fb"), 400U);
  EXPECT_EQ(to(std::string(128, 'x')), 400U);
  EXPECT_EQ(to("SCHEDULE_TOPIC_XXXX"), 403U);
  EXPECT_EQ(to("%25RETRY%25g"), 403U);
  EXPECT_EQ(to("%25DLQ%25g"), 403U);
  EXPECT_EQ(to("rmq_sys_x"), 403U);
}

TEST(Publish, BecomesASendThatSharesTheBody) {
  const Slice body = Slice::copy_of(std::string_view("\x00hello", 6));
  model::Endpoint peer;
  peer.port = 7;
  Publish publish = published({{"Sluice-Tag", "a"}}, "/v1/topics/t/messages?queue=2");
  const model::Send send = to_send(std::move(publish), body, peer, 1234);
  EXPECT_EQ(send.topic, "t");
  EXPECT_EQ(send.queue, 2);
  ASSERT_EQ(send.messages.size(), 1U);
  EXPECT_EQ(send.messages[0].body.data(), body.data());
  EXPECT_EQ(as_text(send.messages[0].body), std::string_view("\x00hello", 6));
  EXPECT_EQ(send.messages[0].properties,
            "TAGS\x01"
            "a\x02");
  EXPECT_EQ(send.born_at_ms, 1234);
  EXPECT_EQ(send.born_host, peer);
  EXPECT_EQ(send.durability, model::SendDurability::broker_default);
  EXPECT_EQ(send.template_topic, "TBW102");
}

TEST(Publish, IsAnsweredWithTheReceiptAndWhereToReadIt) {
  model::SendReply reply;
  reply.queue = 3;
  reply.offset = 42;
  reply.positions = {0x7FFF000000000001};
  reply.stored_at_ms = 1'700'000'000'000;
  reply.unique_key = "0123";
  reply.store_host.address = {127, 0, 0, 1};
  reply.store_host.port = 10911;
  const Response response = to_response("a|b", reply);
  EXPECT_EQ(response.status, 201U);
  EXPECT_EQ(response.content_type, "application/json");
  const auto json = boost::json::parse(response.body);
  EXPECT_EQ(json, boost::json::parse(R"({"id":"0123","topic":"a|b","queue":3,"offset":42,
      "stored_at":1700000000000,"position":"9223090561878065153",
      "offset_message_id":"7F00000100002A9F7FFF000000000001"})"));
  ASSERT_EQ(response.fields.size(), 1U);
  EXPECT_EQ(response.fields[0].second, "/v1/topics/a%7Cb/queues/3/messages?offset=42");
}

TEST(Publish, LeavesOutATimeThatTheBrokerDoesNotSay) {
  model::SendReply reply;
  reply.unique_key = "0123";
  const auto json = boost::json::parse(to_response("t", reply).body);
  EXPECT_EQ(json, boost::json::parse(R"({"id":"0123","topic":"t","queue":0,"offset":0})"));
}

TEST(Publish, PlacesAMessageGroupOnlyIfNoQueueIsGiven) {
  EXPECT_EQ(group_to_place(published({{"Sluice-Message-Group", "g"}})), "g");
  EXPECT_EQ(group_to_place(published({})), std::nullopt);
  EXPECT_EQ(
      group_to_place(published({{"Sluice-Message-Group", "g"}}, "/v1/topics/t/messages?queue=0")),
      std::nullopt);
}

// "polygenelubricants".hashCode() is Integer.MIN_VALUE, whose Math.abs() is negative in Java.
TEST(ChooseQueue, FollowsSelectMessageQueueByHash) {
  model::Route route;
  route.queues = {{"broker-a", 4, 4, 6, 0}, {"broker-b", 8, 8, 4, 0}, {"broker-c", 4, 4, 6, 0}};
  // "b".hashCode() = 98 and 98 % 8 = 2; "f" is 102 and 6, the third queue of broker-c.
  const auto first = choose_queue(route, "b");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->broker_name, "broker-a");
  EXPECT_EQ(first->queue, 2);
  const auto second = choose_queue(route, "f");
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->broker_name, "broker-c");
  EXPECT_EQ(second->queue, 2);
  const auto smallest = choose_queue(route, "polygenelubricants");
  ASSERT_TRUE(smallest.has_value());
  EXPECT_EQ(smallest->queue, 0);
  route.queues = {{"broker-b", 8, 8, 4, 0}};
  EXPECT_FALSE(choose_queue(route, "b").has_value());
}

}  // namespace
}  // namespace sluice::rest
