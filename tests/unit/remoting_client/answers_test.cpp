#include "protocols/remoting/client/answers.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/model/message_id.hpp"
#include "common/model/stored_message.hpp"
#include "protocols/remoting/client/resolve.hpp"
#include "protocols/remoting/client/response.hpp"
#include "protocols/remoting/codec/response_codes.hpp"

namespace sluice::remoting {
namespace {

/// Address 10.0.0.1, port 10911, position 300, as MessageDecoder.createMessageId writes them.
constexpr std::string_view kMessageId = "0A00000100002A9F000000000000012C";

model::Endpoint store_host() {
  return *model::parse_endpoint("10.0.0.1:10911");
}

/// An answer whose fields live as long as it does.
struct Answer {
  explicit Answer(std::int32_t code, std::vector<Field> fields_in = {})
      : fields(std::move(fields_in)) {
    header.code = code;
    header.flag = kResponseFlag;
    header.fields = Fields(fields);
  }
  std::vector<Field> fields;
  Header header;
};

std::string stored_message(std::string_view body, std::int64_t offset) {
  model::StoredMessageFields fields;
  fields.topic = "t";
  fields.body = as_bytes(body);
  std::string bytes(model::stored_message_size(fields), '\0');
  auto* const out = reinterpret_cast<std::byte*>(bytes.data());
  model::encode_stored_message(fields, out);
  model::fill_in_stored_message(out, offset, 1000 + static_cast<std::uint64_t>(offset), 1234,
                                store_host());
  return bytes;
}

TEST(SendAnswer, HoldsTheQueueTheOffsetAndThePosition) {
  const Answer answer(
      response_code::kSuccess,
      {{"msgId", kMessageId}, {"queueId", "3"}, {"queueOffset", "17"}, {"transactionId", "KEY"}});
  const auto reply = decode_send_answer(answer.header);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->queue, 3);
  EXPECT_EQ(reply->offset, 17);
  EXPECT_EQ(reply->unique_key, "KEY");
  EXPECT_EQ(reply->store_host, store_host());
  ASSERT_EQ(reply->positions.size(), 1U);
  EXPECT_EQ(reply->positions[0], 300U);
}

TEST(SendAnswer, HoldsAPositionForEachMessageOfABatch) {
  const std::string ids = std::string(kMessageId) + "," + "0a00000100002a9f0000000000000200";
  const Answer answer(response_code::kSuccess,
                      {{"msgId", ids}, {"queueId", "0"}, {"queueOffset", "5"}});
  const auto reply = decode_send_answer(answer.header);
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->positions.size(), 2U);
  EXPECT_EQ(reply->positions[1], 0x200U);
  EXPECT_TRUE(reply->unique_key.empty());
}

// Codes 10, 11 and 12: the message is stored, but not as safely as asked.
TEST(SendAnswer, CountsAMessageAsStoredThatAReplicaDidNotTakeInTime) {
  for (const std::int32_t code :
       {response_code::kFlushDiskTimeout, response_code::kSlaveNotAvailable,
        response_code::kFlushSlaveTimeout}) {
    const Answer answer(code, {{"msgId", kMessageId}, {"queueId", "0"}, {"queueOffset", "5"}});
    EXPECT_TRUE(decode_send_answer(answer.header)) << code;
  }
}

TEST(SendAnswer, NamesWhatIsMissing) {
  const Answer answer(response_code::kSuccess, {{"queueId", "0"}, {"queueOffset", "5"}});
  const auto reply = decode_send_answer(answer.header);
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().text.find("msgId"), std::string::npos) << reply.error().text;
}

TEST(SendAnswer, IsAnErrorIfTheMessageIdIsNone) {
  for (const std::string_view id :
       {"zz", "0A00000100002A9F000000000000012", "0A00000100002A9F00000000000001ZZ",
        "0A000001FFFF2A9F000000000000012C"}) {
    const Answer answer(response_code::kSuccess,
                        {{"msgId", id}, {"queueId", "0"}, {"queueOffset", "5"}});
    EXPECT_FALSE(decode_send_answer(answer.header)) << id;
  }
}

TEST(SendAnswer, IsTheErrorThatTheBrokerMeans) {
  Answer answer(response_code::kTopicNotExist);
  answer.header.remark = "topic[x] not exist";
  const auto reply = decode_send_answer(answer.header);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::topic_not_found);
  EXPECT_NE(reply.error().text.find("\"topic[x] not exist\""), std::string::npos)
      << "the peer's text stands in quotation marks: " << reply.error().text;
}

std::vector<Field> offsets() {
  return {{"nextBeginOffset", "9"}, {"minOffset", "2"}, {"maxOffset", "11"}};
}

TEST(PullAnswer, HoldsEveryMessageAsAPartOfTheBody) {
  const Answer answer(response_code::kSuccess, offsets());
  const std::string first = stored_message("one", 7);
  const Slice body = Slice::copy_of(first + stored_message("two", 8));
  const auto reply = decode_pull_answer(answer.header, body);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, model::PullStatus::found);
  EXPECT_EQ(reply->next_offset, 9);
  EXPECT_EQ(reply->first_offset, 2);
  EXPECT_EQ(reply->end_offset, 11);
  EXPECT_EQ(reply->store_host, store_host());
  ASSERT_EQ(reply->records.size(), 2U);
  EXPECT_EQ(reply->records[1].offset, 8);
  EXPECT_EQ(reply->records[1].position, 1008U);
  EXPECT_EQ(reply->records[1].stored_at_ms, 1234);
  EXPECT_EQ(reply->records[0].payload.text(), first);
  EXPECT_EQ(reply->records[0].payload.data(), body.data()) << "it is not copied";
}

TEST(PullAnswer, TellsTheThreeWaysOfFindingNothingApart) {
  const std::pair<std::int32_t, model::PullStatus> rows[] = {
      {response_code::kPullNotFound, model::PullStatus::nothing_new},
      {response_code::kPullRetryImmediately, model::PullStatus::nothing_matched},
      {response_code::kPullOffsetMoved, model::PullStatus::offset_moved}};
  for (const auto& [code, status] : rows) {
    const Answer answer(code, offsets());
    const auto reply = decode_pull_answer(answer.header, Slice{});
    ASSERT_TRUE(reply) << code;
    EXPECT_EQ(reply->status, status);
    EXPECT_EQ(reply->next_offset, 9);
    EXPECT_TRUE(reply->records.empty());
  }
}

TEST(PullAnswer, IsAnErrorIfTheBodyEndsInsideAMessage) {
  const Answer answer(response_code::kSuccess, offsets());
  const std::string whole = stored_message("one", 7);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const Slice body = Slice::copy_of(std::string_view(whole).substr(0, size));
    const auto reply = decode_pull_answer(answer.header, body);
    ASSERT_FALSE(reply) << size;
    EXPECT_EQ(reply.error().code, Errc::corrupt_record);
  }
}

TEST(PullAnswer, IsAnErrorWithoutTheOffsets) {
  EXPECT_FALSE(decode_pull_answer(Answer(response_code::kPullNotFound).header, Slice{}));
}

TEST(ErrorOfAnswer, MeansWhatTheErrorTableSaysOfItsCode) {
  // Each of these rows of the table has a code of its own, or is the most general of its code.
  for (const Errc code :
       {Errc::quota_exceeded, Errc::unsupported, Errc::message_illegal, Errc::unavailable,
        Errc::permission_denied, Errc::topic_not_found, Errc::topic_exists,
        Errc::offset_out_of_range, Errc::not_found, Errc::subscription_invalid,
        Errc::subscription_missing, Errc::group_not_found, Errc::invalid_argument, Errc::draining,
        Errc::internal}) {
    EXPECT_EQ(error_of(row_of(code).remoting, "").code, code) << row_of(code).name;
  }
}

TEST(Response, KeepsItsFieldsWhenItIsMoved) {
  Answer answer(response_code::kSuccess, {{"a", "1"}, {"long key of many bytes", "a long value"}});
  answer.header.remark = "fine";
  const Slice body = Slice::copy_of(std::string_view("body"));
  Response first(ResponseView{.header = answer.header, .body = body});
  answer.fields.clear();
  const Response moved = std::move(first);
  EXPECT_EQ(moved.code(), response_code::kSuccess);
  EXPECT_EQ(moved.remark(), "fine");
  EXPECT_EQ(moved.fields().text_or("a", ""), "1");
  EXPECT_EQ(moved.fields().text_or("long key of many bytes", ""), "a long value");
  EXPECT_EQ(moved.body().text(), "body");
}

TEST(HostPort, TakesNamesAndNumbersOfBothKinds) {
  EXPECT_EQ(parse_host_port("localhost:80"), (HostPort{"localhost", 80}));
  EXPECT_EQ(parse_host_port("10.0.0.1:65535"), (HostPort{"10.0.0.1", 65535}));
  EXPECT_EQ(parse_host_port("[::1]:9876"), (HostPort{"::1", 9876}));
}

TEST(HostPort, RefusesWhatIsNoAddress) {
  for (const std::string_view text : {"", "localhost", ":80", "localhost:", "localhost:0",
                                      "localhost:65536", "localhost:8x", "::1:80", "[]:80"}) {
    const auto parsed = parse_host_port(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::invalid_argument);
  }
}

TEST(ErrorOf, PutsTheTextOfTheServerFirst) {
  EXPECT_EQ(error_of(14, "the disk is full").text, "\"the disk is full\" (answered with code 14)");
  EXPECT_EQ(error_of(14, "").text, "answered with code 14");
}

}  // namespace
}  // namespace sluice::remoting
