#include "protocols/remoting/handlers/brokers.hpp"

#include <gtest/gtest.h>

#include "common/base/checksum.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

using namespace std::chrono_literals;

const FieldMap kBroker = {{"clusterName", "c"},
                          {"brokerName", "b"},
                          {"brokerAddr", "10.0.0.1:10911"},
                          {"brokerId", "0"},
                          {"haServerAddr", "10.0.0.1:10912"},
                          {"heartbeatTimeoutMillis", "5000"}};

std::string registration_body() {
  RegisterBrokerBody body;
  body.data_version = {.state_version = 1, .timestamp = 2, .counter = 3};
  body.topic_configs.push_back({.topic_name = "t", .read_queue_nums = 5, .attributes = {}});
  std::string out;
  append_register_broker_body(out, body);
  return out;
}

Result<Call> register_with(FieldMap more, std::string_view body) {
  more.insert(kBroker.begin(), kBroker.end());
  const DecodedRequest request(103, more, body);
  return to_register_broker(request.get());
}

std::string checksum_of(std::string_view body) {
  return std::to_string(crc32(as_bytes(body)) & 0x7FFF'FFFF);
}

TEST(Brokers, RegisterWithEveryField) {
  const auto call = register_with({}, registration_body());
  ASSERT_TRUE(call) << describe(call.error());
  const auto& broker = std::get<model::RegisterBroker>(call->command);
  EXPECT_EQ(broker.cluster, "c");
  EXPECT_EQ(broker.broker_name, "b");
  EXPECT_EQ(broker.broker_id, 0);
  EXPECT_EQ(broker.address, "10.0.0.1:10911");
  EXPECT_EQ(broker.ha_address, "10.0.0.1:10912");
  EXPECT_EQ(broker.expiry, 5s);
  EXPECT_EQ(broker.version,
            (model::DataVersion{.state_version = 1, .timestamp_ms = 2, .counter = 3}));
  ASSERT_EQ(broker.topics.size(), 1);
  EXPECT_EQ(broker.topics[0].name, "t");
  EXPECT_EQ(broker.topics[0].read_queues, 5);
  EXPECT_FALSE(broker.replaces_topics);
}

TEST(Brokers, RegisterAllTheirTopicsIfTheySaySo) {
  const auto call =
      register_with({{std::string(kReplacesTopicsField), "true"}}, registration_body());
  ASSERT_TRUE(call);
  EXPECT_TRUE(std::get<model::RegisterBroker>(call->command).replaces_topics);
}

TEST(Brokers, RegisterWithAChecksumThatMatches) {
  const std::string body = registration_body();
  EXPECT_TRUE(register_with({{"bodyCrc32", checksum_of(body)}}, body));
}

TEST(Brokers, AreRefusedIfTheChecksumDoesNotMatch) {
  const auto call = register_with({{"bodyCrc32", "12345"}}, registration_body());
  ASSERT_EQ(test::error_of(call), Errc::malformed_packet);
  EXPECT_NE(call.error().text.find("crc32"), std::string::npos);
}

TEST(Brokers, AreRefusedIfTheCompressedBodyIsNone) {
  EXPECT_EQ(test::error_of(register_with({{"compressed", "true"}}, registration_body())),
            Errc::malformed_packet);
}

// An empty zlib stream of level 9, and what brokers of 5.x say about it.
TEST(Brokers, AreReadAsCompressedIfTheBodyIsThoughTheySayItIsNot) {
  const std::string stream("\x78\xda\x03\x00\x00\x00\x00\x01", 8);
  const auto call = register_with({{"compressed", "false"}}, stream);
  ASSERT_EQ(test::error_of(call), Errc::malformed_packet);
  EXPECT_NE(call.error().text.find("parts"), std::string::npos) << call.error().text;
}

TEST(Brokers, NeverExpireInThePast) {
  FieldMap fields = kBroker;
  fields["heartbeatTimeoutMillis"] = "-9223372036854775808";
  const DecodedRequest request(103, fields, registration_body());
  const auto call = to_register_broker(request.get());
  ASSERT_TRUE(call);
  EXPECT_EQ(std::get<model::RegisterBroker>(call->command).expiry, 0ms);
}

TEST(Brokers, NameAMissingField) {
  FieldMap fields = kBroker;
  fields.erase("brokerId");
  const DecodedRequest request(103, fields, registration_body());
  const auto call = to_register_broker(request.get());
  ASSERT_EQ(test::error_of(call), Errc::protocol_error);
  EXPECT_NE(call.error().text.find("brokerId"), std::string::npos);
}

TEST(Brokers, SayWhetherTheyAllowAnActingLeaderOrKnowOfNone) {
  const auto allows = [](FieldMap more) {
    const auto call = register_with(std::move(more), registration_body());
    return std::get<model::RegisterBroker>(call->command).allows_acting_leader;
  };
  EXPECT_EQ(allows({}), std::nullopt);
  EXPECT_EQ(allows({{"enableActingMaster", "false"}}), false);
  EXPECT_EQ(allows({{"enableActingMaster", "true"}}), true);
}

TEST(Brokers, RegisterTheirZoneAndStaticTopics) {
  RegisterBrokerBody body;
  body.topic_queue_mapping_infos.push_back({.key = "t", .json = R"({"bname":"b"})"});
  std::string text;
  append_register_broker_body(text, body);
  const auto call = register_with({{"__ZONE_NAME", "z"}}, text);
  const auto& broker = std::get<model::RegisterBroker>(call->command);
  EXPECT_EQ(broker.zone, "z");
  ASSERT_EQ(broker.mappings.size(), 1U);
  EXPECT_EQ(broker.mappings[0],
            (model::QueueMapping{.topic = "t", .broker_name = "b", .json = R"({"bname":"b"})"}));
}

TEST(Brokers, AreAnsweredWithNothingMoreThanTheyNeed) {
  const auto call = register_with({}, registration_body());
  std::string out;
  call->answer(out, {}, model::NameServerReply(model::RegisteredReply{}));
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, 0);
  EXPECT_TRUE(answer.fields.empty());
  EXPECT_EQ(answer.body, "");
}

TEST(Brokers, AreToldOfTheirLeaderAndOfOrderTopics) {
  const auto call = register_with({}, registration_body());
  std::string out;
  call->answer(
      out, {},
      model::NameServerReply(model::RegisteredReply{.leader_address = "10.0.0.1:10911",
                                                    .leader_ha_address = "10.0.0.1:10912",
                                                    .order_topics = model::TextMap{{"t", "b:4"}}}));
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.field("masterAddr"), "10.0.0.1:10911");
  EXPECT_EQ(answer.field("haServerAddr"), "10.0.0.1:10912");
  EXPECT_EQ(answer.body, R"({"table":{"t":"b:4"}})");
}

TEST(Brokers, AskWhetherTheirVersionIsNews) {
  const DecodedRequest request(322, kBroker, R"({"counter":3,"stateVersion":1,"timestamp":2})");
  const auto call = to_query_broker_version(request.get());
  ASSERT_TRUE(call) << describe(call.error());
  const auto& query =
      std::get<model::QueryBrokerVersion>(std::get<model::NameServerCommand>(call->command));
  const model::DataVersion version{.state_version = 1, .timestamp_ms = 2, .counter = 3};
  EXPECT_EQ(query.version, version);
  EXPECT_EQ(query.broker.broker_name, "b");
  EXPECT_EQ(query.broker.cluster, "c");
  EXPECT_EQ(query.broker.address, "10.0.0.1:10911");
  std::string out;
  call->answer(out, {}, model::NameServerReply(model::BrokerVersionReply{}));
  EXPECT_EQ(read_frame(out).field("changed"), "true");
  EXPECT_EQ(read_frame(out).body, "");
  out.clear();
  call->answer(
      out, {},
      model::NameServerReply(model::BrokerVersionReply{.is_changed = false, .known = version}));
  EXPECT_EQ(read_frame(out).field("changed"), "false");
  EXPECT_EQ(read_frame(out).body, R"({"counter":3,"stateVersion":1,"timestamp":2})");
}

TEST(Brokers, GiveSignsOfLifeWithoutAnId) {
  FieldMap fields = kBroker;
  fields.erase("brokerId");
  const DecodedRequest request(904, fields);
  const auto call = to_broker_heartbeat(request.get());
  ASSERT_TRUE(call) << describe(call.error());
  const auto& heartbeat =
      std::get<model::BrokerHeartbeat>(std::get<model::NameServerCommand>(call->command));
  EXPECT_EQ(heartbeat.broker.address, "10.0.0.1:10911");
}

TEST(Brokers, OfOneNameAreListedWithBareKeys) {
  const DecodedRequest request(901, {{"clusterName", "c"}, {"brokerName", "b"}});
  const auto call = to_query_broker_group(request.get());
  ASSERT_TRUE(call) << describe(call.error());
  std::string out;
  model::BrokerData brokers{
      .cluster = "c", .broker_name = "b", .addresses = {{0, "x:1"}, {2, "y:1"}}};
  call->answer(out, {}, model::NameServerReply(model::BrokerGroupReply{brokers}));
  EXPECT_EQ(read_frame(out).body,
            R"({"brokerMemberGroup":{"brokerAddrs":{0:"x:1",2:"y:1"},"brokerName":"b",)"
            R"("cluster":"c"}})");
}

TEST(Brokers, LoseAndGetTheirWritePermission) {
  struct Row {
    Result<Call> (*to_call)(const Request&);
    model::WritePermission permission;
    std::string_view field;
  };
  for (const Row& row :
       {Row{to_wipe_write_permission, model::WritePermission::wiped, "wipeTopicCount"},
        Row{to_grant_write_permission, model::WritePermission::granted, "addTopicCount"}}) {
    const DecodedRequest request(205, {{"brokerName", "b"}});
    const auto call = row.to_call(request.get());
    ASSERT_TRUE(call);
    const auto& change =
        std::get<model::SetWritePermission>(std::get<model::NameServerCommand>(call->command));
    EXPECT_EQ(change.broker_name, "b");
    EXPECT_EQ(change.permission, row.permission);
    std::string out;
    call->answer(out, {}, model::NameServerReply(model::CountReply{601}));
    EXPECT_EQ(read_frame(out).field(row.field), "601");
  }
}

TEST(Brokers, Unregister) {
  const DecodedRequest request(104, kBroker);
  const auto call = to_unregister_broker(request.get());
  ASSERT_TRUE(call);
  const auto& broker = std::get<model::UnregisterBroker>(call->command);
  EXPECT_EQ(broker.cluster, "c");
  EXPECT_EQ(broker.broker_name, "b");
  EXPECT_EQ(broker.broker_id, 0);
  EXPECT_EQ(broker.address, "10.0.0.1:10911");
}

}  // namespace
}  // namespace sluice::remoting
