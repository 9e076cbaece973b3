#include "protocols/remoting/codec/frame.hpp"

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/wire.hpp"

namespace sluice::remoting {
namespace {

using sluice::test::error_of;
using test::hex;

// total length 9 = 4 + header 3 + body 2
const std::string kFrame =
    hex("00 00 00 09"  // length of the rest
        "00 00 00 03"  // JSON, header of 3 bytes
        "7b 20 7d"     // header: { }
        "68 69");      // body: hi

TEST(Frame, GivesHeaderBodyAndSize) {
  const std::string stream = kFrame + "next";
  const auto frame = next_frame(as_bytes(stream));
  ASSERT_TRUE(frame && frame->has_value());
  EXPECT_EQ((*frame)->serialize_type, SerializeType::json);
  EXPECT_EQ(as_text((*frame)->header), "{ }");
  EXPECT_EQ(as_text((*frame)->body), "hi");
  EXPECT_EQ((*frame)->size, kFrame.size());
}

TEST(Frame, TopByteOfTheHeaderWordIsTheSerialization) {
  const std::string wire = hex("00 00 00 04  01 00 00 00");
  const auto frame = next_frame(as_bytes(wire));
  ASSERT_TRUE(frame && frame->has_value());
  EXPECT_EQ((*frame)->serialize_type, SerializeType::rocketmq);
  EXPECT_TRUE((*frame)->header.empty());
  EXPECT_TRUE((*frame)->body.empty());
}

TEST(Frame, IsIncompleteForEveryProperPrefix) {
  for (std::size_t size = 0; size < kFrame.size(); ++size) {
    const auto frame = next_frame(as_bytes(kFrame).first(size));
    ASSERT_TRUE(frame) << size;
    EXPECT_FALSE(frame->has_value()) << size;
  }
}

TEST(Frame, SaysHowManyBytesItNeedsOnceTheLengthIsThere) {
  for (std::size_t size = 0; size <= kFrame.size(); ++size) {
    const auto needed = frame_bytes_needed(as_bytes(kFrame).first(size));
    ASSERT_TRUE(needed) << size;
    EXPECT_EQ(needed->has_value(), size >= 4) << size;
    if (*needed) EXPECT_EQ(**needed, kFrame.size());
  }
}

struct BadFrame {
  const char* what;
  std::string wire;
  std::size_t seen_after;  // bytes that show it
};

class BadFrames : public testing::TestWithParam<BadFrame> {};

TEST_P(BadFrames, AreRefusedFromTheFirstBytesThatShowIt) {
  const BadFrame& bad = GetParam();
  for (std::size_t size = 0; size <= bad.wire.size(); ++size) {
    const BytesView input = as_bytes(bad.wire).first(size);
    const auto frame = next_frame(input);
    EXPECT_EQ(frame.has_value(), size < bad.seen_after) << bad.what << " at " << size;
    EXPECT_EQ(frame_bytes_needed(input).has_value(), frame.has_value()) << bad.what;
    if (frame) continue;
    EXPECT_EQ(frame.error().code, Errc::malformed_packet) << bad.what;
    EXPECT_FALSE(frame.error().text.empty()) << bad.what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Frame, BadFrames,
    testing::Values(BadFrame{"length 0", hex("00 00 00 00  00 00 00 00"), 4},
                    BadFrame{"length 3", hex("00 00 00 03  00 00 00"), 4},
                    BadFrame{"negative length", hex("ff ff ff ff  00 00 00 00"), 4},
                    BadFrame{"smallest length", hex("80 00 00 00  00 00 00 00"), 4},
                    BadFrame{"one over the limit", hex("00 ff ff fd  00 00 00 00"), 4},
                    BadFrame{"largest length", hex("7f ff ff ff  00 00 00 00"), 4},
                    BadFrame{"an HTTP request", "GET / HTTP/1.1\r\n\r\n", 4},
                    BadFrame{"a TLS hello", hex("16 03 01 02 00 01 00 01"), 4},
                    BadFrame{"serialization 2", hex("00 00 00 04  02 00 00 00"), 8},
                    BadFrame{"serialization 255", hex("00 00 00 04  ff 00 00 00"), 8},
                    BadFrame{"header longer than the frame", hex("00 00 00 05  00 00 00 02  7b"),
                             8},
                    BadFrame{"header over its limit", hex("00 20 00 00  00 10 00 01"), 8}));

TEST(Frame, OfAnHttpServerIsRecognised) {
  const auto frame = next_frame(as_bytes("HTTP/1.1 400 Bad Request\r\n"));
  ASSERT_FALSE(frame.has_value());
  EXPECT_EQ(frame.error().text, "this port speaks HTTP, not remoting");
}

TEST(Frame, OfTheLargestSizeIsAllowed) {
  const auto needed = frame_bytes_needed(as_bytes(hex("00 ff ff fc  00 00 00 00")));
  ASSERT_TRUE(needed && *needed);
  EXPECT_EQ(**needed, limits::kRemotingFrameBytesMax);
}

}  // namespace
}  // namespace sluice::remoting
