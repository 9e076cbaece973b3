#include "protocols/remoting/handlers/locks.hpp"

#include <gtest/gtest.h>

#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

constexpr std::string_view kBody =
    R"({"clientId":"c","consumerGroup":"g","mqSet":[{"brokerName":"b","queueId":3,"topic":"t"}]})";

TEST(Locks, LocksTheQueuesOfABody) {
  const DecodedRequest request(request_code::kLockBatchMq, {}, kBody);
  const auto call = to_lock_queues(request.get());
  ASSERT_TRUE(call);
  const auto& lock = std::get<model::LockQueues>(call->command);
  EXPECT_EQ(lock.client_id, "c");
  EXPECT_EQ(lock.group, "g");
  const std::vector<model::QueueName> expected{{"b", "t", 3}};
  EXPECT_EQ(lock.queues, expected);
}

TEST(Locks, AnswersThoseThatAreLocked) {
  const DecodedRequest request(request_code::kLockBatchMq, {}, kBody);
  const auto call = to_lock_queues(request.get());
  std::string out;
  call->answer(out, {}, model::LocksReply{{{"b", "t", 3}}});
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.body, R"({"lockOKMQSet":[{"brokerName":"b","queueId":3,"topic":"t"}]})");
}

TEST(Locks, UnlocksTheQueuesOfABody) {
  const DecodedRequest request(request_code::kUnlockBatchMq, {}, kBody);
  const auto call = to_unlock_queues(request.get());
  ASSERT_TRUE(call);
  EXPECT_EQ(std::get<model::UnlockQueues>(call->command).queues.size(), 1U);
  std::string out;
  call->answer(out, {}, model::Acknowledged{});
  EXPECT_EQ(read_frame(out).code, response_code::kSuccess);
}

TEST(Locks, RefusesABodyThatIsNone) {
  const DecodedRequest request(request_code::kLockBatchMq, {}, "hello");
  EXPECT_EQ(test::error_of(to_lock_queues(request.get())), Errc::malformed_packet);
}

}  // namespace
}  // namespace sluice::remoting
