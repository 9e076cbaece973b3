#include "protocols/remoting/codec/queue_bodies.hpp"

#include <gtest/gtest.h>

#include <string>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/captured_frames.hpp"

namespace sluice::remoting {
namespace {

using test::captured;
using test::CapturedFrame;

template <class T>
std::string written(void (*append)(std::string&, const T&), const T& value) {
  std::string out;
  append(out, value);
  return out;
}

// --- queue locks -----------------------------------------------------------------------------

TEST(QueueLockRequest, IsReadAsJavaWritesIt) {
  const auto request = decode_queue_lock_request(as_bytes(
      R"({"clientId":"10.0.0.1@7","consumerGroup":"g","mqSet":[{"brokerName":"b","queueId":3,)"
      R"("topic":"t"},{"brokerName":"b","queueId":0,"topic":"u"}],"onlyThisBroker":false})"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->client_id, "10.0.0.1@7");
  EXPECT_EQ(request->consumer_group, "g");
  const std::vector<MessageQueue> expected{{"b", "t", 3}, {"b", "u", 0}};
  EXPECT_EQ(request->queues, expected);
}

TEST(QueueLockRequest, NamesTheMemberThatIsWrong) {
  const auto queue = decode_queue_lock_request(as_bytes(R"({"mqSet":[{"queueId":"x"}]})"));
  ASSERT_FALSE(queue);
  EXPECT_EQ(queue.error().code, Errc::malformed_packet);
  EXPECT_NE(queue.error().text.find("queueId"), std::string::npos) << queue.error().text;
  EXPECT_FALSE(decode_queue_lock_request(as_bytes(R"({"mqSet":{}})")));
  EXPECT_FALSE(decode_queue_lock_request(as_bytes("hello")));
}

TEST(QueueLockRequest, HasAtMostSoManyQueues) {
  std::string body = R"({"mqSet":[{})";
  for (std::size_t i = 0; i < limits::kQueuesPerLockMax; ++i) body += ",{}";
  body += "]}";
  EXPECT_EQ(sluice::test::error_of(decode_queue_lock_request(as_bytes(body))),
            Errc::malformed_packet);
}

TEST(QueueLockRequest, OfEveryClientIsReadAndWrittenAgain) {
  std::size_t requests = 0;
  for (const std::int32_t code : {request_code::kLockBatchMq, request_code::kUnlockBatchMq}) {
    for (const CapturedFrame* const frame : captured("request", code)) {
      const auto request = decode_queue_lock_request(as_bytes(frame->body()));
      ASSERT_TRUE(request) << frame->name() << " " << describe(request.error());
      EXPECT_FALSE(request->queues.empty()) << frame->name();
      const auto again = written(append_queue_lock_request, *request);
      EXPECT_EQ(decode_queue_lock_request(as_bytes(again)), *request) << frame->name();
      ++requests;
    }
  }
  EXPECT_GT(requests, 10U);
}

TEST(QueueLockAnswer, OfJavaComesOutByteForByte) {
  std::size_t answers = 0;
  for (const CapturedFrame* const frame : captured("response", request_code::kLockBatchMq)) {
    const auto answer = decode_queue_lock_answer(as_bytes(frame->body()));
    ASSERT_TRUE(answer) << frame->name();
    EXPECT_EQ(written(append_queue_lock_answer, *answer), frame->body()) << frame->name();
    ++answers;
  }
  EXPECT_GT(answers, 3U);
}

// --- offsets by queue ------------------------------------------------------------------------

TEST(ResetOffsetBody, OfJavaIsReadAndWrittenWithQueuesAsKeys) {
  std::size_t answers = 0;
  for (const CapturedFrame* const frame :
       captured("response", request_code::kInvokeBrokerToResetOffset)) {
    const auto body = decode_reset_offset_body(as_bytes(frame->body()));
    ASSERT_TRUE(body) << frame->name() << " " << describe(body.error());
    EXPECT_EQ(body->offsets.size(), 2U) << frame->name();
    EXPECT_EQ(body->offsets.begin()->first.broker_name, "broker-a") << frame->name();
    const std::string again = written(append_reset_offset_body, *body);
    EXPECT_EQ(again.size(), frame->body().size()) << "but for the order of the queues";
    EXPECT_EQ(decode_reset_offset_body(as_bytes(again)), *body) << frame->name();
    ++answers;
  }
  EXPECT_GT(answers, 3U);
}

TEST(ResetOffsetBody, IsWrittenInTheOrderOfTheQueues) {
  const ResetOffsetBody body{.offsets = {{{"b", "t", 1}, 7}, {{"b", "t", 0}, -1}}};
  EXPECT_EQ(written(append_reset_offset_body, body),
            R"({"offsetTable":{{"brokerName":"b","queueId":0,"topic":"t"}:-1,)"
            R"({"brokerName":"b","queueId":1,"topic":"t"}:7}})");
}

TEST(ResetOffsetBody, IsReadWithTheQueuesAsTexts) {
  const auto body = decode_reset_offset_body(
      as_bytes(R"({"offsetTable":{"{\"brokerName\":\"b\",\"queueId\":2,\"topic\":\"t\"}":"5"}})"));
  ASSERT_TRUE(body) << describe(body.error());
  const QueueOffsets expected{{{"b", "t", 2}, 5}};
  EXPECT_EQ(body->offsets, expected);
}

TEST(ResetOffsetBody, IsReadAgainWhateverTheNamesHold) {
  const ResetOffsetBody body{.offsets = {{{"b\"", "t\\\n", 1}, 7}, {{"{}:", "}:", 0}, 8}}};
  const std::string text = written(append_reset_offset_body, body);
  EXPECT_EQ(decode_reset_offset_body(as_bytes(text)), body) << text;
}

TEST(ResetOffsetBody, SaysWhichKeyIsNoQueue) {
  for (const char* text : {R"({"offsetTable":{"x":1}})", R"({"offsetTable":{"7":1}})",
                           R"({"offsetTable":{{"queueId":[]}:1}})",
                           R"({"offsetTable":{{"queueId":1}:"x"}})", R"({"offsetTable":[]})"}) {
    EXPECT_EQ(sluice::test::error_of(decode_reset_offset_body(as_bytes(text))),
              Errc::malformed_packet)
        << text;
  }
}

TEST(ConsumerStatusBody, HasTheOffsetsOfOneClientOrOfAll) {
  const ConsumerStatusBody body{.by_client = {{"c1", {{{"b", "t", 0}, 3}}}, {"c2", {}}},
                                .offsets = {{{"b", "t", 1}, 4}}};
  const std::string text = written(append_consumer_status_body, body);
  EXPECT_EQ(text,
            R"({"consumerTable":{"c1":{{"brokerName":"b","queueId":0,"topic":"t"}:3},"c2":{}},)"
            R"("messageQueueTable":{{"brokerName":"b","queueId":1,"topic":"t"}:4}})");
  EXPECT_EQ(decode_consumer_status_body(as_bytes(text)), body);
}

// --- keys that are objects -------------------------------------------------------------------

TEST(BareKeys, OfObjectsBecomeTexts) {
  EXPECT_EQ(quote_bare_keys(R"({{"q":1}:2})"), R"({"{\"q\":1}":2})");
  EXPECT_EQ(quote_bare_keys(R"({{0:"a"} :1,{}:{"b":3}})"), R"({"{\"0\":\"a\"}" :1,"{}":{"b":3}})");
  EXPECT_EQ(quote_bare_keys(R"({"a":{"b":"}:"}})"), R"({"a":{"b":"}:"}})");
  EXPECT_EQ(quote_bare_keys("}:{"), "}:{");
}

// Each level would double the backslashes of the one below.
TEST(BareKeys, WithinKeysStayAsTheyAre) {
  std::string text;
  for (int i = 0; i < 40; ++i) text.append("{");
  text.append(R"("a":1)");
  for (int i = 0; i < 40; ++i) text.append("}:1");
  EXPECT_LT(quote_bare_keys(text).size(), 2 * text.size());
  EXPECT_FALSE(decode_reset_offset_body(as_bytes(text)));
}

}  // namespace
}  // namespace sluice::remoting
