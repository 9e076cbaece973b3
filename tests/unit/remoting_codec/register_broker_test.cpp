#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "common/base/byte_writer.hpp"
#include "common/base/checksum.hpp"
#include "common/base/limits.hpp"
#include "protocols/remoting/codec/inflate.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/captured_frames.hpp"

namespace sluice::remoting {
namespace {

using sluice::test::error_of;
using test::captured;
using test::CapturedFrame;

std::string deflate(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()), 9);
  out.resize(size);
  return out;
}

/// A part of the compressed form: its length and its text.
std::string part(std::string_view text) {
  std::string out;
  ByteWriter writer(out);
  writer.write(static_cast<std::int32_t>(text.size()));
  writer.write_text(text);
  return out;
}

std::string count(std::int32_t number) {
  std::string out;
  ByteWriter(out).write(number);
  return out;
}

const std::string kVersionPart =
    part(R"({"counter":3,"stateVersion":1,"timestamp":1796011706507})");
const std::string kTopics = count(2) + part(R"(orders 8 4 6 SINGLE_TAG {"message.type":"FIFO"})") +
                            part("old 16 16 7 MULTI_TAG");
const std::string kServers = part(R"(["10.0.0.1:1"])");
const std::string kMappings = count(1) + part(R"({"topic":"static","currIdMap":{0:0},"epoch":1})");

RegisterBrokerBody expected_body() {
  return {.filter_server_list = {"10.0.0.1:1"},
          .data_version = {.state_version = 1, .timestamp = 1'796'011'706'507, .counter = 3},
          .mapping_data_version = {},
          .topic_configs = {{.topic_name = "orders",
                             .read_queue_nums = 8,
                             .write_queue_nums = 4,
                             .perm = 6,
                             .attributes = {{"message.type", "FIFO"}}},
                            {.topic_name = "old", .perm = 7, .topic_filter_type = "MULTI_TAG"}},
          .topic_queue_mapping_infos = {
              {"static", R"({"topic":"static","currIdMap":{"0":0},"epoch":1})"}}};
}

TEST(RegisterBroker, OfAJavaBrokerComesOutByteForByteAndMatchesItsChecksum) {
  const auto frames = captured("request", request_code::kRegisterBroker);
  EXPECT_FALSE(frames.empty());
  for (const CapturedFrame* const frame : frames) {
    const auto body = decode_register_broker_body(as_bytes(frame->body()));
    ASSERT_TRUE(body) << frame->name() << " " << describe(body.error());
    EXPECT_FALSE(body->topic_configs.empty());
    std::string written;
    append_register_broker_body(written, *body);
    EXPECT_EQ(written, frame->body()) << frame->name();
    EXPECT_EQ(std::to_string(crc32(as_bytes(written)) & 0x7FFF'FFFFU),
              frame->header.fields.find("bodyCrc32")->second);
  }
}

TEST(RegisterBroker, OfAnOldBrokerIsTheTopicTableAlone) {
  const auto body = decode_register_broker_body(as_bytes(
      R"({"dataVersion":{"counter":2,"timestamp":5},"topicConfigTable":{"t":{"perm":4}}})"));
  ASSERT_TRUE(body) << describe(body.error());
  EXPECT_EQ(body->data_version, (DataVersion{.timestamp = 5, .counter = 2}));
  ASSERT_EQ(body->topic_configs.size(), 1U);
  EXPECT_EQ(
      body->topic_configs[0],
      (TopicConfig{.topic_name = "t", .read_queue_nums = 16, .write_queue_nums = 16, .perm = 4}));
}

TEST(RegisterBroker, WithoutABodyHasNoTopics) {
  EXPECT_EQ(decode_register_broker_body({}).value(), RegisterBrokerBody{});
}

TEST(RegisterBroker, NamesTheMemberThatIsWrong) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"topicConfigSerializeWrapper":[]})", "topicConfigSerializeWrapper"},
      {R"({"topicConfigSerializeWrapper":{"topicConfigTable":[]}})", "topicConfigTable"},
      {R"({"topicConfigSerializeWrapper":{"topicConfigTable":{"t":{"perm":[]}}}})", "perm"},
      {R"({"topicConfigSerializeWrapper":{"topicConfigTable":{"t":1}}})", "t"},
      {R"({"topicConfigSerializeWrapper":{"dataVersion":{"counter":"x"}}})", "counter"},
      {R"({"filterServerList":{}})", "filterServerList"},
  };
  for (const auto& [text, member] : rows) {
    const auto body = decode_register_broker_body(as_bytes(text));
    ASSERT_FALSE(body) << text;
    EXPECT_EQ(body.error().code, Errc::malformed_packet) << text;
    EXPECT_NE(body.error().text.find(member), std::string::npos) << body.error().text;
  }
}

TEST(CompressedRegisterBroker, IsRead) {
  const auto body = decode_compressed_register_broker_body(
      as_bytes(deflate(kVersionPart + kTopics + kServers + kMappings)));
  ASSERT_TRUE(body) << describe(body.error());
  EXPECT_EQ(*body, expected_body());
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

/// The bodies of Java brokers with compressedRegister=true when they start.
const std::string kOfJava5_5_0 = bytes_of(
    "78da8d91d14ac3301486830fe0030862a8a00853172dddbabbb54bb7b1b6a94dac0e91431d05e7e8bab55590"
    "e1bb9b4c7ba19d733927099c7c7ff27382106aafb449f63a2f935ceb341b5a51c66512257931cde6eb42394d"
    "13594c175a87b44ca3a91bc43475f3fa0321b42f6723f46e808f3988b0eb7318745d07040b863626320ccc87"
    "7edfa520ba7dbc529a532b994f9ed3389f09792f26cd2bfd6ba9a38753652b5b6062a86cd5800361dd492d6e"
    "cba89fea95b390d923deb3767578cca92228175bb1336e0f68ef56951405f77260d25659872f7f768905ffdb"
    "686db6bf8bf484390ea7023c16d11ed088fae20ff2224f9750bc1710d268185170591faaaeabae6ef8bfef63"
    "a908dcf1561b472ff15b7cfe9467b3245f23f53fea54eff3b16f8315b2110dc1a39e25b7df6a5253ef3d3cca"
    "157d0287eec0e8");
const std::string kOfJava4_9_7 = bytes_of(
    "78da63606050af564ace2fcd2b492d52b232d0512ac9cc4d2d2e49cc2d50b23234b734333031333631303237"
    "a9656060e00062954c90d2fc82f820d7009fc8f810ff004f67054320345308f6f473f7718d0f717407aa530b"
    "76f670750905f1414ae2238040c1d00284d054ca64259625ea2615e567a716814d32479557714acd4bcec84d"
    "2cca0e01ba4cc1d0c0c80442a0992305759982a11908a199a2ecefe616ec1a12efeb1fe6ea12ef1ae6ea1782"
    "cdd9e2214ee140c3152c8010cd048560571fb7f810d7e010dcbe668a8e05001803554f");

TEST(CompressedRegisterBroker, OfAJavaBrokerOf5_5IsRead) {
  const auto body = decode_compressed_register_broker_body(as_bytes(kOfJava5_5_0));
  ASSERT_TRUE(body) << describe(body.error());
  EXPECT_EQ(body->data_version.timestamp, 1'796'046'199'493);
  ASSERT_EQ(body->topic_configs.size(), 14U);
  EXPECT_EQ(body->topic_configs[3].topic_name, "TBW102");
  EXPECT_EQ(body->topic_configs[3].perm, 7);
  EXPECT_TRUE(body->topic_configs[3].attributes.empty());
  EXPECT_TRUE(body->topic_queue_mapping_infos.empty());
}

TEST(CompressedRegisterBroker, OfAJavaBrokerOf4_9IsRead) {
  const auto body = decode_compressed_register_broker_body(as_bytes(kOfJava4_9_7));
  ASSERT_TRUE(body) << describe(body.error());
  EXPECT_EQ(body->data_version.timestamp, 1'796'046'340'274);
  EXPECT_EQ(body->data_version.state_version, 0);
  ASSERT_EQ(body->topic_configs.size(), 8U);
  EXPECT_EQ(body->topic_configs[6].topic_name, "TBW102");
  EXPECT_EQ(body->topic_configs[6].write_queue_nums, 8);
}

TEST(CompressedRegisterBroker, OfBrokersBefore5HasNoMappings) {
  const auto body =
      decode_compressed_register_broker_body(as_bytes(deflate(kVersionPart + kTopics + kServers)));
  ASSERT_TRUE(body) << describe(body.error());
  auto expected = expected_body();
  expected.topic_queue_mapping_infos.clear();
  EXPECT_EQ(*body, expected);
}

TEST(CompressedRegisterBroker, ThatEndsInsideItsPartsIsRefused) {
  const std::string whole = kVersionPart + kTopics + kServers + kMappings;
  const std::size_t before_mappings = whole.size() - kMappings.size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (size == before_mappings) continue;  // what a 4.x broker sends
    const auto body =
        decode_compressed_register_broker_body(as_bytes(deflate(whole.substr(0, size))));
    EXPECT_EQ(error_of(body), Errc::malformed_packet) << size;
  }
}

TEST(CompressedRegisterBroker, WithPartsThatLieIsRefused) {
  const std::pair<const char*, std::string> rows[] = {
      {"negative part", count(-1)},
      {"negative count of topics", kVersionPart + count(-1) + kServers},
      {"more topics promised than there are", kVersionPart + count(2'000'000'000) + kServers},
      {"a topic without numbers", kVersionPart + count(1) + part("orders x 4 6") + kServers},
      {"a topic without a name", kVersionPart + count(1) + part("") + kServers},
      {"attributes that are none", kVersionPart + count(1) + part("t 1 1 6 X [1]") + kServers},
      {"a version that is no JSON", part("x") + kTopics + kServers},
      {"servers that are no JSON", kVersionPart + kTopics + part("x")},
      {"negative count of mappings", kVersionPart + kTopics + kServers + count(-1)},
      {"a mapping that is none", kVersionPart + kTopics + kServers + count(1) + part("3")},
  };
  for (const auto& [what, text] : rows) {
    EXPECT_EQ(error_of(decode_compressed_register_broker_body(as_bytes(deflate(text)))),
              Errc::malformed_packet)
        << what;
  }
}

TEST(Inflate, RefusesDamageAndEarlyEnds) {
  const std::string stream = deflate("some text that repeats: text text text");
  EXPECT_EQ(inflate_zlib(as_bytes(stream), 100).value(), "some text that repeats: text text text");
  for (std::size_t size = 0; size < stream.size(); ++size) {
    EXPECT_EQ(error_of(inflate_zlib(as_bytes(stream.substr(0, size)), 100)), Errc::malformed_packet)
        << size;
  }
  std::string damaged = stream;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_EQ(error_of(inflate_zlib(as_bytes(damaged), 100)), Errc::malformed_packet);
  EXPECT_EQ(error_of(inflate_zlib(as_bytes("not zlib at all"), 100)), Errc::malformed_packet);
}

TEST(Inflate, StopsAtTheBound) {
  const std::string stream = deflate(std::string(1'000'000, 'x'));
  EXPECT_EQ(inflate_zlib(as_bytes(stream), 1'000'000).value().size(), 1'000'000U);
  EXPECT_EQ(error_of(inflate_zlib(as_bytes(stream), 999'999)), Errc::malformed_packet);
  EXPECT_EQ(error_of(inflate_zlib(as_bytes(stream), 0)), Errc::malformed_packet);
  EXPECT_EQ(inflate_zlib(as_bytes(deflate("")), 0).value(), "");
}

TEST(DataVersionBody, IsReadAndWritten) {
  std::string written;
  append_data_version(written, {.state_version = 1, .timestamp = 2, .counter = 3});
  EXPECT_EQ(written, R"({"counter":3,"stateVersion":1,"timestamp":2})");
  EXPECT_EQ(decode_data_version(as_bytes(written)).value(),
            (DataVersion{.state_version = 1, .timestamp = 2, .counter = 3}));
  EXPECT_EQ(error_of(decode_data_version(as_bytes("[]"))), Errc::malformed_packet);
}

}  // namespace
}  // namespace sluice::remoting
