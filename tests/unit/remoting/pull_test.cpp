#include "protocols/remoting/handlers/pull.hpp"

#include <gtest/gtest.h>

#include <string>

#include "common/base/limits.hpp"
#include "common/model/stored_message.hpp"
#include "protocols/remoting/codec/pull_header.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

using namespace std::chrono_literals;

model::Pull pull_of(const FieldMap& fields) {
  const DecodedRequest request(request_code::kPullMessage, fields);
  const auto call = to_pull(request.get());
  EXPECT_TRUE(call);
  return std::get<model::Pull>(call->command);
}

TEST(ToPull, TakesEveryField) {
  FieldMap fields =
      pull_fields(5, kPullCommitOffsetFlag | kPullSuspendFlag | kPullSubscriptionFlag);
  fields["subscription"] = "a || b";
  fields["expressionType"] = "TAG";
  fields["bname"] = "broker-a";
  fields["maxMsgBytes"] = "1000";
  const model::Pull pull = pull_of(fields);
  EXPECT_EQ(pull.group, "g");
  EXPECT_EQ(pull.topic, "t");
  EXPECT_EQ(pull.queue, 3);
  EXPECT_EQ(pull.offset, 5);
  EXPECT_EQ(pull.messages_max, 32);
  EXPECT_EQ(pull.bytes_max, 1000);
  EXPECT_EQ(pull.wait, 15s);
  EXPECT_EQ(pull.commit_offset, 4);
  EXPECT_EQ(pull.filter, (model::FilterExpression{.expression = "a || b", .type = "TAG"}));
  EXPECT_EQ(pull.subscription_version, 99);
  EXPECT_EQ(pull.broker_name, "broker-a");
}

TEST(ToPull, DoesWithoutWhatItsFlagsDoNotSay) {
  FieldMap fields = pull_fields(5, 0);
  fields["subscription"] = "a";
  const model::Pull pull = pull_of(fields);
  EXPECT_EQ(pull.wait, 0ms);
  EXPECT_EQ(pull.commit_offset, std::nullopt);
  EXPECT_EQ(pull.filter, std::nullopt);
}

TEST(ToPull, WaitsNoLongerThanTheLimit) {
  EXPECT_EQ(pull_of(pull_fields(0, kPullSuspendFlag, 9'000'000'000)).wait, limits::kPullWaitMax);
}

TEST(ToPull, DoesNotWaitForANegativeTime) {
  EXPECT_EQ(pull_of(pull_fields(0, kPullSuspendFlag, -5)).wait, 0ms);
}

TEST(ToPull, AsksForAtLeastOneMessageAndAtMostTheLimit) {
  FieldMap fields = pull_fields();
  fields["maxMsgNums"] = "-3";
  EXPECT_EQ(pull_of(fields).messages_max, 1U);
  fields["maxMsgNums"] = "2000000";
  EXPECT_EQ(pull_of(fields).messages_max, limits::kPullMessagesMax);
}

TEST(ToPull, AsksForAtMostTheLimitOfBytes) {
  FieldMap fields = pull_fields();
  fields["maxMsgBytes"] = "2147483647";
  EXPECT_EQ(pull_of(fields).bytes_max, limits::kPullBytesMax);
}

TEST(ToPull, NamesAMissingField) {
  FieldMap fields = pull_fields();
  fields.erase("queueOffset");
  const DecodedRequest request(request_code::kPullMessage, fields);
  const auto call = to_pull(request.get());
  ASSERT_EQ(test::error_of(call), Errc::protocol_error);
  EXPECT_NE(call.error().text.find("queueOffset"), std::string::npos);
}

model::PullReply reply_of(model::PullStatus status) {
  model::PullReply reply;
  reply.status = status;
  reply.next_offset = 8;
  reply.first_offset = 2;
  reply.end_offset = 10;
  reply.store_host = *model::parse_endpoint("10.1.2.3:10911");
  return reply;
}

struct StatusCase {
  const char* name;
  model::PullStatus status;
  std::int32_t code;
};

class AnswerPullStatus : public testing::TestWithParam<StatusCase> {};

TEST_P(AnswerPullStatus, HasItsCodeAndAllOffsets) {
  std::string out;
  answer_pull(out, {}, reply_of(GetParam().status));
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, GetParam().code);
  EXPECT_EQ(answer.field("suggestWhichBrokerId"), "0");
  EXPECT_EQ(answer.field("nextBeginOffset"), "8");
  EXPECT_EQ(answer.field("minOffset"), "2");
  EXPECT_EQ(answer.field("maxOffset"), "10");
  EXPECT_EQ(answer.body, "");
}

INSTANTIATE_TEST_SUITE_P(
    All, AnswerPullStatus,
    testing::Values(StatusCase{"Found", model::PullStatus::found, 0},
                    StatusCase{"NothingNew", model::PullStatus::nothing_new, 19},
                    StatusCase{"NothingMatched", model::PullStatus::nothing_matched, 20},
                    StatusCase{"OffsetMoved", model::PullStatus::offset_moved, 21}),
    [](const auto& test) { return test.param.name; });

TEST(AnswerPull, CompletesEveryMessage) {
  model::StoredMessageFields fields;
  fields.queue = 3;
  fields.topic = "t";
  fields.body = as_bytes("body");
  std::string payload(model::stored_message_size(fields), '\0');
  model::encode_stored_message(fields, reinterpret_cast<std::byte*>(payload.data()));
  model::PullReply reply = reply_of(model::PullStatus::found);
  for (const std::int64_t offset : {6, 7}) {
    reply.records.push_back({.offset = offset,
                             .position = static_cast<std::uint64_t>(100 * offset),
                             .stored_at_ms = 1'700'000'000'000 + offset,
                             .payload = Slice::copy_of(std::string_view(payload))});
  }
  std::string out = "what was there";
  const std::size_t begin = out.size();
  answer_pull(out, {}, reply);
  const Received answer = read_frame(std::string_view(out).substr(begin));
  BytesView rest = as_bytes(answer.body);
  for (const std::int64_t offset : {6, 7}) {
    const auto message = model::StoredMessageView::parse_first(rest);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->queue_offset(), offset);
    EXPECT_EQ(message->position(), static_cast<std::uint64_t>(100 * offset));
    EXPECT_EQ(message->stored_at_ms(), 1'700'000'000'000 + offset);
    EXPECT_EQ(model::to_string(message->store_host()), "10.1.2.3:10911");
    EXPECT_EQ(as_text(message->body()), "body");
    rest = rest.subspan(message->size());
  }
  EXPECT_TRUE(rest.empty());
}

TEST(AnswerPullAgain, HasNoBodyAndTheOffsetAskedFor) {
  std::string out;
  answer_pull_again(out, {.opaque = 4}, reply_of(model::PullStatus::found), 6);
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kPullRetryImmediately);
  EXPECT_EQ(answer.field("nextBeginOffset"), "6");
  EXPECT_EQ(answer.body, "");
}

}  // namespace
}  // namespace sluice::remoting
