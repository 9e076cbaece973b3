#include "broker/queue/queue_locks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace sluice::broker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr ClientKey kA{.session = {1}, .via = {}};
constexpr ClientKey kB{.session = {2}, .via = {}};

model::QueueName queue(std::int32_t number = 0, std::string topic = "t") {
  return {.broker_name = "b", .topic = std::move(topic), .queue = number};
}

class QueueLocksTest : public testing::Test {
 protected:
  bool lock(std::string_view client, ClientKey key, std::int32_t number = 0) {
    return locks_.lock("g", queue(number), client, key, now_);
  }

  QueueLocks locks_;
  QueueLocks::Instant now_{seconds(1000)};
};

TEST_F(QueueLocksTest, GivesAQueueToOneClientOfAGroup) {
  EXPECT_TRUE(lock("a", kA));
  EXPECT_FALSE(lock("b", kB));
  EXPECT_TRUE(lock("a", kA)) << "its holder asks again";
}

TEST_F(QueueLocksTest, KeepsQueuesTopicsAndGroupsApart) {
  EXPECT_TRUE(lock("a", kA, 0));
  EXPECT_TRUE(lock("b", kB, 1));
  EXPECT_TRUE(locks_.lock("g", queue(0, "u"), "b", kB, now_));
  EXPECT_TRUE(locks_.lock("h", queue(0), "b", kB, now_));
}

TEST_F(QueueLocksTest, IsFreeAfterItsLifeUnlessItsHolderAsksAgain) {
  EXPECT_TRUE(lock("a", kA));
  now_ += limits::kQueueLockLife;
  EXPECT_FALSE(lock("b", kB));
  EXPECT_TRUE(lock("a", kA));
  now_ += limits::kQueueLockLife;
  EXPECT_FALSE(lock("b", kB));
  now_ += milliseconds(1);
  EXPECT_TRUE(lock("b", kB));
  EXPECT_FALSE(lock("a", kA));
}

TEST_F(QueueLocksTest, IsGivenBackOnlyByItsHolder) {
  EXPECT_TRUE(lock("a", kA));
  locks_.unlock("g", queue(), "b");
  EXPECT_FALSE(lock("b", kB));
  locks_.unlock("g", queue(1), "a");
  EXPECT_FALSE(lock("b", kB));
  locks_.unlock("g", queue(), "a");
  EXPECT_TRUE(lock("b", kB));
}

TEST_F(QueueLocksTest, IsFreeAtOnceWhenItsHolderLeavesTheGroup) {
  EXPECT_TRUE(lock("a", kA, 0));
  EXPECT_TRUE(lock("a", kA, 1));
  EXPECT_TRUE(locks_.lock("h", queue(), "a", kA, now_));
  locks_.leave("g", kA);
  EXPECT_TRUE(lock("b", kB, 0));
  EXPECT_TRUE(lock("b", kB, 1));
  EXPECT_FALSE(locks_.lock("h", queue(), "b", kB, now_)) << "another group";
}

// A client whose connection broke may live on, and believes in its lock for so long.
TEST_F(QueueLocksTest, OutlivesItsConnectionAsLongAsItsHolderBelievesInIt) {
  EXPECT_TRUE(lock("a", kA));
  locks_.close(kA);
  locks_.close(kA);
  now_ += limits::kQueueLockBelief;
  EXPECT_FALSE(lock("b", kB));
  now_ += milliseconds(1);
  EXPECT_TRUE(lock("b", kB));
}

TEST_F(QueueLocksTest, IsKeptByAHolderThatConnectsAgain) {
  EXPECT_TRUE(lock("a", kA));
  locks_.close(kA);
  EXPECT_TRUE(lock("a", {.session = {3}, .via = {}}));
  now_ += limits::kQueueLockLife;
  EXPECT_FALSE(lock("b", kB));
}

TEST_F(QueueLocksTest, StaysWithTheNewConnectionWhenTheOldOneEndsLate) {
  EXPECT_TRUE(lock("a", kA));
  EXPECT_TRUE(lock("a", {.session = {3}, .via = {}}));
  locks_.close(kA);
  now_ += limits::kQueueLockLife;
  EXPECT_FALSE(lock("b", kB));
}

TEST_F(QueueLocksTest, FollowsTheSessionsOfAGatewayThatIsGone) {
  EXPECT_TRUE(lock("a", {.session = {11}, .via = {9}}, 0));
  EXPECT_TRUE(lock("c", {.session = {12}, .via = {9}}, 1));
  EXPECT_TRUE(lock("d", {.session = {11}, .via = {8}}, 2));
  locks_.close({.session = {9}, .via = {}});
  now_ += limits::kQueueLockBelief + milliseconds(1);
  EXPECT_TRUE(lock("b", kB, 0));
  EXPECT_TRUE(lock("b", kB, 1));
  EXPECT_FALSE(lock("b", kB, 2)) << "came through another gateway";
}

TEST_F(QueueLocksTest, FollowsOneSessionOfAGateway) {
  EXPECT_TRUE(lock("a", {.session = {11}, .via = {9}}, 0));
  EXPECT_TRUE(lock("c", {.session = {12}, .via = {9}}, 1));
  locks_.close({.session = {11}, .via = {9}});
  now_ += limits::kQueueLockBelief + milliseconds(1);
  EXPECT_TRUE(lock("b", kB, 0));
  EXPECT_FALSE(lock("b", kB, 1));
}

TEST_F(QueueLocksTest, ForgetsWhatIsOver) {
  EXPECT_TRUE(lock("a", kA, 0));
  now_ += seconds(30);
  EXPECT_TRUE(lock("a", kA, 1));
  now_ += seconds(31);
  locks_.expire(now_);
  EXPECT_EQ(locks_.size(), 1U);
  EXPECT_FALSE(lock("b", kB, 1));
}

TEST_F(QueueLocksTest, RefusesWhatIsOverItsBound) {
  QueueLocks two(2);
  EXPECT_TRUE(two.lock("g", queue(0), "a", kA, now_));
  EXPECT_TRUE(two.lock("g", queue(1), "a", kA, now_));
  EXPECT_FALSE(two.lock("g", queue(2), "a", kA, now_));
  EXPECT_TRUE(two.lock("g", queue(1), "a", kA, now_)) << "known already";
  two.unlock("g", queue(0), "a");
  EXPECT_TRUE(two.lock("g", queue(2), "a", kA, now_));
}

}  // namespace
}  // namespace sluice::broker
