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
