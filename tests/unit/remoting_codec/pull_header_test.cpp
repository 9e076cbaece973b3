#include "protocols/remoting/codec/pull_header.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "protocols/remoting/codec/request_codes.hpp"
#include "tests/support/printers.hpp"

namespace sluice::remoting {
namespace {

const std::vector<Field> kAll = {{"consumerGroup", "g"},
                                 {"topic", "t"},
                                 {"queueId", "3"},
                                 {"queueOffset", "5000000000"},
                                 {"maxMsgNums", "32"},
                                 {"sysFlag", "7"},
                                 {"commitOffset", "-1"},
                                 {"suspendTimeoutMillis", "15000"},
                                 {"subVersion", "1796010416950052365"},
                                 {"subscription", "a || b"},
                                 {"expressionType", "SQL92"},
                                 {"maxMsgBytes", "262144"},
                                 {"requestSource", "2"},
                                 {"proxyFrowardClientId", "id"},
                                 {"bname", "broker-a"}};

void expect_all_members(const Result<PullHeader>& header) {
  ASSERT_TRUE(header) << describe(header.error());
  EXPECT_EQ(header->consumer_group, "g");
  EXPECT_EQ(header->topic, "t");
  EXPECT_EQ(header->queue_id, 3);
  EXPECT_EQ(header->queue_offset, 5'000'000'000);
  EXPECT_EQ(header->max_msg_nums, 32);
  EXPECT_EQ(header->sys_flag, kPullCommitOffsetFlag | kPullSuspendFlag | kPullSubscriptionFlag);
  EXPECT_EQ(header->commit_offset, -1);
  EXPECT_EQ(header->suspend_timeout_millis, 15'000);
  EXPECT_EQ(header->sub_version, 1'796'010'416'950'052'365);
  EXPECT_EQ(header->subscription, "a || b");
  EXPECT_EQ(header->expression_type, "SQL92");
  EXPECT_EQ(header->max_msg_bytes, 262'144);
  EXPECT_EQ(header->request_source, 2);
  EXPECT_EQ(header->proxy_forward_client_id, "id");
  EXPECT_EQ(header->broker_name, "broker-a");
}

TEST(PullHeader, ReadsEveryMember) {
  expect_all_members(decode_pull_header(Fields(kAll)));
}

TEST(PullHeader, OptionalFieldsMayBeAbsentOrEmpty) {
  std::vector<Field> fields(kAll.begin(), kAll.begin() + 9);
  for (int round = 0; round < 2; ++round) {
    const auto header = decode_pull_header(Fields(fields));
    ASSERT_TRUE(header) << describe(header.error());
    EXPECT_EQ(header->subscription, "");
    EXPECT_EQ(header->max_msg_bytes, 0);
    EXPECT_EQ(header->request_source, -1);
    for (std::size_t i = 9; i < kAll.size(); ++i) fields.push_back({kAll[i].key, ""});
  }
}

TEST(PullHeader, EveryRequiredFieldThatIsMissingIsNamed) {
  for (std::size_t i = 0; i < 9; ++i) {
    auto fields = kAll;
    fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(
        decode_pull_header(Fields(fields)).error(),
        (Error{Errc::protocol_error, "field \"" + std::string(kAll[i].key) + "\" is missing"}));
  }
}

TEST(PullHeader, EveryNumberThatIsNoneIsNamed) {
  for (const std::size_t i : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 11U, 12U}) {
    auto fields = kAll;
    fields[i].value = "1x";
    EXPECT_EQ(decode_pull_header(Fields(fields)).error().text,
              "field \"" + std::string(kAll[i].key) + "\" is not a number: \"1x\"");
  }
}

TEST(PullHeader, WrittenFieldsReadTheSame) {
  std::string out;
  FrameWriter writer(out, SerializeType::json, {.code = request_code::kPullMessage});
  write_fields(writer, *decode_pull_header(Fields(kAll)));
  ASSERT_TRUE(writer.end_frame());
  const auto frame = next_frame(as_bytes(out));
  HeaderDecoder decoder;
  const auto decoded = decoder.decode(SerializeType::json, (*frame)->header);
  expect_all_members(decode_pull_header(decoded->fields));
}

}  // namespace
}  // namespace sluice::remoting
