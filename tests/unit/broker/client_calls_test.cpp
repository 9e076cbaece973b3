#include "broker/membership/client_calls.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <vector>

#include "common/base/limits.hpp"
#include "tests/support/manual_environment.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::broker {
namespace {

constexpr ClientKey kClient{.session = {1}, .via = {}};
constexpr ClientKey kForwarded{.session = {1}, .via = {9}};

class ClientCallsTest : public testing::Test {
 protected:
  using Answer = std::future<Result<model::ClientReply>>;

  ~ClientCallsTest() override { calls_.release(); }

  static Runtime::Options options(Environment& environment) {
    Runtime::Options options;
    options.environment = &environment;
    return options;
  }

  /// Asks, and waits until the question is on its way.
  Answer ask(ClientKey key = kClient) {
    const std::size_t before = posted_;
    auto answer = test::start(runtime_->loop(0), calls_.ask(key, [this](std::uint64_t number) {
      number_ = number;
      ++posted_;
    }));
    EXPECT_TRUE(test::wait_until([&] { return posted_ > before; }));
    return answer;
  }

  void answer(ClientKey key, std::uint64_t number, std::string body) {
    calls_.answer(key, number, model::ClientReply{Slice::copy_of(body)});
  }

  static std::string body_of(Answer answer) {
    const auto reply = test::wait_for_result(std::move(answer));
    return reply ? std::string(reply->body.text()) : describe(reply.error());
  }

  static Errc error_of(Answer answer) {
    const auto reply = test::wait_for_result(std::move(answer));
    return reply ? Errc{} : reply.error().code;
  }

  test::ManualEnvironment environment_;
  test::TestRuntime runtime_{options(environment_)};
  ClientCalls calls_{*runtime_};
  std::atomic<std::uint64_t> number_{0};
  std::atomic<std::size_t> posted_{0};
};

TEST_F(ClientCallsTest, GivesEachAnswerToWhoAsked) {
  auto first = ask();
  const std::uint64_t first_number = number_;
  auto second = ask();
  EXPECT_NE(number_, first_number);
  answer(kClient, number_, "second");
  answer(kClient, first_number, "first");
  EXPECT_EQ(body_of(std::move(first)), "first");
  EXPECT_EQ(body_of(std::move(second)), "second");
}

TEST_F(ClientCallsTest, PassesOnThatTheClientFailed) {
  auto waiting = ask();
  calls_.answer(kClient, number_, fail(Errc::internal, "no such group"));
  EXPECT_EQ(error_of(std::move(waiting)), Errc::internal);
}

TEST_F(ClientCallsTest, TakesTheAnswerOnlyFromWhoWasAsked) {
  auto waiting = ask();
  answer(kForwarded, number_, "somebody else");
  answer({.session = {2}, .via = {}}, number_, "somebody else");
  answer(kClient, number_ + 1, "another question");
  answer(kClient, number_, "mine");
  answer(kClient, number_, "mine again");
  EXPECT_EQ(body_of(std::move(waiting)), "mine");
}

TEST_F(ClientCallsTest, EndsWhenTheClientTakesTooLong) {
  auto waiting = ask();
  environment_.skip(limits::kClientAnswerMax + std::chrono::milliseconds(50));
  EXPECT_EQ(error_of(std::move(waiting)), Errc::deadline_exceeded);
}

TEST_F(ClientCallsTest, EndsWhenTheClientIsGone) {
  auto waiting = ask();
  auto other = ask({.session = {2}, .via = {}});
  const std::uint64_t other_number = number_;
  calls_.close(kClient);
  EXPECT_EQ(error_of(std::move(waiting)), Errc::group_has_no_members);
  answer({.session = {2}, .via = {}}, other_number, "still here");
  EXPECT_EQ(body_of(std::move(other)), "still here");
}

TEST_F(ClientCallsTest, EndsWhenTheGatewayOfTheClientIsGone) {
  auto waiting = ask(kForwarded);
  calls_.close({.session = {9}, .via = {}});
  EXPECT_EQ(error_of(std::move(waiting)), Errc::group_has_no_members);
}

TEST_F(ClientCallsTest, RefusesWhatIsOverTheBoundOfOneClient) {
  std::vector<Answer> waiting;
  for (std::size_t i = 0; i < limits::kClientRequestsPerSessionMax; ++i) waiting.push_back(ask());
  const auto refused = test::run(*runtime_, calls_.ask(kClient, [](std::uint64_t) {}));
  EXPECT_EQ(refused.error().code, Errc::quota_exceeded);
  auto other = ask(kForwarded);
  answer(kForwarded, number_, "another client");
  EXPECT_EQ(body_of(std::move(other)), "another client");
  calls_.release();
  for (Answer& one : waiting) EXPECT_EQ(error_of(std::move(one)), Errc::draining);
}

TEST_F(ClientCallsTest, AsksNobodyOnceItIsReleased) {
  calls_.release();
  std::atomic<bool> is_posted{false};
  const auto refused =
      test::run(*runtime_, calls_.ask(kClient, [&](std::uint64_t) { is_posted = true; }));
  EXPECT_EQ(refused.error().code, Errc::draining);
  EXPECT_FALSE(is_posted);
}

}  // namespace
}  // namespace sluice::broker
