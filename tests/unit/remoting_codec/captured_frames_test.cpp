// What official clients and the Java servers put on the wire (tests/golden/remoting).

#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "protocols/remoting/codec/batch_body.hpp"
#include "protocols/remoting/codec/frame.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"
#include "protocols/remoting/codec/header.hpp"
#include "protocols/remoting/codec/pull_header.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/send_header.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/captured_frames.hpp"

namespace sluice::remoting {
namespace {

using test::captured;
using test::captured_frames;
using test::CapturedFrame;

std::map<std::string, std::string, std::less<>> to_map(const Fields& fields) {
  std::map<std::string, std::string, std::less<>> map;
  for (const Field& field : fields) map[std::string(field.key)] = field.value;
  return map;
}

void expect_header(const CapturedFrame& frame, const Result<Header>& header) {
  ASSERT_TRUE(header) << frame.name() << " " << describe(header.error());
  EXPECT_EQ(header->code, frame.header.code) << frame.name();
  EXPECT_EQ(name_of(header->language), frame.header.language) << frame.name();
  EXPECT_EQ(header->version, frame.header.version) << frame.name();
  EXPECT_EQ(header->opaque, frame.header.opaque) << frame.name();
  EXPECT_EQ(header->flag, frame.header.flag) << frame.name();
  EXPECT_EQ(header->remark, frame.header.remark) << frame.name();
  EXPECT_EQ(to_map(header->fields), frame.header.fields) << frame.name();
  const bool is_answer = frame.direction == "response" || frame.direction == "client-response";
  EXPECT_EQ(header->is_response(), is_answer) << frame.name();
}

TEST(CapturedFrames, AreAllThere) {
  EXPECT_EQ(captured_frames().size(), 794U);
}

TEST(CapturedFrames, DecodeToWhatAnotherDecoderRead) {
  HeaderDecoder decoder;
  for (const CapturedFrame& captured : captured_frames()) {
    const auto frame = next_frame(as_bytes(captured.bytes));
    ASSERT_TRUE(frame && *frame) << captured.name();
    EXPECT_EQ((*frame)->size, captured.bytes.size()) << captured.name();
    EXPECT_EQ((*frame)->serialize_type, captured.serialize_type) << captured.name();
    EXPECT_EQ(as_text((*frame)->body), captured.body()) << captured.name();
    expect_header(captured, decoder.decode((*frame)->serialize_type, (*frame)->header));
  }
}

TEST(CapturedFrames, AreFoundWhereverTheStreamIsCut) {
  for (const CapturedFrame& captured : captured_frames()) {
    const std::string stream = captured.bytes + "\x7f the next frame";
    for (std::size_t size = 0; size <= stream.size(); ++size) {
      const auto frame = next_frame(as_bytes(stream).first(size));
      ASSERT_TRUE(frame) << captured.name() << " at " << size;
      ASSERT_EQ(frame->has_value(), size >= captured.bytes.size())
          << captured.name() << " at " << size;
      if (*frame) ASSERT_EQ((*frame)->size, captured.bytes.size());
    }
  }
}

TEST(CapturedFrames, ComeOutOfOneStreamInPiecesOfAnySize) {
  std::string stream;
  for (const CapturedFrame& captured : captured_frames()) stream += captured.bytes;
  std::mt19937 random(7);
  HeaderDecoder decoder;
  std::string buffer;
  std::size_t found = 0;
  for (std::size_t sent = 0; sent < stream.size();) {
    const std::size_t piece = std::min<std::size_t>(1 + random() % 997, stream.size() - sent);
    buffer.append(stream, sent, piece);
    sent += piece;
    while (true) {
      const auto frame = next_frame(as_bytes(buffer));
      ASSERT_TRUE(frame);
      if (!*frame) break;
      expect_header(captured_frames()[found++],
                    decoder.decode((*frame)->serialize_type, (*frame)->header));
      buffer.erase(0, (*frame)->size);
    }
  }
  EXPECT_EQ(found, captured_frames().size());
  EXPECT_TRUE(buffer.empty());
}

std::string rewritten(const CapturedFrame& captured, const Header& header) {
  const FrameHead head{.code = header.code,
                       .opaque = header.opaque,
                       .flag = header.flag,
                       .remark = header.remark,
                       .language = header.language,
                       .version = header.version};
  const std::vector<Field> fields(header.fields.begin(), header.fields.end());
  std::string out;
  EXPECT_TRUE(append_frame(out, captured.serialize_type, head, fields, as_bytes(captured.body())));
  return out;
}

TEST(CapturedFrames, ReadTheSameOnceWrittenAgain) {
  HeaderDecoder decoder;
  for (const CapturedFrame& captured : captured_frames()) {
    const auto header = decoder.decode(captured.serialize_type, as_bytes(captured.header_bytes()));
    ASSERT_TRUE(header) << captured.name();
    const std::string written = rewritten(captured, *header);
    const auto frame = next_frame(as_bytes(written));
    ASSERT_TRUE(frame && *frame) << captured.name();
    EXPECT_EQ(as_text((*frame)->body), captured.body()) << captured.name();
    expect_header(captured, decoder.decode((*frame)->serialize_type, (*frame)->header));
  }
}

/// A Java header without the members that we leave out.
std::string without_optional_members(std::string_view header) {
  std::string text(header);
  for (const std::string_view member :
       {R"("serializeTypeCurrentRPC":"JSON",)", R"("extFields":{},)", R"("remark":"",)"}) {
    const std::size_t at = text.find(member);
    if (at != std::string::npos) text.erase(at, member.size());
  }
  return text;
}

TEST(CapturedFrames, HeadersOfJavaComeOutByteForByte) {
  HeaderDecoder decoder;
  std::size_t compared = 0;
  for (const CapturedFrame& captured : captured_frames()) {
    if (captured.header.language != "JAVA") continue;
    const auto header = decoder.decode(captured.serialize_type, as_bytes(captured.header_bytes()));
    ASSERT_TRUE(header) << captured.name();
    const std::string written = rewritten(captured, *header);
    const bool is_json = captured.serialize_type == SerializeType::json;
    if (captured.header.has_null_values) continue;  // we read none and write none
    const std::string expected = is_json ? without_optional_members(captured.header_bytes())
                                         : std::string(captured.header_bytes());
    const auto frame = next_frame(as_bytes(written));
    EXPECT_EQ(as_text((*frame)->header), expected) << captured.name();
    ++compared;
  }
  EXPECT_GT(compared, 700U);
}

TEST(CapturedFrames, SendsOfEveryClientHaveASendHeader) {
  HeaderDecoder decoder;
  std::size_t sends = 0;
  for (const std::int32_t code : {10, 310, 320, 324, 325}) {
    for (const CapturedFrame* const captured : captured("request", code)) {
      const auto header =
          decoder.decode(captured->serialize_type, as_bytes(captured->header_bytes()));
      ASSERT_TRUE(header) << captured->name();
      const auto send = decode_send_header(header->code, header->fields);
      ASSERT_TRUE(send) << captured->name() << " " << describe(send.error());
      const bool is_short = code == 310 || code == 320 || code == 325;
      EXPECT_EQ(send->topic, header->fields.text(is_short ? "b" : "topic").value());
      EXPECT_EQ(send->queue_id, header->fields.int32(is_short ? "e" : "queueId").value());
      EXPECT_GT(send->born_timestamp, 1'700'000'000'000) << captured->name();
      EXPECT_EQ(send->batch, code == request_code::kSendBatchMessage) << captured->name();
      ++sends;
    }
  }
  EXPECT_GT(sends, 20U);
}

TEST(CapturedFrames, PullsOfEveryClientHaveAPullHeader) {
  HeaderDecoder decoder;
  std::size_t pulls = 0;
  for (const std::int32_t code : {request_code::kPullMessage, request_code::kLitePullMessage}) {
    for (const CapturedFrame* const captured : captured("request", code)) {
      const auto header =
          decoder.decode(captured->serialize_type, as_bytes(captured->header_bytes()));
      ASSERT_TRUE(header) << captured->name();
      const auto pull = decode_pull_header(header->fields);
      ASSERT_TRUE(pull) << captured->name() << " " << describe(pull.error());
      EXPECT_EQ(pull->topic, header->fields.text("topic").value());
      EXPECT_EQ(pull->queue_offset, header->fields.int64("queueOffset").value());
      ++pulls;
    }
  }
  EXPECT_GT(pulls, 10U);
}

TEST(CapturedFrames, BatchesOfEveryClientAreReadAndWrittenAgain) {
  std::map<std::string, std::size_t> messages;
  for (const CapturedFrame* const captured : captured("request", request_code::kSendBatchMessage)) {
    BatchBodyReader reader(as_bytes(captured->body()));
    std::string written;
    while (true) {
      const auto message = reader.next();
      ASSERT_TRUE(message) << captured->name() << " " << describe(message.error());
      if (!*message) break;
      append_batch_message(written, **message);
      ++messages[captured->client];
    }
    EXPECT_EQ(written, captured->body()) << captured->name();
  }
  EXPECT_GT(messages["go-2.1.2"], 30U);
  EXPECT_GT(messages["java-4.9.8"], 30U);
  EXPECT_GT(messages["java-5.5.0"], 3U);
}

}  // namespace
}  // namespace sluice::remoting
