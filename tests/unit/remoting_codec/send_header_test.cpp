#include "protocols/remoting/codec/send_header.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "protocols/remoting/codec/request_codes.hpp"
#include "tests/support/printers.hpp"

namespace sluice::remoting {
namespace {

const std::vector<Field> kShort = {
    {"a", "group"},      {"b", "topic"},   {"c", "TBW102"},        {"d", "4"},
    {"e", "-1"},         {"f", "257"},     {"g", "1796011710030"}, {"h", "9"},
    {"i", "K\x01v\x02"}, {"j", "2"},       {"k", "true"},          {"l", "16"},
    {"m", "true"},       {"n", "broker-a"}};

const std::vector<Field> kLong = {{"producerGroup", "group"},
                                  {"topic", "topic"},
                                  {"defaultTopic", "TBW102"},
                                  {"defaultTopicQueueNums", "4"},
                                  {"queueId", "-1"},
                                  {"sysFlag", "257"},
                                  {"bornTimestamp", "1796011710030"},
                                  {"flag", "9"},
                                  {"properties", "K\x01v\x02"},
                                  {"reconsumeTimes", "2"},
                                  {"unitMode", "true"},
                                  {"maxReconsumeTimes", "16"},
                                  {"batch", "true"},
                                  {"bname", "broker-a"}};

void expect_all_members(const Result<SendHeader>& header) {
  ASSERT_TRUE(header) << describe(header.error());
  EXPECT_EQ(header->producer_group, "group");
  EXPECT_EQ(header->topic, "topic");
  EXPECT_EQ(header->default_topic, "TBW102");
  EXPECT_EQ(header->default_topic_queue_nums, 4);
  EXPECT_EQ(header->queue_id, -1);
  EXPECT_EQ(header->sys_flag, 257);
  EXPECT_EQ(header->born_timestamp, 1'796'011'710'030);
  EXPECT_EQ(header->flag, 9);
  EXPECT_EQ(header->properties, "K\x01v\x02");
  EXPECT_EQ(header->reconsume_times, 2);
  EXPECT_TRUE(header->unit_mode);
  EXPECT_EQ(header->max_reconsume_times, 16);
  EXPECT_TRUE(header->batch);
  EXPECT_EQ(header->broker_name, "broker-a");
}

TEST(SendHeader, ShortNamesOfCodes310And320And325) {
  for (const std::int32_t code : {310, 320, 325}) {
    expect_all_members(decode_send_header(code, Fields(kShort)));
  }
}

TEST(SendHeader, LongNamesOfCodes10And324) {
  for (const std::int32_t code : {10, 324}) {
    expect_all_members(decode_send_header(code, Fields(kLong)));
  }
}

TEST(SendHeader, LongNamesUnderAShortCodeAreReadIfThereIsNoShortOne) {
  expect_all_members(decode_send_header(request_code::kSendMessageV2, Fields(kLong)));
}

TEST(SendHeader, OptionalFieldsMayBeAbsentOrEmpty) {
  std::vector<Field> fields(kShort.begin(), kShort.begin() + 8);
  for (int round = 0; round < 2; ++round) {
    const auto header = decode_send_header(310, Fields(fields));
    ASSERT_TRUE(header) << describe(header.error());
    EXPECT_EQ(header->properties, "");
    EXPECT_EQ(header->reconsume_times, 0);
    EXPECT_FALSE(header->unit_mode);
    EXPECT_EQ(header->max_reconsume_times, std::nullopt);
    EXPECT_FALSE(header->batch);
    for (const char* const key : {"i", "j", "k", "l", "m", "n"}) fields.push_back({key, ""});
  }
}

TEST(SendHeader, UnknownFieldsAreIgnored) {
  std::vector<Field> fields = kShort;
  for (const char* const key : {"o", "z", "A", "ab", "", "AccessKey", "lo", "topic"}) {
    fields.push_back({key, "x"});
  }
  expect_all_members(decode_send_header(310, Fields(fields)));
}

TEST(SendHeader, LastOfTwoEqualFieldsCounts) {
  std::vector<Field> fields = kShort;
  fields.push_back({"e", "3"});
  EXPECT_EQ(decode_send_header(310, Fields(fields))->queue_id, 3);
}

TEST(SendHeader, EveryRequiredFieldThatIsMissingIsNamed) {
  for (std::size_t i = 0; i < 8; ++i) {
    auto fields = kShort;
    fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i));
    const std::string short_name = std::string(kShort[i].key);
    const std::string long_name = std::string(kLong[i].key);
    EXPECT_EQ(decode_send_header(310, Fields(fields)).error(),
              (Error{Errc::protocol_error,
                     "field \"" + short_name + " (" + long_name + ")\" is missing"}));
    fields = kLong;
    fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(decode_send_header(10, Fields(fields)).error().text,
              "field \"" + long_name + "\" is missing");
  }
}

TEST(SendHeader, EveryNumberThatIsNoneIsNamed) {
  for (const std::size_t i : {3U, 4U, 5U, 6U, 7U, 9U, 11U}) {
    auto fields = kLong;
    fields[i].value = "many";
    EXPECT_EQ(decode_send_header(10, Fields(fields)).error().text,
              "field \"" + std::string(kLong[i].key) + "\" is not a number: \"many\"");
    if (i < 8) {
      fields[i].value = "";
      EXPECT_FALSE(decode_send_header(10, Fields(fields))) << kLong[i].key;
    }
  }
}

TEST(SendHeader, WrittenFieldsReadTheSame) {
  for (const auto type : {SerializeType::json, SerializeType::rocketmq}) {
    const auto header = decode_send_header(310, Fields(kShort));
    std::string out;
    FrameWriter writer(out, type, {.code = request_code::kSendMessageV2});
    write_fields(writer, *header);
    ASSERT_TRUE(writer.end_frame());
    const auto frame = next_frame(as_bytes(out));
    HeaderDecoder decoder;
    const auto decoded = decoder.decode(type, (*frame)->header);
    expect_all_members(decode_send_header(decoded->code, decoded->fields));
  }
}

}  // namespace
}  // namespace sluice::remoting
