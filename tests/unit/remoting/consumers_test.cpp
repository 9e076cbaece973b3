#include "protocols/remoting/handlers/consumers.hpp"

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/queue_bodies.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

constexpr std::string_view kMessageId = "0A00000100002A9F0001000000000007";

Result<Call> call_of(Result<Call> (*to_call)(const Request&), std::int32_t code,
                     const FieldMap& fields, std::string_view body = {}) {
  const DecodedRequest request(code, fields, body);
  return to_call(request.get());
}

std::int32_t code_of_refusal(const Call& call, Errc code) {
  std::string out;
  call.refuse(out, {}, {code, "text"});
  return read_frame(out).code;
}

// --- 222 -------------------------------------------------------------------------------------

TEST(ResetOffset, OfAllQueuesIsByTime) {
  const auto call =
      call_of(to_reset_offset, 222,
              {{"group", "g"}, {"topic", "t"}, {"timestamp", "-1"}, {"isForce", "true"}});
  ASSERT_TRUE(call);
  const auto& reset = std::get<model::ResetOffset>(call->command);
  EXPECT_EQ(reset.group, "g");
  EXPECT_EQ(reset.topic, "t");
  EXPECT_EQ(reset.queue, -1);
  EXPECT_EQ(reset.offset, -1);
  EXPECT_EQ(reset.time_ms, -1);
}

TEST(ResetOffset, OfOneQueueIsToAnOffset) {
  const auto call = call_of(to_reset_offset, 222,
                            {{"group", "g"},
                             {"topic", "t"},
                             {"timestamp", "0"},
                             {"queueId", "3"},
                             {"offset", "77"},
                             {"bname", "b"}});
  const auto& reset = std::get<model::ResetOffset>(call.value().command);
  EXPECT_EQ(reset.queue, 3);
  EXPECT_EQ(reset.offset, 77);
  EXPECT_EQ(reset.broker_name, "b");
}

TEST(ResetOffset, IsAnsweredWithTheQueuesAndTheirOffsets) {
  const auto call =
      call_of(to_reset_offset, 222, {{"group", "g"}, {"topic", "t"}, {"timestamp", "5"}});
  model::QueueOffsetsReply reply;
  reply.offsets.push_back({.queue = {"b", "t", 0}, .offset = 9});
  std::string out;
  call->answer(out, {}, reply);
  EXPECT_EQ(read_frame(out).body,
            R"({"offsetTable":{{"brokerName":"b","queueId":0,"topic":"t"}:9}})");
}

TEST(ResetOffset, OutsideTheQueueIsASystemError) {
  const auto call =
      call_of(to_reset_offset, 222, {{"group", "g"}, {"topic", "t"}, {"timestamp", "5"}});
  EXPECT_EQ(code_of_refusal(*call, Errc::offset_out_of_range), response_code::kSystemError);
  EXPECT_EQ(code_of_refusal(*call, Errc::topic_not_found), response_code::kTopicNotExist);
  EXPECT_EQ(code_of_refusal(*call, Errc::group_not_found),
            response_code::kSubscriptionGroupNotExist);
}

// --- 307, 309 --------------------------------------------------------------------------------

TEST(AskClient, AsksForItsRunningInfo) {
  const auto call = call_of(to_ask_running_info, 307,
                            {{"consumerGroup", "g"}, {"clientId", "c"}, {"jstackEnable", "true"}});
  ASSERT_TRUE(call);
  const auto& ask = std::get<model::AskClient>(call->command);
  EXPECT_EQ(ask.question, model::ClientQuestion::running_info);
  EXPECT_EQ(ask.group, "g");
  EXPECT_EQ(ask.client_id, "c");
  EXPECT_TRUE(ask.wants_stack);
}

TEST(AskClient, PassesItsAnswerOnAsItCame) {
  const auto call = call_of(to_ask_running_info, 307, {{"consumerGroup", "g"}, {"clientId", "c"}});
  std::string out;
  call->answer(out, {}, model::ClientReply{Slice::copy_of(R"({"mqTable":{{"a":1}:2}})")});
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.body, R"({"mqTable":{{"a":1}:2}})");
}

TEST(AskClient, SaysOfAClientThatItDoesNotAnswerOrIsGone) {
  const auto call = call_of(to_ask_running_info, 307, {{"consumerGroup", "g"}, {"clientId", "c"}});
  EXPECT_EQ(code_of_refusal(*call, Errc::deadline_exceeded), response_code::kConsumeMsgTimeout);
  EXPECT_EQ(code_of_refusal(*call, Errc::group_has_no_members), response_code::kSystemError);
  EXPECT_EQ(code_of_refusal(*call, Errc::not_found), response_code::kSystemError);
  EXPECT_EQ(code_of_refusal(*call, Errc::quota_exceeded), response_code::kSystemBusy);
}

TEST(AskClient, NamesTheMessageThatIsToBeConsumed) {
  const auto call = call_of(to_consume_directly, 309,
                            {{"consumerGroup", "g"},
                             {"clientId", "c"},
                             {"msgId", std::string(kMessageId)},
                             {"topic", "t"}});
  ASSERT_TRUE(call);
  const auto& ask = std::get<model::AskClient>(call->command);
  EXPECT_EQ(ask.question, model::ClientQuestion::consume_message);
  EXPECT_EQ(ask.message_id, kMessageId);
  EXPECT_EQ(ask.position, 0x0001000000000007U);
  EXPECT_EQ(ask.topic, "t");
}

TEST(AskClient, RefusesAMessageIdThatIsNone) {
  const auto call = call_of(to_consume_directly, 309,
                            {{"consumerGroup", "g"}, {"clientId", "c"}, {"msgId", "x"}});
  EXPECT_EQ(test::error_of(call), Errc::protocol_error);
}

// --- 223 -------------------------------------------------------------------------------------

TEST(ConsumerStatus, IsAskedOfAllOrOfOne) {
  const auto all = call_of(to_query_consumer_status, 223, {{"topic", "t"}, {"group", "g"}});
  EXPECT_EQ(std::get<model::QueryConsumerStatus>(all.value().command).client_id, "");
  const auto one =
      call_of(to_query_consumer_status, 223, {{"topic", "t"}, {"group", "g"}, {"clientAddr", "c"}});
  EXPECT_EQ(std::get<model::QueryConsumerStatus>(one.value().command).client_id, "c");
}

TEST(ConsumerStatus, IsPutTogetherOfTheClientsAnswers) {
  const auto call = call_of(to_query_consumer_status, 223, {{"topic", "t"}, {"group", "g"}});
  model::ConsumerStatusReply reply;
  reply.clients.push_back(
      {"c1",
       Slice::copy_of(R"({"messageQueueTable":{{"brokerName":"b","queueId":0,"topic":"t"}:5}})")});
  reply.clients.push_back({"c2", Slice::copy_of("nonsense")});
  std::string out;
  call->answer(out, {}, reply);
  const auto body = decode_consumer_status_body(as_bytes(read_frame(out).body));
  ASSERT_TRUE(body);
  EXPECT_EQ(body->by_client.size(), 1U);
  EXPECT_EQ(body->by_client.at("c1").at({"b", "t", 0}), 5);
}

// --- to the client ---------------------------------------------------------------------------

model::ClientRequest question(model::ClientQuestion question) {
  model::ClientRequest request;
  request.number = 99;
  request.broker_name = "b";
  request.question = question;
  request.group = "g";
  request.client_id = "c";
  request.topic = "t";
  return request;
}

Received sent(const model::ClientRequest& request) {
  std::string out;
  EXPECT_TRUE(append_client_request(out, 7, request));
  return read_frame(out);
}

TEST(ClientRequest, AsksForTheRunningInfoAsJavaDoes) {
  auto request = question(model::ClientQuestion::running_info);
  request.wants_stack = true;
  const Received frame = sent(request);
  EXPECT_EQ(frame.code, 307);
  EXPECT_EQ(frame.opaque, 7);
  EXPECT_EQ(frame.flag, 0) << "an answer is wanted";
  const FieldMap expected{{"consumerGroup", "g"}, {"clientId", "c"}, {"jstackEnable", "true"}};
  EXPECT_EQ(frame.fields, expected);
}

TEST(ClientRequest, BringsTheMessageThatIsToBeConsumed) {
  auto request = question(model::ClientQuestion::consume_message);
  request.message_id = kMessageId;
  request.topic_flag = 3;
  request.message = Slice::copy_of(std::string_view("\0message\xFF", 9));
  const Received frame = sent(request);
  EXPECT_EQ(frame.code, 309);
  const FieldMap expected{
      {"consumerGroup", "g"}, {"clientId", "c"}, {"msgId", std::string(kMessageId)},
      {"brokerName", "b"},    {"topic", "t"},    {"topicSysFlag", "3"}};
  EXPECT_EQ(frame.fields, expected);
  EXPECT_EQ(frame.body, std::string_view("\0message\xFF", 9));
}

TEST(ClientRequest, AsksHowFarTheClientIs) {
  const Received frame = sent(question(model::ClientQuestion::consumer_status));
  EXPECT_EQ(frame.code, 221);
  const FieldMap expected{{"topic", "t"}, {"group", "g"}};
  EXPECT_EQ(frame.fields, expected);
}

TEST(ClientRequest, ThatDoesNotFitAFrameLeavesNothingBehind) {
  auto request = question(model::ClientQuestion::consume_message);
  request.message = Slice::copy_of(std::string(limits::kRemotingFrameBytesMax, 'x'));
  std::string out = "before";
  EXPECT_EQ(test::error_of(append_client_request(out, 7, request)), Errc::payload_too_large);
  EXPECT_EQ(out, "before");
}

// --- 20003 -----------------------------------------------------------------------------------

TEST(AnswerClientRequest, BringsTheClientsWords) {
  const auto call =
      call_of(to_answer_client_request, 20003,
              {{"number", "18446744073709551615"}, {"code", "1"}, {"remark", "no"}, {"bname", "b"}},
              "body");
  ASSERT_TRUE(call);
  const auto& answer = std::get<model::AnswerClientRequest>(call->command);
  EXPECT_EQ(answer.number, 18446744073709551615U);
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.remark, "no");
  EXPECT_EQ(answer.broker_name, "b");
  EXPECT_EQ(answer.body.text(), "body");
}

TEST(AnswerClientRequest, NamesAFieldThatIsWrong) {
  EXPECT_EQ(test::error_of(call_of(to_answer_client_request, 20003, {{"code", "0"}})),
            Errc::protocol_error);
  EXPECT_EQ(
      test::error_of(call_of(to_answer_client_request, 20003, {{"number", "-1"}, {"code", "0"}})),
      Errc::protocol_error);
}

}  // namespace
}  // namespace sluice::remoting
