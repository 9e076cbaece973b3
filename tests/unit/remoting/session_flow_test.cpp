#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "protocols/remoting/codec/pull_header.hpp"
#include "tests/unit/remoting/session_fixture.hpp"

namespace sluice::remoting {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMegabyte = 1024U * 1024;

std::string pull_request(std::int32_t flags, std::int32_t opaque, std::string offset = "0") {
  FieldMap fields = pull_fields(0, flags);
  fields["queueOffset"] = std::move(offset);
  return request_frame(request_code::kPullMessage, fields, {}, {.opaque = opaque});
}

std::size_t pulls_served(const test::FakeHandler& handler) {
  return handler.commands().size();
}

TEST_F(SessionTest, StopsServingAPeerThatDoesNotRead) {
  handler_.append(stored(std::string(kMegabyte, 'x')));
  Client client(listener_->port(), {.receive_buffer_bytes = 65536});
  constexpr int kPulls = 60;
  std::string frames;
  for (int i = 0; i < kPulls; ++i) frames += pull_request(0, i);
  ASSERT_TRUE(client.send(frames));
  // It goes on until the bytes that wait are too many; the sockets' own buffers take some, too.
  ASSERT_TRUE(test::wait_until([&] { return pulls_served(handler_) >= 8; }));
  Client other = connect();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(other.is_served());
  const std::size_t while_blocked = pulls_served(handler_);
  EXPECT_LT(while_blocked, kPulls - 20);
  for (int i = 0; i < kPulls; ++i) {
    const Received answer = client.receive_frame();
    ASSERT_EQ(answer.opaque, i);
    ASSERT_EQ(answer.body.size(), stored(std::string(kMegabyte, 'x')).size());
  }
}

TEST_F(SessionTest, TellsWaitingPullsOfAPeerThatDoesNotReadToAskAgain) {
  Client client(listener_->port(), {.receive_buffer_bytes = 65536});
  constexpr int kPulls = 60;
  std::string frames;
  for (int i = 0; i < kPulls; ++i) frames += pull_request(kPullSuspendFlag, i);
  ASSERT_TRUE(client.send(frames));
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_pulls() == kPulls; }));
  handler_.append(stored(std::string(kMegabyte, 'x')));
  int found = 0;
  int again = 0;
  for (int i = 0; i < kPulls; ++i) {
    const Received answer = client.receive_frame();
    if (answer.code == response_code::kSuccess) ++found;
    if (answer.code != response_code::kPullRetryImmediately) continue;
    ++again;
    EXPECT_EQ(answer.field("nextBeginOffset"), "0");
  }
  EXPECT_GE(found, 1);
  EXPECT_GE(again, 1);
  EXPECT_EQ(found + again, kPulls);
}

TEST_F(SessionTest, KeepsTheBytesOfABodyWhileASendWaits) {
  handler_.hold_sends();
  Client client = connect();
  const std::string first = request_frame(request_code::kSendMessageV2, send_fields(), "first");
  const std::string second = request_frame(request_code::kSendMessageV2, send_fields(), "second");
  ASSERT_TRUE(client.send(first + second.substr(0, 20)));
  ASSERT_TRUE(test::wait_until([&] { return handler_.held_sends() == 1; }));
  ASSERT_TRUE(client.send(second.substr(20)));
  handler_.release_sends();
  EXPECT_EQ(client.receive_frame().code, 0);
  EXPECT_EQ(client.receive_frame().code, 0);
  EXPECT_EQ(handler_.bodies(), (std::vector<std::string>{"first", "second"}));
}

TEST_F(SessionTest, DrainAnswersWhatIsUnderWay) {
  handler_.hold_sends();
  Client client = connect();
  ASSERT_TRUE(client.send(request_frame(request_code::kSendMessageV2, send_fields(), "b")));
  ASSERT_TRUE(test::wait_until([&] { return handler_.held_sends() == 1; }));
  auto drained = test::start(runtime_->loop(0), listener_->drain(60s));
  handler_.release_sends();
  EXPECT_EQ(client.receive_frame().code, response_code::kSuccess);
  EXPECT_EQ(client.receive_all(), "");
  client.close();
  EXPECT_TRUE(test::wait_for_result(std::move(drained)));
}

TEST_F(SessionTest, DrainHangsUpOnIdleConnections) {
  Client client = connect();
  ASSERT_TRUE(client.is_served());
  auto drained = test::start(runtime_->loop(0), listener_->drain(60s));
  EXPECT_EQ(client.receive_all(), "");
  client.close();
  EXPECT_TRUE(test::wait_for_result(std::move(drained)));
  EXPECT_EQ(handler_.closed().size(), 1);
}

TEST_F(SessionTest, DrainDoesNotWaitForAPeerThatStaysForLong) {
  Client client = connect();
  ASSERT_TRUE(client.is_served());
  EXPECT_TRUE(drain(60s));  // limits::kSessionLingerMax, and the peer is still there.
}

TEST_F(SessionTest, DrainDoesNotWaitForLongPolls) {
  Client client = connect();
  ASSERT_TRUE(client.send(pull_request(kPullSuspendFlag, 1)));
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting_pulls() == 1; }));
  auto drained = test::start(runtime_->loop(0), listener_->drain(60s));
  EXPECT_EQ(client.receive_all(), "");
  client.close();
  EXPECT_TRUE(test::wait_for_result(std::move(drained)));
}

TEST_F(SessionTest, DrainCutsOffASendThatDoesNotEnd) {
  handler_.hold_sends();
  Client client = connect();
  ASSERT_TRUE(client.send(request_frame(request_code::kSendMessageV2, send_fields(), "b")));
  ASSERT_TRUE(test::wait_until([&] { return handler_.held_sends() == 1; }));
  EXPECT_EQ(test::error_of(drain(50ms)), Errc::deadline_exceeded);
  EXPECT_EQ(client.receive_all(), "");
}

TEST_F(SessionTest, AnswersAPeerThatHasFinishedItsSide) {
  Client client = connect();
  ASSERT_TRUE(client.send(request_frame(request_code::kSendMessageV2, send_fields(), "b")));
  ::shutdown(client.native(), SHUT_WR);
  EXPECT_EQ(client.receive_frame().code, response_code::kSuccess);
  EXPECT_EQ(client.receive_all(), "");
}

}  // namespace
}  // namespace sluice::remoting
