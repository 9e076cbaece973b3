// The cases of BrokerApi about queue locks.

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "tests/conformance/broker_api/broker_api_fixture.hpp"
#include "tests/support/printers.hpp"

namespace sluice {
namespace {

std::vector<model::QueueName> queues(std::initializer_list<std::int32_t> numbers,
                                     std::string topic = "orders") {
  std::vector<model::QueueName> names;
  for (const std::int32_t number : numbers) {
    names.push_back({.broker_name = "broker-a", .topic = topic, .queue = number});
  }
  return names;
}

template <class Command>
Command lock_of(std::string client_id, std::vector<model::QueueName> names) {
  Command command;
  command.group = "g";
  command.client_id = std::move(client_id);
  command.queues = std::move(names);
  return command;
}

class QueueLockApiTest : public BrokerApiTest {
 protected:
  QueueLockApiTest() {
    EXPECT_TRUE(send(message("orders", "makes the topic")));
    // The group stays when its only member leaves.
    EXPECT_TRUE(run(api_->register_client(caller(9), consumer("c9", "g", "orders"))));
    model::UnregisterClient goodbye;
    goodbye.client_id = "c9";
    goodbye.consumer_group = "g";
    EXPECT_TRUE(run(api_->unregister_client(caller(9), goodbye)));
  }

  std::vector<model::QueueName> lock(std::uint64_t session, std::string client_id,
                                     std::vector<model::QueueName> names) {
    auto reply = run(api_->lock_queues(
        caller(session), lock_of<model::LockQueues>(std::move(client_id), std::move(names))));
    EXPECT_TRUE(reply);
    if (!reply) return {};
    std::ranges::sort(reply->locked);
    return std::move(reply->locked);
  }
};

TEST_P(QueueLockApiTest, LocksThoseThatNobodyElseHolds) {
  EXPECT_EQ(lock(1, "c1", queues({0, 1})), queues({0, 1}));
  EXPECT_EQ(lock(2, "c2", queues({1, 2})), queues({2}));
  EXPECT_EQ(lock(1, "c1", queues({0, 1, 2})), queues({0, 1}));
}

TEST_P(QueueLockApiTest, LocksNoQueueThatIsNotThere) {
  EXPECT_EQ(lock(1, "c1", queues({0, 77})), queues({0}));
  EXPECT_TRUE(lock(1, "c1", queues({-1})).empty());
  EXPECT_TRUE(lock(1, "c1", queues({0}, "nothing")).empty());
}

TEST_P(QueueLockApiTest, GivesALockBack) {
  EXPECT_EQ(lock(1, "c1", queues({0, 1})), queues({0, 1}));
  auto unlock = lock_of<model::UnlockQueues>("c1", queues({1}));
  ASSERT_TRUE(run(api_->unlock_queues(caller(1), unlock)));
  EXPECT_EQ(lock(2, "c2", queues({0, 1})), queues({1}));
}

TEST_P(QueueLockApiTest, GivesNoLockBackThatAnotherHolds) {
  EXPECT_EQ(lock(1, "c1", queues({0})), queues({0}));
  auto unlock = lock_of<model::UnlockQueues>("c2", queues({0}));
  ASSERT_TRUE(run(api_->unlock_queues(caller(2), unlock)));
  EXPECT_TRUE(lock(2, "c2", queues({0})).empty());
}

TEST_P(QueueLockApiTest, FreesTheLocksOfAClientThatLeavesTheGroup) {
  ASSERT_TRUE(run(api_->register_client(caller(1), consumer("c1", "g", "orders"))));
  EXPECT_EQ(lock(1, "c1", queues({0})), queues({0}));
  model::UnregisterClient goodbye;
  goodbye.client_id = "c1";
  goodbye.consumer_group = "g";
  ASSERT_TRUE(run(api_->unregister_client(caller(1), goodbye)));
  EXPECT_EQ(lock(2, "c2", queues({0})), queues({0}));
}

TEST_P(QueueLockApiTest, FreesTheLocksOfASessionThatIsGoneOnceNobodyBelievesInThem) {
  ASSERT_TRUE(run(api_->register_client(caller(1), consumer("c1", "g", "orders"))));
  EXPECT_EQ(lock(1, "c1", queues({0})), queues({0}));
  EXPECT_EQ(lock(2, "c2", queues({1})), queues({1}));
  api_->session_closed(model::SessionId{1}, model::SessionId{});
  const auto are_gone = [&] {
    const auto members = run(api_->list_members(caller(), {.group = "g"}));
    return test::error_of(members) == Errc::group_has_no_members;
  };
  ASSERT_TRUE(test::wait_until(are_gone));
  EXPECT_TRUE(lock(3, "c3", queues({0})).empty());
  environment_.skip(limits::kQueueLockBelief + std::chrono::milliseconds(1));
  EXPECT_EQ(lock(3, "c3", queues({0, 1})), queues({0}));
}

INSTANTIATE_TEST_SUITE_P(Forms, QueueLockApiTest, both_forms(), form_name);

}  // namespace
}  // namespace sluice
