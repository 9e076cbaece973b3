#include "broker/offsets/resets.hpp"

#include <gtest/gtest.h>

namespace sluice::broker {
namespace {

constexpr keys::TopicNumber kTopic{7};
constexpr keys::TopicNumber kOther{8};

TEST(Resets, AreToldOnce) {
  Resets resets;
  EXPECT_FALSE(resets.has(kTopic, 0, "g"));
  ASSERT_TRUE(resets.set(kTopic, 0, "g", 42));
  EXPECT_TRUE(resets.has(kTopic, 0, "g"));
  EXPECT_EQ(resets.take(kTopic, 0, "g"), 42);
  EXPECT_FALSE(resets.has(kTopic, 0, "g"));
  EXPECT_EQ(resets.take(kTopic, 0, "g"), std::nullopt);
}

TEST(Resets, AreOfOneQueueAndOneGroup) {
  Resets resets;
  ASSERT_TRUE(resets.set(kTopic, 0, "g", 42));
  EXPECT_EQ(resets.take(kTopic, 1, "g"), std::nullopt);
  EXPECT_EQ(resets.take(kTopic, 0, "h"), std::nullopt);
  EXPECT_EQ(resets.take(kOther, 0, "g"), std::nullopt);
  EXPECT_EQ(resets.take(kTopic, 0, "g"), 42);
}

TEST(Resets, TakeTheLatestPlace) {
  Resets resets;
  ASSERT_TRUE(resets.set(kTopic, 0, "g", 42));
  ASSERT_TRUE(resets.set(kTopic, 0, "g", 7));
  EXPECT_EQ(resets.take(kTopic, 0, "g"), 7);
}

TEST(Resets, GoWithTheirTopic) {
  Resets resets;
  ASSERT_TRUE(resets.set(kTopic, 0, "g", 1));
  ASSERT_TRUE(resets.set(kTopic, 3, "h", 2));
  ASSERT_TRUE(resets.set(kOther, 0, "g", 3));
  resets.forget(kTopic);
  EXPECT_FALSE(resets.has(kTopic, 0, "g"));
  EXPECT_FALSE(resets.has(kTopic, 3, "h"));
  EXPECT_TRUE(resets.has(kOther, 0, "g"));
}

TEST(Resets, AreRefusedBeyondTheirBound) {
  Resets resets(2);
  ASSERT_TRUE(resets.set(kTopic, 0, "g", 1));
  ASSERT_TRUE(resets.set(kTopic, 1, "g", 1));
  EXPECT_EQ(resets.set(kTopic, 2, "g", 1).error().code, Errc::quota_exceeded);
  EXPECT_TRUE(resets.set(kTopic, 1, "g", 2)) << "known already";
}

}  // namespace
}  // namespace sluice::broker
