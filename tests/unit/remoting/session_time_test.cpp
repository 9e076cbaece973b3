#include <atomic>
#include <string>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "tests/unit/remoting/session_fixture.hpp"

namespace sluice::remoting {
namespace {

using namespace std::chrono_literals;

/// The machine's clock, which the test can put forward.
class ForwardEnvironment final : public Environment {
 public:
  [[nodiscard]] UnixMillis now() const noexcept override { return system_environment().now(); }
  [[nodiscard]] Instant steady_now() const noexcept override {
    return system_environment().steady_now() + std::chrono::milliseconds(skipped_ms_);
  }
  [[nodiscard]] std::uint64_t random() noexcept override { return system_environment().random(); }

  void skip(std::chrono::milliseconds duration) { skipped_ms_ += duration.count(); }

 private:
  std::atomic<std::int64_t> skipped_ms_{0};
};

struct HasEnvironment {
  ForwardEnvironment environment_;
};

class SessionTimeTest : private HasEnvironment, public SessionTest {
 protected:
  SessionTimeTest() : SessionTest({.environment = &environment_}) {}

  /// Puts the clock forward second by second, as a silent connection would see it, until
  /// `condition` holds.
  bool skip_until(std::chrono::seconds at_most, const std::function<bool()>& condition) {
    for (auto skipped = 0s; skipped < at_most; ++skipped) {
      if (condition()) return true;
      environment_.skip(1s);
      if (test::wait_until(condition, 30ms)) return true;
    }
    return test::wait_until(condition, 5s);
  }

  void skip(std::chrono::milliseconds duration) { environment_.skip(duration); }

  static std::int64_t receive_bytes() {
    return metrics::gauge("sluice_remoting_receive_bytes", "", "").value();
  }
  static std::uint64_t closed_for(std::string_view reason) {
    return metrics::counter("sluice_remoting_closed_total",
                            "reason=\"" + std::string(reason) + "\"", "")
        .value();
  }
};

TEST_F(SessionTimeTest, HoldsNoBufferForAConnectionThatSpeaksSeldom) {
  Client client = connect();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.is_served());
    EXPECT_TRUE(test::wait_until([] { return receive_bytes() == 0; }));
    skip(limits::kSessionIdleBufferAge);
  }
}

TEST_F(SessionTimeTest, HoldsABufferForAConnectionThatSpeaksOftenUntilItIsSilent) {
  Client client = connect();
  ASSERT_TRUE(client.is_served());
  ASSERT_TRUE(client.is_served());
  EXPECT_EQ(receive_bytes(), static_cast<std::int64_t>(limits::kSessionReadBytes));
  EXPECT_TRUE(skip_until(5s, [] { return receive_bytes() == 0; }));
  EXPECT_TRUE(client.is_served());
}

TEST_F(SessionTimeTest, KeepsTheBeginOfAFrameWithoutABufferOfTheUsualSize) {
  Client client = connect();
  ASSERT_TRUE(client.is_served());
  const std::string frame =
      request_frame(request_code::kGetMaxOffset, {{"topic", "t"}, {"queueId", "0"}});
  ASSERT_TRUE(client.send(frame.substr(0, 30)));
  EXPECT_TRUE(skip_until(5s, [] { return receive_bytes() == 30; }));
  ASSERT_TRUE(client.send(frame.substr(30)));
  EXPECT_EQ(client.receive_frame().code, response_code::kSuccess);
}

TEST_F(SessionTimeTest, GivesNoBufferToAPeerThatHasOnlyBegunAFrame) {
  Client client = connect();
  ASSERT_TRUE(client.send("\1"));
  EXPECT_TRUE(test::wait_until([] { return receive_bytes() == 1; }));
}

TEST_F(SessionTimeTest, ClosesAConnectionThatIsSilentForTooLong) {
  const std::uint64_t before = closed_for("silent");
  Client client = connect();
  ASSERT_TRUE(client.is_served());
  EXPECT_TRUE(skip_until(limits::kSessionIdleMax + 10s, [&] { return client.has_news(0ms); }));
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_EQ(closed_for("silent"), before + 1);
}

TEST_F(SessionTimeTest, ClosesAConnectionThatNeverSaidAnything) {
  Client client = connect();
  Client other = connect();
  ASSERT_TRUE(other.is_served());
  EXPECT_TRUE(skip_until(limits::kSessionIdleMax + 10s, [&] { return client.has_news(0ms); }));
  EXPECT_EQ(client.receive_all(), "");
}

TEST_F(SessionTimeTest, KeepsAConnectionThatSpeaksNowAndThen) {
  Client client = connect();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(client.is_served());
    skip(limits::kSessionIdleMax - 20s);
    ASSERT_FALSE(client.has_news(50ms)) << i;
  }
  EXPECT_TRUE(client.is_served());
}

TEST_F(SessionTimeTest, ClosesAConnectionThatDoesNotFinishItsFrame) {
  const std::uint64_t before = closed_for("unfinished_frame");
  Client client = connect();
  ASSERT_TRUE(client.is_served());
  ASSERT_TRUE(client.send(std::string("\0\0\1", 3)));
  EXPECT_TRUE(skip_until(limits::kPartialFrameAgeMax + 5s, [&] { return client.has_news(0ms); }));
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_EQ(closed_for("unfinished_frame"), before + 1);
}

TEST_F(SessionTimeTest, ClosesAConnectionThatFinishesItsFrameByteByByte) {
  Client client = connect();
  const std::string frame =
      request_frame(request_code::kGetMaxOffset, {{"topic", "t"}, {"queueId", "0"}});
  ASSERT_GT(frame.size(), 45U);
  bool is_open = true;
  for (std::size_t i = 0; i < 40 && is_open; ++i) {
    is_open = client.send(frame.substr(i, 1)) && !client.has_news(20ms);
    skip(1s);
  }
  EXPECT_TRUE(test::wait_until([&] { return client.has_news(0ms); }));
  EXPECT_EQ(client.receive_all(), "");
}

TEST_F(SessionTimeTest, GivesEachFrameItsOwnTime) {
  Client client = connect();
  const std::string frame =
      request_frame(request_code::kGetMaxOffset, {{"topic", "t"}, {"queueId", "0"}});
  ASSERT_TRUE(client.send(frame.substr(0, 10)));
  for (int i = 0; i < 4; ++i) {
    ASSERT_FALSE(client.has_news(50ms)) << i;
    skip(limits::kPartialFrameAgeMax - 10s);
    ASSERT_FALSE(client.has_news(50ms)) << i;
    ASSERT_TRUE(client.send(frame.substr(10) + frame.substr(0, 10)));
    ASSERT_EQ(client.receive_frame().code, response_code::kSuccess) << i;
  }
}

TEST_F(SessionTimeTest, DoesNotCloseAConnectionWhoseRequestTakesLong) {
  handler_.hold_sends();
  Client client = connect();
  ASSERT_TRUE(client.send(request_frame(request_code::kSendMessageV2, send_fields(), "b")));
  ASSERT_TRUE(test::wait_until([&] { return handler_.held_sends() == 1; }));
  skip(limits::kSessionIdleMax + 10s);
  ASSERT_FALSE(client.has_news(50ms));
  handler_.release_sends();
  EXPECT_EQ(client.receive_frame().code, response_code::kSuccess);
  EXPECT_TRUE(client.is_served());
}

TEST_F(SessionTimeTest, ClosesAPeerThatDoesNotReadItsAnswers) {
  handler_.append(stored(std::string(1024U * 1024, 'x')));
  Client client(listener_->port(), {.receive_buffer_bytes = 4096});
  std::string frames;
  for (int i = 0; i < 40; ++i) {
    frames += request_frame(request_code::kPullMessage, pull_fields(0), {}, {.opaque = i});
  }
  ASSERT_TRUE(client.send(frames));
  ASSERT_TRUE(test::wait_until([&] { return handler_.commands().size() >= 8; }));
  EXPECT_TRUE(
      skip_until(limits::kSessionIdleMax + 10s, [&] { return !handler_.closed().empty(); }));
}

}  // namespace
}  // namespace sluice::remoting
