#include "bench/load/request.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "bench/load/wire.hpp"

namespace sluice::bench {
namespace {

constexpr std::size_t kBodyBytes = 1024;

SendShape shape_of(std::size_t messages) {
  return {
      .topic = "orders", .broker_name = "broker-a", .body_bytes = kBodyBytes, .messages = messages};
}

/// Also checks that the lengths of the frame are those of its parts.
std::string_view header_of(std::string_view frame) {
  EXPECT_EQ(load_u32(frame) + kFrameLengthBytes, frame.size());
  return frame.substr(kFramePrefixBytes, load_u32(frame, kFrameLengthBytes));
}

boost::json::object parse_header(std::string_view frame) {
  const std::string_view header = header_of(frame);
  return boost::json::parse(boost::json::string_view(header.data(), header.size())).as_object();
}

// The members and their order in a frame that the Java client 5.5.0 sent.
TEST(SendFrame, HasTheHeaderThatTheJavaClientWrites) {
  SendFrame frame(shape_of(1));
  frame.patch(12'345'678, 3, 1'796'011'710'030);
  const std::string header(header_of(frame.bytes()));
  const std::size_t key_at = header.find("7F000001");
  ASSERT_NE(key_at, std::string::npos);
  const std::string key = header.substr(key_at, 32);
  EXPECT_EQ(header,
            R"({"code":310,"extFields":{"a":"bench_producer","b":"orders","c":"TBW102","d":"4",)"
            R"("e":"3","f":"0","g":"1796011710030","h":"0","i":"UNIQ_KEY\u0001)" +
                key +
                R"(\u0002WAIT\u0001true\u0002","j":"0","k":"false","m":"false","n":"broker-a"},)"
                R"("flag":0,"language":"JAVA","opaque":12345678,)"
                R"("serializeTypeCurrentRPC":"JSON","version":513})");
}

TEST(SendFrame, HasAHeaderOfTheSizeOfAJavaClients) {
  const SendFrame frame(shape_of(1));
  EXPECT_NEAR(static_cast<double>(header_of(frame.bytes()).size()), 335, 20);
}

TEST(SendFrame, GivesEveryMessageOfABatchAKeyOfItsOwnAtEveryPatch) {
  constexpr std::size_t kMessages = 32;
  SendFrame frame(shape_of(kMessages));
  std::set<std::string> keys;
  for (int round = 0; round < 2; ++round) {
    frame.patch(kOpaqueFirst, 0, 0);
    std::string_view body =
        frame.bytes().substr(kFramePrefixBytes + header_of(frame.bytes()).size());
    while (!body.empty()) {
      const std::string_view entry = body.substr(0, load_u32(body));
      keys.emplace(entry.substr(entry.find("7F000001"), 32));
      body.remove_prefix(entry.size());
    }
  }
  EXPECT_EQ(keys.size(), 2 * kMessages);
}

TEST(PullFrame, IsWholeForOffsetsOfEveryLength) {
  PullFrame frame({.topic = "orders",
                   .group = "readers",
                   .broker_name = "broker-a",
                   .messages_max = 32,
                   .suspend_ms = 15'000});
  for (const std::uint64_t offset : {0ULL, 9ULL, 10ULL, 12'345'678'901ULL}) {
    frame.patch(23'456'789, 7, offset);
    const auto header = parse_header(frame.bytes());
    EXPECT_EQ(header.at("opaque").as_int64(), 23'456'789);
    const auto& fields = header.at("extFields").as_object();
    EXPECT_EQ(fields.at("queueOffset").as_string(), std::to_string(offset));
    EXPECT_EQ(fields.at("queueId").as_string(), "7");
    EXPECT_EQ(fields.at("sysFlag").as_string(), "6");
  }
}

TEST(OpaquePosition, IsWhereTheOpaqueOfAReplyStands) {
  const std::string reply = make_reply({}, "body");
  EXPECT_EQ(reply.substr(opaque_position(reply), kOpaqueDigits), std::to_string(kOpaqueFirst));
}

}  // namespace
}  // namespace sluice::bench
