#include "bench/load/response.hpp"

#include <gtest/gtest.h>

#include "bench/load/request.hpp"
#include "bench/load/stored_messages.hpp"

namespace sluice::bench {
namespace {

TEST(HeaderNumber, FindsAMemberThatMovesFromOneHeaderToTheNext) {
  HeaderNumber opaque("opaque");
  EXPECT_EQ(opaque.find(R"({"code":0,"opaque":17})"), 17);
  EXPECT_EQ(opaque.find(R"({"code":0,"opaque":18})"), 18);
  EXPECT_EQ(opaque.find(R"({"code":10,"flag":1,"opaque":-19})"), -19);
  EXPECT_EQ(opaque.find(R"({"opaque":"20"})"), 20);
}

TEST(HeaderNumber, IsNotDeceivedByTheTextOfAValue) {
  HeaderNumber code("code");
  EXPECT_EQ(code.find(R"({"remark":"not \"code\":5 but","code":1})"), 1);
}

TEST(HeaderNumber, FindsNothingWhereThereIsNothing) {
  HeaderNumber code("code");
  EXPECT_EQ(code.find(R"({"opaque":1})"), std::nullopt);
  EXPECT_EQ(code.find(""), std::nullopt);
}

TEST(CompleteFrameSize, WaitsForTheLastByte) {
  const std::string reply = make_reply({}, "body");
  for (std::size_t size = 0; size < reply.size(); ++size) {
    EXPECT_EQ(complete_frame_size(std::string_view(reply).substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(complete_frame_size(reply + "next"), reply.size());
}

TEST(ResponseParser, GivesCodeOpaqueAndBody) {
  const std::string reply = make_reply({}, "body");
  const Response response = ResponseParser().parse(reply);
  EXPECT_EQ(response.code, kSuccess);
  EXPECT_EQ(response.opaque, kOpaqueFirst);
  EXPECT_EQ(response.body, "body");
}

TEST(StoredMessages, GivesOffsetAndBodyOfEveryRecord) {
  const std::string records = make_stored_message(7, "orders", 3, "KEYS\x01k\x02") +
                              make_stored_message(8, "orders", 0, "");
  StoredMessages messages(records);
  const StoredMessage first = messages.next();
  EXPECT_EQ(first.queue_offset, 7U);
  EXPECT_EQ(first.body, "aaa");
  const StoredMessage second = messages.next();
  EXPECT_EQ(second.queue_offset, 8U);
  EXPECT_EQ(second.body, "");
  EXPECT_TRUE(messages.is_at_end());
}

}  // namespace
}  // namespace sluice::bench
