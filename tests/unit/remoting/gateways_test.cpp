#include "protocols/remoting/handlers/gateways.hpp"

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

const model::Session kGateway{
    .id = model::SessionId{7}, .via = {}, .peer = {}, .protocol = "remoting"};

class ForwardedSessionsTest : public testing::Test {
 protected:
  Result<std::shared_ptr<const model::Session>> find(std::string_view session,
                                                     std::string_view peer) {
    const Field fields[] = {{kSessionField, session}, {kPeerField, peer}};
    return sessions_.find(Fields(fields), kGateway);
  }

  ForwardedSessions sessions_;
};

TEST_F(ForwardedSessionsTest, MakesASessionThatComesThroughTheGateway) {
  const auto session = find("9", "192.0.2.1:80");
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->id, model::SessionId{9});
  EXPECT_EQ((*session)->via, model::SessionId{7});
  EXPECT_EQ(model::to_string((*session)->peer), "192.0.2.1:80");
}

TEST_F(ForwardedSessionsTest, RemembersASession) {
  EXPECT_EQ(*find("9", "192.0.2.1:80"), *find("9", "192.0.2.1:80"));
}

TEST_F(ForwardedSessionsTest, TellsSessionsApart) {
  EXPECT_NE(*find("9", "192.0.2.1:80"), *find("10", "192.0.2.1:80"));
}

TEST_F(ForwardedSessionsTest, TakesANewPeerOfASession) {
  ASSERT_TRUE(find("9", "192.0.2.1:80"));
  EXPECT_EQ(model::to_string((*find("9", "192.0.2.1:81"))->peer), "192.0.2.1:81");
}

TEST_F(ForwardedSessionsTest, ForgetsASession) {
  const auto before = find("9", "192.0.2.1:80");
  sessions_.forget(model::SessionId{9});
  EXPECT_NE(*find("9", "192.0.2.1:80"), *before);
}

TEST_F(ForwardedSessionsTest, RemembersNoMoreThanTheLimit) {
  const auto first = find("1", "192.0.2.1:80");
  for (std::size_t i = 2; i <= limits::kForwardedSessionsMax + 1; ++i) {
    ASSERT_TRUE(find(std::to_string(i), "192.0.2.1:80"));
  }
  EXPECT_EQ(first->use_count(), 1);  // Nobody else remembers it.
}

TEST_F(ForwardedSessionsTest, NamesANumberThatIsNone) {
  for (const char* session : {"", "0", "-1", "x", "18446744073709551616"}) {
    const auto found = find(session, "192.0.2.1:80");
    ASSERT_EQ(test::error_of(found), Errc::protocol_error) << session;
    EXPECT_NE(found.error().text.find(kSessionField), std::string::npos);
  }
}

TEST_F(ForwardedSessionsTest, NamesAPeerThatIsNone) {
  for (const char* peer : {"", "example:80", "192.0.2.1", "192.0.2.1:99999"}) {
    const auto found = find("9", peer);
    ASSERT_EQ(test::error_of(found), Errc::protocol_error) << peer;
    EXPECT_NE(found.error().text.find(kPeerField), std::string::npos);
  }
}

TEST(ClosedSession, NamesAMissingField) {
  const DecodedRequest request(request_code::kSessionClosed, {});
  const auto session = to_closed_session(request.get());
  ASSERT_EQ(test::error_of(session), Errc::protocol_error);
  EXPECT_NE(session.error().text.find(kClosedSessionField), std::string::npos);
}

TEST(WatchNotices, CarryAQuestionWithTheBytesOfItsMessage) {
  WatchAsk ask{.number = 18446744073709551615U,
               .broker_name = "b",
               .question = 1,
               .client_id = "c",
               .wants_stack = true,
               .topic = "t",
               .topic_flag = -3,
               .message_id = "0A",
               .message = std::string("\0\xFF\"message", 10)};
  WatchNotices notices;
  notices.notices.push_back({.session = 7, .group = "g", .ask = ask});
  notices.notices.push_back({.session = 8, .group = "h"});
  std::string text;
  append_watch_notices(text, notices);
  EXPECT_EQ(decode_watch_notices(as_bytes(text)), notices);
}

TEST(WatchNotices, NameWhatIsWrongWithAQuestion) {
  for (const char* ask : {R"({"number":"x"})", R"({"number":"1","message":"!"})",
                          R"({"number":"1","question":[]})", "7"}) {
    const std::string text =
        R"({"notices":[{"session":"1","group":"g","ask":)" + std::string(ask) + "}]}";
    EXPECT_EQ(test::error_of(decode_watch_notices(as_bytes(text))), Errc::malformed_packet) << ask;
  }
}

TEST(WatchNotices, RefuseASessionThatIsNoNumber) {
  EXPECT_EQ(test::error_of(decode_watch_notices(as_bytes(R"({"notices":[{"group":"g"}]})"))),
            Errc::malformed_packet);
}

}  // namespace
}  // namespace sluice::remoting
