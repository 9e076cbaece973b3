#include "protocols/remoting/session/receive_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "tests/support/printers.hpp"

namespace sluice::remoting {
namespace {

constexpr std::size_t kUsual = limits::kSessionReadBytes;

class ReceiveBufferTest : public testing::Test {
 protected:
  /// Receives all of `text`, in as many parts as there is room for.
  void receive(std::string_view text, std::size_t frame_bytes = 0) {
    while (!text.empty()) {
      const auto room = buffer_.room(frame_bytes);
      ASSERT_TRUE(room);
      const std::size_t size = std::min(room->size(), text.size());
      ASSERT_GT(size, 0U);
      std::ranges::copy(as_bytes(text.substr(0, size)), room->begin());
      buffer_.add(size);
      text.remove_prefix(size);
    }
  }

  [[nodiscard]] std::string unread() const { return std::string(as_text(buffer_.unread())); }

  BufferPool pool_;
  ReceiveBuffer buffer_{pool_};
};

TEST_F(ReceiveBufferTest, HoldsNothingAtFirst) {
  EXPECT_EQ(buffer_.capacity(), 0U);
  EXPECT_TRUE(buffer_.empty());
}

TEST_F(ReceiveBufferTest, ShowsWhatWasReceived) {
  receive("hello");
  EXPECT_EQ(unread(), "hello");
  EXPECT_EQ(buffer_.capacity(), kUsual);
}

TEST_F(ReceiveBufferTest, DropsWhatWasConsumed) {
  receive("hello");
  buffer_.consume(3);
  EXPECT_EQ(unread(), "lo");
}

TEST_F(ReceiveBufferTest, KeepsTheRestInTheSameMemoryIfNobodyElseLooksAtIt) {
  receive("hello");
  const std::byte* const before = buffer_.unread().data();
  buffer_.consume(3);
  receive("w");
  EXPECT_EQ(unread(), "low");
  EXPECT_EQ(buffer_.unread().data(), before);
}

TEST_F(ReceiveBufferTest, NeverOverwritesWhatSomebodyHolds) {
  receive("hello world");
  const Slice held(buffer_.unread().first(5), buffer_.owner());
  buffer_.consume(6);
  receive("!");
  EXPECT_EQ(unread(), "world!");
  EXPECT_EQ(held.text(), "hello");
}

TEST_F(ReceiveBufferTest, GrowsOnlyAsTheBytesOfALargeFrameArrive) {
  constexpr std::size_t kPromised = limits::kRemotingFrameBytesMax;
  receive("begin", kPromised);
  EXPECT_EQ(buffer_.capacity(), kUsual);
  receive(std::string(kUsual, 'x'), kPromised);
  EXPECT_EQ(buffer_.capacity(), 2 * kUsual);
  receive(std::string(kUsual, 'x'), kPromised);
  EXPECT_EQ(buffer_.capacity(), 4 * kUsual);
}

TEST_F(ReceiveBufferTest, GrowsNoFurtherThanTheFrame) {
  receive(std::string(kUsual, 'x'), kUsual + 10);
  receive("y", kUsual + 10);
  EXPECT_EQ(buffer_.capacity(), kUsual + 10);
}

TEST_F(ReceiveBufferTest, KeepsALargeFrameWholeAsItGrows) {
  std::string text(5 * kUsual + 17, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  receive(text, text.size());
  EXPECT_EQ(unread(), text);
}

TEST_F(ReceiveBufferTest, IsOfTheUsualSizeAgainAfterALargeFrame) {
  receive(std::string(3 * kUsual, 'x'), 3 * kUsual);
  buffer_.consume(3 * kUsual);
  receive("y");
  EXPECT_EQ(unread(), "y");
  EXPECT_EQ(buffer_.capacity(), kUsual);
}

TEST_F(ReceiveBufferTest, ParksWithNoMoreThanWhatIsUnread) {
  receive("hello world");
  buffer_.consume(6);
  buffer_.park();
  EXPECT_EQ(unread(), "world");
  EXPECT_EQ(buffer_.capacity(), 5U);
  receive("!");
  EXPECT_EQ(unread(), "world!");
}

TEST_F(ReceiveBufferTest, ParksWithoutMemoryIfAllIsConsumed) {
  receive("hello");
  buffer_.consume(5);
  buffer_.park();
  EXPECT_EQ(buffer_.capacity(), 0U);
}

TEST_F(ReceiveBufferTest, TakesTheBufferThatAnotherGaveBack) {
  receive("hello");
  const std::byte* const memory = buffer_.unread().data();
  buffer_.release();
  ReceiveBuffer other(pool_);
  EXPECT_EQ(other.room(0)->data(), memory);
}

TEST_F(ReceiveBufferTest, DoesNotGiveBackWhatSomebodyHolds) {
  receive("hello");
  const Slice held(buffer_.unread(), buffer_.owner());
  buffer_.release();
  ReceiveBuffer other(pool_);
  EXPECT_NE(other.room(0)->data(), held.data());
}

TEST_F(ReceiveBufferTest, RefusesToGrowWhenAllLargeFramesTakeTooMuch) {
  auto& gauge = metrics::gauge("sluice_remoting_large_frame_bytes", "", "");
  const std::int64_t others = limits::kLargeFrameBytesMax - gauge.value();
  gauge.add(others);
  receive(std::string(kUsual, 'x'));
  EXPECT_EQ(test::error_of(buffer_.room(limits::kRemotingFrameBytesMax)), Errc::quota_exceeded);
  gauge.add(-others);
  EXPECT_TRUE(buffer_.room(limits::kRemotingFrameBytesMax));
}

TEST_F(ReceiveBufferTest, CountsWhatLargeFramesTake) {
  auto& gauge = metrics::gauge("sluice_remoting_large_frame_bytes", "", "");
  const std::int64_t before = gauge.value();
  receive(std::string(3 * kUsual, 'x'), 3 * kUsual);
  EXPECT_EQ(gauge.value() - before, static_cast<std::int64_t>(2 * kUsual));
  buffer_.release();
  EXPECT_EQ(gauge.value(), before);
}

}  // namespace
}  // namespace sluice::remoting
