#include "broker/membership/notice_board.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/base/limits.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::broker {
namespace {

constexpr model::SessionId kGateway{9};
constexpr std::size_t kMegabyte = 1024U * 1024;

class NoticeBoardTest : public testing::Test {
 protected:
  ~NoticeBoardTest() override { board_.release(); }

  static Task<std::vector<model::Notice>> take_from(NoticeBoard* board) {
    auto notices = co_await board->take(kGateway, std::chrono::milliseconds(20));
    co_return notices;
  }

  std::vector<model::Notice> take() { return test::run(*runtime_, take_from(&board_)).value(); }

  void post(model::Event event) {
    Membership::Notices notices;
    notices.emplace_back(kGateway, model::Notice{.session = {1}, .event = std::move(event)});
    board_.post(std::move(notices));
  }

  void post_question(std::uint64_t number, std::size_t bytes) {
    model::ClientRequest request;
    request.number = number;
    request.message = Slice::copy_of(std::string(bytes, 'm'));
    post(std::move(request));
  }

  static std::uint64_t number_of(const model::Notice& notice) {
    return std::get<model::ClientRequest>(notice.event).number;
  }

  test::TestRuntime runtime_;
  NoticeBoard board_{*runtime_};
};

TEST_F(NoticeBoardTest, GivesWhatWaitsInItsOrder) {
  post(model::GroupChanged{"g"});
  post_question(1, 10);
  const auto notices = take();
  ASSERT_EQ(notices.size(), 2U);
  EXPECT_EQ(std::get<model::GroupChanged>(notices[0].event).group, "g");
  EXPECT_EQ(number_of(notices[1]), 1U);
  EXPECT_TRUE(take().empty());
}

TEST_F(NoticeBoardTest, GivesMessagesInAnswersOfABoundedSize) {
  for (std::uint64_t i = 0; i < 6; ++i) post_question(i, kMegabyte);
  const auto first = take();
  const auto second = take();
  EXPECT_EQ(first.size(), limits::kNoticeBytesPerWatchMax / kMegabyte);
  EXPECT_EQ(first.size() + second.size(), 6U);
  EXPECT_EQ(number_of(second.front()), first.size());
}

TEST_F(NoticeBoardTest, GivesAMessageThatIsLargerThanTheBoundByItself) {
  post_question(1, limits::kNoticeBytesPerWatchMax + 1);
  post_question(2, 1);
  EXPECT_EQ(take().size(), 1U);
  EXPECT_EQ(take().size(), 1U);
}

TEST_F(NoticeBoardTest, KeepsNoMoreMessagesThanTheBoundForAGatewayThatTakesNone) {
  constexpr std::size_t kFit = limits::kNoticeBytesPerGatewayMax / kMegabyte;
  for (std::uint64_t i = 0; i < kFit + 3; ++i) post_question(i, kMegabyte);
  std::vector<std::uint64_t> numbers;
  for (auto notices = take(); !notices.empty(); notices = take()) {
    for (const model::Notice& notice : notices) numbers.push_back(number_of(notice));
  }
  ASSERT_EQ(numbers.size(), kFit);
  EXPECT_EQ(numbers.front(), 3U) << "the oldest went";
}

}  // namespace
}  // namespace sluice::broker
