#include <gtest/gtest.h>

#include "apps/cli/cluster.hpp"
#include "apps/cli/consume.hpp"
#include "apps/cli/produce.hpp"

namespace sluice::cli {
namespace {

model::Route route() {
  model::Route route;
  route.queues = {{"broker-a", 3, 2, 6, 0}, {"broker-b", 2, 2, 4, 0}, {"broker-c", 1, 1, 6, 0}};
  route.brokers = {{"c", "broker-a", {{0, "a:1"}, {1, "a:2"}}},
                   {"c", "broker-b", {{0, "b:1"}}},
                   {"c", "broker-c", {{1, "c:2"}}}};
  return route;
}

std::vector<std::string> names_of(const std::vector<QueuePlace>& places) {
  std::vector<std::string> names;
  for (const QueuePlace& place : places) {
    names.push_back(place.address + "/" + std::to_string(place.queue));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(QueuesOf, AreThoseOfLeadersThatMayBeWrittenOrRead) {
  EXPECT_EQ(names_of(queues_of(route(), model::permission::kWrite)), (Names{"a:1/0", "a:1/1"}));
  EXPECT_EQ(names_of(queues_of(route(), model::permission::kRead)),
            (Names{"a:1/0", "a:1/1", "a:1/2", "b:1/0", "b:1/1"}));
}

TEST(ChooseQueues, TakesQueueZeroUnlessAnotherIsNamed) {
  ProduceOptions options;
  const auto queues = queues_of(route(), model::permission::kWrite);
  EXPECT_EQ(names_of(choose_queues(options, queues).value()), Names{"a:1/0"});
  options.queue = 1;
  EXPECT_EQ(names_of(choose_queues(options, queues).value()), Names{"a:1/1"});
}

TEST(ChooseQueues, TakesAllToSpread) {
  ProduceOptions options;
  options.is_spread = true;
  const auto queues = queues_of(route(), model::permission::kWrite);
  EXPECT_EQ(names_of(choose_queues(options, queues).value()), (Names{"a:1/0", "a:1/1"}));
}

TEST(ChooseQueues, NamesTheQueuesThereAre) {
  ProduceOptions options;
  options.message.topic = "t";
  options.queue = 7;
  const auto chosen = choose_queues(options, queues_of(route(), model::permission::kWrite));
  ASSERT_FALSE(chosen.has_value());
  EXPECT_EQ(chosen.error().text, "--queue 7: topic 't' has the queues 0 to 1");
  EXPECT_FALSE(choose_queues(options, {}).has_value());
}

TEST(SplitAddresses, TakesCommasAndSemicolons) {
  EXPECT_EQ(split_addresses("a:1,b:2;c:3;"), (Names{"a:1", "b:2", "c:3"}));
  EXPECT_EQ(split_addresses(""), Names{});
}

TEST(ParseStart, KnowsBothEndsAndOffsets) {
  EXPECT_EQ(parse_start("first"), StartAt(Boundary::first));
  EXPECT_EQ(parse_start("last"), StartAt(Boundary::last));
  EXPECT_EQ(parse_start("42"), StartAt(std::int64_t{42}));
  for (const char* text : {"", "-1", "4x", "earliest"}) {
    EXPECT_FALSE(parse_start(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace sluice::cli
