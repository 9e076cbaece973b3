#include "protocols/remoting/codec/frame_writer.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/frame.hpp"
#include "protocols/remoting/codec/response_codes.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/wire.hpp"

namespace sluice::remoting {
namespace {

using sluice::test::error_of;
using test::hex;
using test::json_frame;

TEST(FrameWriter, WritesAJsonAnswer) {
  Header request;
  request.opaque = 52;
  std::string out;
  FrameWriter writer(out, SerializeType::json, answer_to(request, response_code::kSuccess));
  writer.field("msgId", "7F00000100002A9F0000000000000000");
  writer.number("queueId", -1);
  writer.boolean("TRACE_ON", true);
  ASSERT_TRUE(writer.end_frame());
  EXPECT_EQ(out, json_frame(R"({"code":0,"extFields":{"msgId":"7F00000100002A9F0000000000000000",)"
                            R"("queueId":"-1","TRACE_ON":"true"},"flag":1,"language":"JAVA",)"
                            R"("opaque":52,"version":513})"));
}

TEST(FrameWriter, LeavesOutFieldsAndRemarkThatAreNotThere) {
  std::string out;
  ASSERT_TRUE(append_frame(out, SerializeType::json, {.code = 34, .opaque = -1}, {}, {}));
  EXPECT_EQ(out, json_frame(R"({"code":34,"flag":0,"language":"JAVA","opaque":-1,"version":513})"));
}

TEST(FrameWriter, EscapesRemarkAndFields) {
  std::string out;
  const std::vector<Field> fields = {{"k\"", "UNIQ_KEY\x01v\x02"}, {"bad", "\xFF"}};
  ASSERT_TRUE(append_frame(out, SerializeType::json, {.remark = "no \"x\"\n"}, fields, {}));
  EXPECT_EQ(out, json_frame(R"({"code":0,"extFields":{"k\"":"UNIQ_KEY\u0001v\u0002",)"
                            "\"bad\":\"\xEF\xBF\xBD\"},"
                            R"("flag":0,"language":"JAVA","opaque":0,"remark":"no \"x\"\n",)"
                            R"("version":513})"));
}

TEST(FrameWriter, WritesABinaryRequest) {
  std::string out;
  const std::vector<Field> fields = {{"topic", "t"}, {"e", "1"}};
  const FrameHead head{.code = 105, .opaque = 7, .flag = kOnewayFlag, .remark = "r"};
  ASSERT_TRUE(append_frame(out, SerializeType::rocketmq, head, fields, as_bytes("body")));
  EXPECT_EQ(out, hex("00 00 00 32"               // length: 4 + 42 + 4
                     "01 00 00 2a"               // ROCKETMQ, header of 42
                     "00 69  00  02 01"          // code, JAVA, version 513
                     "00 00 00 07  00 00 00 02"  // opaque, flag
                     "00 00 00 01  72"           // remark
                     "00 00 00 14"               // fields of 12 + 8
                     "00 05 74 6f 70 69 63  00 00 00 01 74"
                     "00 01 65  00 00 00 01 31"
                     "62 6f 64 79"));  // body
}

TEST(FrameWriter, GathersFramesAndTakesTheBodyPieceByPiece) {
  for (const auto type : {SerializeType::json, SerializeType::rocketmq}) {
    std::string out = "before";
    for (int i = 0; i < 3; ++i) {
      FrameWriter writer(out, type, {.opaque = i});
      writer.number("i", i);
      writer.end_header();
      out.append("record1");
      out.append("record2");
      ASSERT_TRUE(writer.end_frame());
    }
    BytesView rest = as_bytes(out).subspan(6);
    HeaderDecoder decoder;
    for (int i = 0; i < 3; ++i) {
      const auto frame = next_frame(rest);
      ASSERT_TRUE(frame && *frame);
      const auto header = decoder.decode((*frame)->serialize_type, (*frame)->header);
      ASSERT_TRUE(header);
      EXPECT_EQ(header->opaque, i);
      EXPECT_EQ(header->fields.int32("i").value(), i);
      EXPECT_EQ(as_text((*frame)->body), "record1record2");
      rest = rest.subspan((*frame)->size);
    }
    EXPECT_TRUE(rest.empty());
  }
}

TEST(FrameWriter, CountsABodyThatIsSentApart) {
  std::string out;
  FrameWriter writer(out, SerializeType::json, {});
  ASSERT_TRUE(writer.end_frame(1000));
  const auto needed = frame_bytes_needed(as_bytes(out));
  ASSERT_TRUE(needed && *needed);
  EXPECT_EQ(**needed, out.size() + 1000);
}

TEST(FrameWriter, TakesAFrameOverTheLimitBack) {
  std::string out = "before";
  FrameWriter writer(out, SerializeType::json, {});
  EXPECT_EQ(error_of(writer.end_frame(limits::kRemotingFrameBytesMax)), Errc::payload_too_large);
  EXPECT_EQ(out, "before");
}

TEST(FrameWriter, TakesAHeaderOverTheLimitBack) {
  for (const auto type : {SerializeType::json, SerializeType::rocketmq}) {
    std::string out = "before";
    FrameWriter writer(out, type, {});
    writer.field("msgId", std::string(limits::kRemotingHeaderBytesMax, 'x'));
    EXPECT_EQ(error_of(writer.end_frame()), Errc::payload_too_large);
    EXPECT_EQ(out, "before");
  }
}

TEST(FrameWriterDeathTest, ACodeThatDoesNotFitIntoABinaryHeaderIsOurBug) {
  std::string out;
  EXPECT_DEATH(FrameWriter(out, SerializeType::rocketmq, {.code = 200'050}), "16 bits");
}

TEST(FrameWriterDeathTest, AFieldAfterTheHeaderIsOurBug) {
  std::string out;
  FrameWriter writer(out, SerializeType::json, {});
  writer.end_header();
  EXPECT_DEATH(writer.field("late", "x"), "end_header");
}

}  // namespace
}  // namespace sluice::remoting
