#include <gmock/gmock.h>

#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

using testing::ElementsAre;
using testing::IsEmpty;

namespace {

constexpr UnixMillis kStart{1'700'000'000'000};

}  // namespace

TEST_P(EngineContract, OffsetAtGivesTheFirstRecordStoredThenOrLater) {
  store.clock().set(kStart);
  append({kLog}, "0");
  append({kLog}, "1");
  store.clock().advance(10);
  append({kLog}, "2");
  EXPECT_EQ(store.offset_at(kLog, UnixMillis{0}), Offset{0});
  EXPECT_EQ(store.offset_at(kLog, UnixMillis{INT64_MIN}), Offset{0});
  EXPECT_EQ(store.offset_at(kLog, kStart), Offset{0});
  EXPECT_EQ(store.offset_at(kLog, kStart + 1), Offset{2});
  EXPECT_EQ(store.offset_at(kLog, kStart + 10), Offset{2});
  EXPECT_EQ(store.offset_at(kLog, kStart + 11), Offset{3});
  EXPECT_EQ(store.offset_at(kLog, UnixMillis{INT64_MAX}), Offset{3});
  EXPECT_EQ(store.offset_at(kOther, kStart), Offset{0});
}

TEST_P(EngineContract, OffsetAtPassesOverHolesAndTruncatedRecords) {
  store.clock().set(kStart);
  append({kThird, kOther}, "0");
  append({kLog, kOther}, "1");
  store.clock().advance(10);
  append({kLog, kOther}, "2");
  store.clock().advance(10);
  append({kThird, kOther}, "3");
  commit(dropping(kLog));
  EXPECT_EQ(store.offset_at(kOther, kStart + 1), Offset{3});
  EXPECT_EQ(store.offset_at(kOther, kStart + 10), Offset{3});
  commit(truncating(kOther, Offset{1}));
  EXPECT_EQ(store.offset_at(kOther, kStart), Offset{3});
}

TEST_P(EngineContract, OffsetAtOfALogWithoutRecordsIsItsNext) {
  append({kLog}, "0");
  commit(truncating(kLog, Offset{1}));
  EXPECT_EQ(store.offset_at(kLog, UnixMillis{0}), Offset{1});
}

TEST_P(EngineContract, PositionAtGivesTheFirstRecordOfAnyLogStoredThenOrLater) {
  EXPECT_EQ(store.position_at(UnixMillis{0}), std::nullopt);
  store.clock().set(kStart);
  const Appended first = append({kLog}, "0");
  append({kLog}, "1");
  store.clock().advance(10);
  const Appended third = append({kOther}, "2");
  append({kLog}, "3");
  EXPECT_EQ(store.position_at(UnixMillis{0}), first.position);
  EXPECT_EQ(store.position_at(kStart), first.position);
  EXPECT_EQ(store.position_at(kStart + 1), third.position);
  EXPECT_EQ(store.position_at(kStart + 11), std::nullopt);
  commit(dropping(kOther));
  EXPECT_EQ(must(store.read_at(*store.position_at(kStart + 1))).payload.text(), "3");
}

TEST_P(EngineContract, RetentionByAgeIsDropBeforePositionAt) {
  store.clock().set(kStart);
  append({kLog}, "old");
  append({kOther}, "old");
  store.clock().advance(1000);
  append({kLog}, "new");
  commit(dropping_before(*store.position_at(kStart + 500)));
  EXPECT_THAT(payloads(kLog), ElementsAre("new"));
  EXPECT_THAT(payloads(kOther), IsEmpty());
}

TEST_P(EngineContract, RetentionByAgeOfAllRecordsEndsAtTheNewest) {
  EXPECT_EQ(store.usage().newest, std::nullopt);
  append({kLog}, "old");
  const Appended last = append({kOther, kThird}, "old");
  const auto newest = store.usage().newest;
  EXPECT_EQ(newest, last.position);
  append({kLog}, "came in between");
  EXPECT_GT(store.usage().newest, newest);
  commit(dropping_before(*newest + 1));
  EXPECT_THAT(payloads(kLog), ElementsAre("came in between"));
  EXPECT_THAT(payloads(kOther), IsEmpty());
}

TEST_P(EngineContract, FindGivesTheNewestFirst) {
  const Appended a = append({kLog}, "0", 0, {"key"});
  append({kLog}, "1", 0, {"other"});
  const Appended c = append({kOther}, "2", 0, {"x", "key"});
  EXPECT_THAT(store.find("key"), ElementsAre(c.position, a.position));
  EXPECT_THAT(store.find("x"), ElementsAre(c.position));
  EXPECT_THAT(store.find("absent"), IsEmpty());
}

TEST_P(EngineContract, FindComparesTheWholeKey) {
  append({kLog}, "0", 0, {"key"});
  append({kLog}, "0", 0, {Bytes("key\0", 4)});
  const Appended longer = append({kLog}, "1", 0, {"key1"});
  const Appended empty = append({kLog}, "2", 0, {""});
  EXPECT_THAT(store.find("key1"), ElementsAre(longer.position));
  EXPECT_THAT(store.find(""), ElementsAre(empty.position));
  EXPECT_THAT(store.find("key").size(), 1U);
  EXPECT_THAT(store.find("ke"), IsEmpty());
}

TEST_P(EngineContract, FindGivesARecordOnceHoweverOftenItCarriesTheKey) {
  const Appended appended = append({kLog, kOther}, "0", 0, {"key", "key"});
  EXPECT_THAT(store.find("key"), ElementsAre(appended.position));
}

TEST_P(EngineContract, FindLooksAtRecordsStoredFromFirstUpToLast) {
  std::vector<Position> all;
  for (int i = 0; i < 5; ++i) {
    store.clock().set(kStart + i);
    all.push_back(append({kLog}, "m", 0, {"key"}).position);
  }
  EXPECT_THAT(store.find("key", kStart + 1, kStart + 3), ElementsAre(all[2], all[1]));
  EXPECT_THAT(store.find("key", kStart, kStart), IsEmpty());
  EXPECT_THAT(store.find("key", kStart + 3, kStart + 1), IsEmpty());
  EXPECT_THAT(store.find("key", kStart + 4, UnixMillis{INT64_MAX}), ElementsAre(all[4]));
}

TEST_P(EngineContract, FindGoesOnBelowAPosition) {
  std::vector<Position> all;
  for (int i = 0; i < 5; ++i) all.push_back(append({kLog}, "m", 0, {"key"}).position);
  const UnixMillis begin{0};
  const UnixMillis end{INT64_MAX};
  EXPECT_THAT(store.find("key", begin, end, 2), ElementsAre(all[4], all[3]));
  EXPECT_THAT(store.find("key", begin, end, 2, all[3]), ElementsAre(all[2], all[1]));
  EXPECT_THAT(store.find("key", begin, end, 2, all[1]), ElementsAre(all[0]));
  EXPECT_THAT(store.find("key", begin, end, 2, all[0]), IsEmpty());
}

TEST_P(EngineContract, UsageCountsARecordOnceHoweverManyLogsListIt) {
  const Appended first = append({kLog, kOther, kThird}, "12345");
  append({kOther}, "678");
  const Usage usage = store.usage();
  EXPECT_EQ(usage.record_count, 2U);
  EXPECT_EQ(usage.payload_bytes, 8U);
  EXPECT_EQ(usage.oldest, first.position);
}

}  // namespace sluice::storage::conformance
