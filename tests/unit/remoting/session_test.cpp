#include <string>
#include <vector>

#include "common/base/byte_writer.hpp"
#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "protocols/remoting/codec/batch_body.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "tests/unit/remoting/session_fixture.hpp"

namespace sluice::remoting {
namespace {

using namespace std::chrono_literals;

std::string send_request(std::int32_t opaque, std::string_view body) {
  return request_frame(request_code::kSendMessageV2, send_fields(), body, {.opaque = opaque});
}

std::string bounds_request(std::int32_t opaque = 1) {
  return request_frame(request_code::kGetMaxOffset, {{"topic", "t"}, {"queueId", "0"}}, {},
                       {.opaque = opaque});
}

std::uint64_t closed_for(std::string_view reason) {
  return metrics::counter("sluice_remoting_closed_total", "reason=\"" + std::string(reason) + "\"",
                          "")
      .value();
}

TEST_F(SessionTest, AnswersASend) {
  Client client = connect();
  const Received answer = client.ask(send_request(42, "hello"));
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.opaque, 42);
  EXPECT_EQ(answer.flag, kResponseFlag);
  EXPECT_EQ(answer.field("queueOffset"), "0");
  EXPECT_EQ(handler_.bodies(), std::vector<std::string>{"hello"});
}

TEST_F(SessionTest, AnswersABinaryRequestInTheBinaryForm) {
  Client client = connect();
  const Received answer =
      client.ask(request_frame(request_code::kSendMessageV2, send_fields("t", "K\1v\2"), "hello",
                               {.serialize_type = SerializeType::rocketmq}));
  EXPECT_EQ(answer.serialize_type, SerializeType::rocketmq);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(handler_.properties(), std::vector<std::string>{"K\1v\2"});
}

TEST_F(SessionTest, GathersThePipelinedSendsOfOneReadIntoOneCall) {
  Client client = connect();
  std::string frames;
  for (int i = 0; i < 20; ++i) frames += send_request(i, "body " + std::to_string(i));
  ASSERT_TRUE(client.send(frames));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.receive_frame().opaque, i);
  ASSERT_EQ(handler_.sends().size(), 1);
  EXPECT_EQ(handler_.sends()[0].size(), 20);
  EXPECT_EQ(handler_.bodies()[19], "body 19");
}

TEST_F(SessionTest, AnswersThePipelinedSendsOfOneReadWithOneWrite) {
  Client client = connect();
  std::string frames;
  for (int i = 0; i < 20; ++i) frames += send_request(i, "body");
  handler_.hold_sends();
  ASSERT_TRUE(client.send(frames));
  ASSERT_TRUE(test::wait_until([&] { return handler_.held_sends() == 1; }));
  handler_.release_sends();
  // What one write wrote, one read gets.
  EXPECT_EQ(read_frames(client.receive_some()).size(), 20);
}

TEST_F(SessionTest, GivesPipelinedSendsTheirOwnProperties) {
  Client client = connect();
  std::string frames;
  for (int i = 0; i < 5; ++i) {
    const std::string properties = "KEYS\1key" + std::to_string(i) + "\2";
    frames += request_frame(request_code::kSendMessageV2, send_fields("t", properties), "b",
                            {.opaque = i});
  }
  ASSERT_TRUE(client.send(frames));
  for (int i = 0; i < 5; ++i) ASSERT_EQ(client.receive_frame().opaque, i);
  ASSERT_EQ(handler_.properties().size(), 5);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(handler_.properties()[i], "KEYS\1key" + std::to_string(i) + "\2");
  }
}

TEST_F(SessionTest, SendsWhatWasGatheredBeforeAnotherRequestIsServed) {
  Client client = connect();
  ASSERT_TRUE(client.send(send_request(1, "a") + bounds_request(2) + send_request(3, "b")));
  EXPECT_EQ(client.receive_frame().opaque, 1);
  EXPECT_EQ(client.receive_frame().opaque, 2);
  EXPECT_EQ(client.receive_frame().opaque, 3);
  EXPECT_EQ(handler_.sends().size(), 2);
}

TEST_F(SessionTest, ReadsFramesThatComeByteByByte) {
  Client client = connect();
  const std::string frames = send_request(1, "hello") + bounds_request(2);
  for (const char byte : frames) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_EQ(client.receive_frame().opaque, 1);
  EXPECT_EQ(client.receive_frame().opaque, 2);
  EXPECT_EQ(handler_.bodies(), std::vector<std::string>{"hello"});
}

TEST_F(SessionTest, ReadsALargeFrame) {
  Client client = connect();
  std::string body(3U * 1024 * 1024, 'x');
  for (std::size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>('a' + i % 26);
  EXPECT_EQ(client.ask(send_request(1, body)).code, response_code::kSuccess);
  ASSERT_EQ(handler_.bodies().size(), 1);
  EXPECT_EQ(handler_.bodies()[0], body);
}

TEST_F(SessionTest, ReadsTheLargestFrame) {
  Client client = connect();
  const std::size_t overhead = send_request(1, {}).size();
  const std::string body(limits::kRemotingFrameBytesMax - overhead, 'x');
  EXPECT_EQ(client.ask(send_request(1, body)).code, response_code::kSuccess);
  EXPECT_EQ(handler_.bodies()[0].size(), body.size());
  EXPECT_TRUE(client.is_served());
}

TEST_F(SessionTest, AnswersAnUnknownCodeWith3AndItsNumber) {
  Client client = connect();
  const Received answer = client.ask(request_frame(7777, {}, "body"));
  EXPECT_EQ(answer.code, response_code::kRequestCodeNotSupported);
  EXPECT_EQ(answer.remark, " request type 7777 not supported");
  EXPECT_TRUE(client.is_served());
}

TEST_F(SessionTest, NeverAnswersAOnewayRequest) {
  Client client = connect();
  const RequestOptions oneway{.opaque = 5, .flag = kOnewayFlag};
  std::string frames;
  frames += request_frame(request_code::kSendMessageV2, send_fields(), "b", oneway);
  frames += request_frame(request_code::kSendMessageV2, {}, "a field is missing", oneway);
  frames += request_frame(request_code::kUpdateConsumerOffset, {}, {}, oneway);
  frames += request_frame(request_code::kConsumerSendMsgBack, {}, {}, oneway);
  frames += request_frame(request_code::kWatch, {}, {}, oneway);
  frames += request_frame(7777, {}, {}, oneway);
  EXPECT_EQ(client.ask(frames + bounds_request(6)).opaque, 6);
  EXPECT_EQ(handler_.bodies().size(), 1);
}

TEST_F(SessionTest, IgnoresAnswers) {
  Client client = connect();
  // One whose code is that of a send, too.
  for (const std::int32_t code : {response_code::kSuccess, response_code::kFlushDiskTimeout}) {
    const std::string answer = request_frame(code, {}, {}, {.opaque = 9, .flag = kResponseFlag});
    EXPECT_EQ(client.ask(answer + bounds_request(2)).opaque, 2);
  }
  EXPECT_TRUE(handler_.sends().empty());
}

TEST_F(SessionTest, NamesAFieldThatIsMissing) {
  Client client = connect();
  FieldMap fields = send_fields();
  fields.erase("e");
  const Received answer = client.ask(request_frame(request_code::kSendMessageV2, fields, "b"));
  EXPECT_EQ(answer.code, response_code::kSystemError);
  EXPECT_NE(answer.remark.find("queueId"), std::string::npos) << answer.remark;
  EXPECT_TRUE(client.is_served());
}

TEST_F(SessionTest, NamesAFieldThatIsNoNumber) {
  Client client = connect();
  const Received answer = client.ask(
      request_frame(request_code::kGetMaxOffset, {{"topic", "t"}, {"queueId", "three"}}));
  EXPECT_EQ(answer.code, response_code::kSystemError);
  EXPECT_NE(answer.remark.find("queueId"), std::string::npos) << answer.remark;
  EXPECT_TRUE(client.is_served());
}

TEST_F(SessionTest, SaysTheErrorOfACommandByTheErrorTable) {
  handler_.answer_with([](const model::Command&) -> Result<model::Reply> {
    return fail(Errc::topic_not_found, "no topic \"t\"");
  });
  Client client = connect();
  const Received answer = client.ask(bounds_request());
  EXPECT_EQ(answer.code, response_code::kTopicNotExist);
  EXPECT_EQ(answer.remark, "no topic \"t\"");
}

TEST_F(SessionTest, SaysTheErrorOfASendWithTheRegionAndTraceFields) {
  handler_.fail_sends_with(Errc::storage_full);
  Client client = connect();
  const Received answer = client.ask(send_request(1, "b"));
  EXPECT_EQ(answer.code, response_code::kServiceNotAvailable);
  EXPECT_EQ(answer.field("MSG_REGION"), "DefaultRegion");
  EXPECT_EQ(answer.field("TRACE_ON"), "true");
}

struct BadFrame {
  const char* name;
  std::string bytes;
  const char* reason;
};

std::string raw_frame(std::string_view header, std::uint8_t type) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.write(static_cast<std::uint32_t>(4 + header.size()));
  writer.write(static_cast<std::uint32_t>(type) << 24 | static_cast<std::uint32_t>(header.size()));
  writer.write_text(header);
  return bytes;
}

class BadFrameTest : public SessionTest, public testing::WithParamInterface<BadFrame> {};

TEST_P(BadFrameTest, ClosesThatConnectionAndNoOther) {
  Client other = connect();
  ASSERT_TRUE(other.is_served());
  const std::uint64_t closed_before = closed_for(GetParam().reason);
  Client bad = connect();
  ASSERT_TRUE(bad.send(GetParam().bytes));
  EXPECT_EQ(bad.receive_all(), "");
  EXPECT_EQ(closed_for(GetParam().reason), closed_before + 1);
  EXPECT_TRUE(other.is_served());
}

TEST_P(BadFrameTest, IsClosedOnlyAfterWhatCameBeforeWasAnswered) {
  Client client = connect();
  ASSERT_TRUE(client.send(send_request(1, "good") + GetParam().bytes));
  EXPECT_EQ(client.receive_frame().opaque, 1);
  EXPECT_EQ(client.receive_some(), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFrameTest,
    testing::Values(
        BadFrame{"LengthZero", std::string("\0\0\0\0", 4), "malformed_frame"},
        BadFrame{"LengthThree", std::string("\0\0\0\3abc", 7), "malformed_frame"},
        BadFrame{"LengthNegative", std::string("\xff\xff\xff\xff", 4), "malformed_frame"},
        BadFrame{"LengthOverTheLimit", std::string("\x01\0\0\0", 4), "malformed_frame"},
        BadFrame{"Http", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "malformed_frame"},
        BadFrame{"TlsHello", std::string("\x16\x03\x01\x02\0\x01\0\x01", 8), "malformed_frame"},
        BadFrame{"HeaderLongerThanTheFrame", std::string("\0\0\0\5\0\0\1\0x", 9),
                 "malformed_frame"},
        BadFrame{"UnknownSerialization", raw_frame("{}", 7), "malformed_frame"},
        BadFrame{"HeaderThatIsNoJson", raw_frame("hello", 0), "malformed_header"},
        BadFrame{"HeaderThatIsNoObject", raw_frame("[1,2]", 0), "malformed_header"},
        BadFrame{"HeaderThatIsEmpty", raw_frame("", 0), "malformed_header"},
        BadFrame{"OpaqueThatIsNoNumber", raw_frame(R"({"code":10,"opaque":"x"})", 0),
                 "malformed_header"},
        BadFrame{"BinaryHeaderThatEnds", raw_frame("\x01\x02", 1), "malformed_header"},
        BadFrame{
            "BinaryHeaderWithALyingLength",
            raw_frame(std::string("\0\x0a\0\0\0\0\0\0\0\0\0\0\0\x7f\xff\xff\xff\0\0\0\0", 21), 1),
            "malformed_header"}),
    [](const auto& test) { return test.param.name; });

TEST_F(SessionTest, SaysThatTheSessionIsGone) {
  {
    Client client = connect();
    ASSERT_TRUE(client.is_served());
  }
  ASSERT_TRUE(test::wait_until([&] { return !handler_.closed().empty(); }));
  EXPECT_EQ(handler_.closed()[0].first, handler_.contexts()[0].session->id);
  EXPECT_EQ(handler_.closed()[0].second, model::SessionId{0});
}

TEST_F(SessionTest, TellsTheHandlerWhoAsks) {
  Client client = connect();
  ASSERT_TRUE(client.is_served());
  const model::Session session = *handler_.contexts()[0].session;
  EXPECT_EQ(model::to_string(session.peer), "127.0.0.1:" + std::to_string(client.local_port()));
  EXPECT_EQ(session.via, model::SessionId{0});
  EXPECT_EQ(session.protocol, "remoting");
}

TEST_F(SessionTest, TakesThePeerAsTheHostAMessageWasBornOn) {
  Client client = connect();
  ASSERT_EQ(client.ask(send_request(1, "b")).code, response_code::kSuccess);
  EXPECT_EQ(handler_.sends()[0][0].born_host, handler_.contexts()[0].session->peer);
}

// What a gateway says for its own client.
FieldMap forwarded(FieldMap fields, std::string session, std::string peer) {
  fields.emplace(kSessionField, std::move(session));
  fields.emplace(kPeerField, std::move(peer));
  return fields;
}

TEST_F(SessionTest, TakesAForwardedRequestAsTheGatewaysClients) {
  Client gateway = connect();
  ASSERT_TRUE(gateway.is_served());
  const model::SessionId own = handler_.contexts()[0].session->id;
  const FieldMap fields = forwarded(send_fields(), "9000000000000000001", "192.0.2.7:55");
  ASSERT_EQ(gateway.ask(request_frame(request_code::kSendMessageV2, fields, "b")).code, 0);
  const model::Session session = *handler_.contexts().back().session;
  EXPECT_EQ(session.id, model::SessionId{9'000'000'000'000'000'001});
  EXPECT_EQ(session.via, own);
  EXPECT_EQ(model::to_string(session.peer), "192.0.2.7:55");
  EXPECT_EQ(model::to_string(handler_.sends()[0][0].born_host), "192.0.2.7:55");
}

TEST_F(SessionTest, DoesNotMixTheSendsOfSeveralForwardedSessions) {
  Client gateway = connect();
  std::string frames;
  for (const char* session : {"11", "11", "12"}) {
    frames += request_frame(request_code::kSendMessageV2,
                            forwarded(send_fields(), session, "192.0.2.7:55"), "b");
  }
  ASSERT_TRUE(gateway.send(frames));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(gateway.receive_frame().code, 0);
  const auto contexts = handler_.contexts();
  ASSERT_EQ(contexts.size(), 2);
  EXPECT_EQ(contexts[0].session->id, model::SessionId{11});
  EXPECT_EQ(contexts[1].session->id, model::SessionId{12});
  EXPECT_EQ(handler_.sends()[0].size(), 2);
}

TEST_F(SessionTest, NamesAForwardedSessionThatIsNoNumber) {
  Client gateway = connect();
  const FieldMap fields = forwarded(send_fields(), "-1", "192.0.2.7:55");
  const Received answer = gateway.ask(request_frame(request_code::kSendMessageV2, fields, "b"));
  EXPECT_EQ(answer.code, response_code::kSystemError);
  EXPECT_NE(answer.remark.find(kSessionField), std::string::npos) << answer.remark;
  EXPECT_TRUE(gateway.is_served());
}

TEST_F(SessionTest, ClosesASessionThatTheGatewayNames) {
  Client gateway = connect();
  const Received answer =
      gateway.ask(request_frame(request_code::kSessionClosed, {{"session", "77"}}));
  EXPECT_EQ(answer.code, response_code::kSuccess);
  ASSERT_EQ(handler_.closed().size(), 1);
  EXPECT_EQ(handler_.closed()[0].first, model::SessionId{77});
  EXPECT_NE(handler_.closed()[0].second, model::SessionId{0});
}

TEST_F(SessionTest, StoresABatch) {
  std::string body;
  append_batch_message(body, {.flag = 1, .body = as_bytes("one"), .properties = "K\1a\2"});
  append_batch_message(body, {.flag = 2, .body = as_bytes("two"), .properties = "K\1b\2"});
  Client client = connect();
  const Received answer =
      client.ask(request_frame(request_code::kSendBatchMessage, send_fields(), body));
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(handler_.bodies(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(handler_.properties(), (std::vector<std::string>{"K\1a\2", "K\1b\2"}));
  EXPECT_NE(answer.field("msgId").find(','), std::string::npos);
}

}  // namespace
}  // namespace sluice::remoting
