#include "protocols/remoting/client/frame_buffer.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"

namespace sluice::remoting {
namespace {

/// Receives `text`, as much at a time as there is room for.
void receive(FrameBuffer& buffer, std::string_view text, std::size_t frame_bytes = 0) {
  while (!text.empty()) {
    const auto room = buffer.room(frame_bytes);
    ASSERT_FALSE(room.empty());
    const std::size_t size = std::min(room.size(), text.size());
    std::ranges::copy(as_bytes(text.substr(0, size)), room.begin());
    buffer.add(size);
    text.remove_prefix(size);
  }
}

TEST(FrameBuffer, ShowsWhatWasReceivedAndNotConsumed) {
  FrameBuffer buffer;
  EXPECT_TRUE(buffer.unread().empty());
  receive(buffer, "abcdef");
  EXPECT_EQ(as_text(buffer.unread()), "abcdef");
  buffer.consume(2);
  EXPECT_EQ(as_text(buffer.unread()), "cdef");
}

TEST(FrameBuffer, KeepsAFrameTogetherThatComesInPieces) {
  FrameBuffer buffer;
  std::string frame;
  for (std::size_t i = 0; i < 3 * limits::kSessionReadBytes; ++i) {
    frame.push_back(static_cast<char>('a' + i % 26));
  }
  receive(buffer, "x");
  buffer.consume(1);
  receive(buffer, frame, frame.size());
  EXPECT_EQ(as_text(buffer.unread()), frame);
}

TEST(FrameBuffer, LeavesASharedPartAsItIs) {
  FrameBuffer buffer;
  receive(buffer, "body");
  const Slice body = buffer.share(buffer.unread());
  buffer.consume(4);
  const std::string noise(3 * limits::kSessionReadBytes, 'z');
  for (int i = 0; i < 3; ++i) {
    receive(buffer, noise);
    buffer.consume(noise.size());
  }
  EXPECT_EQ(body.text(), "body");
}

TEST(FrameBuffer, UsesItsMemoryAgainIfNobodyShares) {
  FrameBuffer buffer;
  const std::byte* const first = buffer.room(0).data();
  const std::string text(limits::kSessionReadBytes, 'z');
  receive(buffer, text);
  buffer.consume(text.size());
  EXPECT_EQ(buffer.room(0).data(), first);
}

TEST(FrameBuffer, TakesNoMemoryForTheMerePromiseOfALargeFrame) {
  FrameBuffer buffer;
  receive(buffer, "head");
  EXPECT_LE(buffer.room(limits::kRemotingFrameBytesMax).size(), limits::kSessionReadBytes);
}

TEST(FrameBuffer, AlwaysHasRoom) {
  FrameBuffer buffer;
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string piece(1 + static_cast<std::size_t>(i * 37 % 1500), static_cast<char>(i));
    receive(buffer, piece);
    all += piece;
    if (i % 5 == 0) {
      buffer.consume(all.size() / 2);
      all.erase(0, all.size() / 2);
    }
    ASSERT_EQ(as_text(buffer.unread()), all);
  }
}

}  // namespace
}  // namespace sluice::remoting
