#include "protocols/remoting/handlers/send.hpp"

#include <gtest/gtest.h>

#include <string>

#include "protocols/remoting/codec/batch_body.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

std::string properties_of(const model::Send& send) {
  return std::string(send.messages.at(0).properties);
}

TEST(ToSend, TakesEveryFieldOfTheShortForm) {
  FieldMap fields = send_fields("topic", "KEYS\1k\2");
  fields["j"] = "3";
  fields["n"] = "broker-a";
  fields["f"] = "769";
  const DecodedRequest request(request_code::kSendMessageV2, fields, "body");
  const auto send = to_send(request.get());
  ASSERT_TRUE(send);
  EXPECT_EQ(send->producer_group, "pg");
  EXPECT_EQ(send->topic, "topic");
  EXPECT_EQ(send->template_topic, "TBW102");
  EXPECT_EQ(send->template_queues, 4);
  EXPECT_EQ(send->queue, 2);
  EXPECT_EQ(send->system_flag, 769);
  EXPECT_EQ(send->born_at_ms, 123);
  EXPECT_EQ(send->reconsume_times, 3);
  EXPECT_EQ(send->broker_name, "broker-a");
  EXPECT_EQ(model::to_string(send->born_host), "10.0.0.9:1234");
  EXPECT_FALSE(send->is_batch);
  ASSERT_EQ(send->messages.size(), 1);
  EXPECT_EQ(send->messages[0].flag, 7);
  EXPECT_EQ(as_text(send->messages[0].body), "body");
  EXPECT_EQ(properties_of(*send), "KEYS\1k\2");
}

TEST(ToSend, ReadsTheLongNamesOfCode10) {
  const DecodedRequest request(request_code::kSendMessage,
                               {{"producerGroup", "pg"},
                                {"topic", "t"},
                                {"defaultTopic", "TBW102"},
                                {"defaultTopicQueueNums", "4"},
                                {"queueId", "2"},
                                {"sysFlag", "0"},
                                {"bornTimestamp", "123"},
                                {"flag", "0"}},
                               "body");
  const auto send = to_send(request.get());
  ASSERT_TRUE(send);
  EXPECT_EQ(send->topic, "t");
  EXPECT_EQ(send->queue, 2);
}

TEST(ToSend, LeavesTheBodyWhereItWasReceived) {
  const DecodedRequest request(request_code::kSendMessageV2, send_fields(), "body");
  const auto send = to_send(request.get());
  ASSERT_TRUE(send);
  EXPECT_EQ(send->messages[0].body.data(), request.get().body.data());
  EXPECT_EQ(send->owner, request.get().memory);
}

TEST(ToSend, KeepsThePropertiesBeyondTheNextDecodedHeader) {
  DecodedRequest request(request_code::kSendMessageV2, send_fields("t", "KEYS\1some key\2"), "b");
  const auto send = to_send(request.get());
  ASSERT_TRUE(send);
  request.decode_something_else();
  EXPECT_EQ(properties_of(*send), "KEYS\1some key\2");
}

TEST(ToSend, KeepsThePropertiesOfABinaryHeader) {
  DecodedRequest request(request_code::kSendMessageV2, send_fields("t", "KEYS\1some key\2"), "b",
                         {.serialize_type = SerializeType::rocketmq});
  const auto send = to_send(request.get());
  ASSERT_TRUE(send);
  request.decode_something_else();
  EXPECT_EQ(properties_of(*send), "KEYS\1some key\2");
}

// Bytes that are no UTF-8 become U+FFFD, three bytes each: more than the header had room for.
TEST(ToSend, KeepsPropertiesThatGrewWhenTheyWereDecoded) {
  DecodedRequest request(request_code::kSendMessageV2, send_fields(), "body");
  std::string grown = "K\1";
  while (grown.size() <= request.get().header_memory.size()) grown += "\xEF\xBF\xBD";
  std::vector<Field> fields(request.get().fields().begin(), request.get().fields().end());
  for (Field& field : fields) {
    if (field.key == "i") field.value = grown;
  }
  Request with_grown = request.get();
  with_grown.header.fields = Fields(fields);
  auto send = to_send(with_grown);
  ASSERT_TRUE(send);
  const std::string expected = std::exchange(grown, std::string(grown.size(), '?'));
  EXPECT_EQ(properties_of(*send), expected);
  EXPECT_EQ(as_text(send->messages[0].body), "body");
}

TEST(ToSend, LetsTheBrokerChooseForEveryNegativeQueue) {
  FieldMap fields = send_fields();
  fields["e"] = "-7";
  const DecodedRequest request(request_code::kSendMessageV2, fields, "b");
  EXPECT_EQ(to_send(request.get())->queue, -1);
}

TEST(ToSend, WaitsAsTheBrokerSaysIfTheClientWaits) {
  const DecodedRequest request(request_code::kSendMessageV2, send_fields("t", "WAIT\1true\2"), "b");
  EXPECT_EQ(to_send(request.get())->durability, model::SendDurability::broker_default);
}

TEST(ToSend, IsBufferedIfTheClientDoesNotWait) {
  const DecodedRequest request(request_code::kSendMessageV2, send_fields("t", "WAIT\1false\2"),
                               "b");
  EXPECT_EQ(to_send(request.get())->durability, model::SendDurability::buffered);
}

TEST(ToSend, IsNotFooledByWaitInsideAnotherProperty) {
  const DecodedRequest request(request_code::kSendMessageV2,
                               send_fields("t", "DO_NOT_WAIT\1false\2KEYS\1WAIT\2"), "b");
  EXPECT_EQ(to_send(request.get())->durability, model::SendDurability::broker_default);
}

TEST(ToSend, IsBufferedIfOneway) {
  const DecodedRequest request(request_code::kSendMessageV2, send_fields(), "b",
                               {.flag = kOnewayFlag});
  EXPECT_EQ(to_send(request.get())->durability, model::SendDurability::buffered);
}

TEST(ToSend, TakesTheBatchFlagAsABatch) {
  std::string body;
  append_batch_message(body, {.flag = 5, .body = as_bytes("one"), .properties = "K\1a\2"});
  FieldMap fields = send_fields();
  fields["m"] = "true";
  const DecodedRequest request(request_code::kSendMessageV2, fields, body);
  const auto send = to_send(request.get());
  ASSERT_TRUE(send);
  EXPECT_TRUE(send->is_batch);
  ASSERT_EQ(send->messages.size(), 1);
  EXPECT_EQ(send->messages[0].flag, 5);
  EXPECT_EQ(as_text(send->messages[0].body), "one");
  EXPECT_EQ(properties_of(*send), "K\1a\2");
}

TEST(ToSend, RefusesABatchThatIsNone) {
  const DecodedRequest request(request_code::kSendBatchMessage, send_fields(), "no batch");
  EXPECT_EQ(test::error_of(to_send(request.get())), Errc::malformed_packet);
}

TEST(ToSend, RefusesABatchWithoutMessages) {
  const DecodedRequest request(request_code::kSendBatchMessage, send_fields());
  EXPECT_EQ(test::error_of(to_send(request.get())), Errc::message_illegal);
}

model::SendReply stored_at(std::int64_t offset, std::vector<std::uint64_t> positions) {
  model::SendReply reply;
  reply.queue = 3;
  reply.offset = offset;
  reply.positions.assign(positions.begin(), positions.end());
  reply.store_host = *model::parse_endpoint("10.1.2.3:10911");
  return reply;
}

// What SendMessageResponseHeader needs, and the two fields that clients read beside it.
TEST(AnswerSend, HasAllThatClientsRead) {
  model::SendReply reply = stored_at(41, {0x1234});
  reply.unique_key = "AC1100010000000000000000000000AB";
  std::string out;
  answer_send(out, {.opaque = 9}, reply);
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.opaque, 9);
  EXPECT_EQ(answer.version, kOurVersion);
  EXPECT_EQ(answer.field("msgId"), "0A01020300002A9F0000000000001234");
  EXPECT_EQ(answer.field("queueId"), "3");
  EXPECT_EQ(answer.field("queueOffset"), "41");
  EXPECT_EQ(answer.field("transactionId"), "AC1100010000000000000000000000AB");
  EXPECT_EQ(answer.field("MSG_REGION"), "DefaultRegion");
  EXPECT_EQ(answer.field("TRACE_ON"), "true");
}

TEST(AnswerSend, JoinsTheIdsOfABatchAndHasNoTransactionId) {
  std::string out;
  answer_send(out, {}, stored_at(5, {1, 2}));
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.field("msgId"),
            "0A01020300002A9F0000000000000001,0A01020300002A9F0000000000000002");
  EXPECT_EQ(answer.field("transactionId"), "(absent)");
}

TEST(AnswerSend, NamesTheErrorIfItHasNoText) {
  std::string out;
  answer_send(out, {}, fail(Errc::unavailable, ""));
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kServiceNotAvailable);
  EXPECT_EQ(answer.remark, "unavailable");
}

}  // namespace
}  // namespace sluice::remoting
