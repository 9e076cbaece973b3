#include <gmock/gmock.h>

#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

using testing::ElementsAre;

namespace {

std::vector<std::string> texts(const ReadResult& result) {
  std::vector<std::string> all;
  for (const Record& it : result.records) all.emplace_back(it.payload.text());
  return all;
}

}  // namespace

TEST_P(EngineContract, ReadingAtNextGivesNothing) {
  append({kLog}, "a");
  const auto result = must(store.read(kLog, Offset{1}));
  EXPECT_TRUE(result.records.empty());
  EXPECT_EQ(result.next, Offset{1});
}

TEST_P(EngineContract, ReadingOutsideTheBoundsFails) {
  append({kLog}, "a");
  append({kLog}, "b");
  commit(truncating(kLog, Offset{1}));
  EXPECT_EQ(test::error_of(store.read(kLog, Offset{0})), Errc::offset_out_of_range);
  EXPECT_EQ(test::error_of(store.read(kLog, Offset{3})), Errc::offset_out_of_range);
  EXPECT_EQ(test::error_of(store.read(kLog, Offset{-1})), Errc::offset_out_of_range);
  EXPECT_EQ(test::error_of(store.read(kLog, Offset{INT64_MAX})), Errc::offset_out_of_range);
  EXPECT_EQ(test::error_of(store.read(kLog, Offset{INT64_MIN})), Errc::offset_out_of_range);
}

TEST_P(EngineContract, ALogThatWasNeverAppendedToIsEmpty) {
  append({kLog}, "a");
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{0}, Offset{0}}));
  const auto result = must(store.read(kOther, Offset{0}));
  EXPECT_TRUE(result.records.empty());
  EXPECT_EQ(result.next, Offset{0});
  EXPECT_EQ(test::error_of(store.read(kOther, Offset{1})), Errc::offset_out_of_range);
}

TEST_P(EngineContract, AReadStopsAtRecordsMax) {
  for (int i = 0; i < 10; ++i) append({kLog}, std::to_string(i));
  const auto result = must(store.read(kLog, Offset{2}, {.records_max = 3}));
  EXPECT_THAT(texts(result), ElementsAre("2", "3", "4"));
  EXPECT_EQ(result.next, Offset{5});
}

TEST_P(EngineContract, AReadStopsBeforeTheRecordThatExceedsBytesMax) {
  for (int i = 0; i < 10; ++i) append({kLog}, std::string(10, static_cast<char>('0' + i)));
  const auto exact = must(store.read(kLog, Offset{0}, {.bytes_max = 30}));
  EXPECT_EQ(exact.records.size(), 3U);
  EXPECT_EQ(exact.next, Offset{3});
  const auto less = must(store.read(kLog, Offset{0}, {.bytes_max = 29}));
  EXPECT_EQ(less.records.size(), 2U);
  EXPECT_EQ(less.next, Offset{2});
}

TEST_P(EngineContract, TheFirstRecordComesEvenIfLargerThanBytesMax) {
  append({kLog}, std::string(1000, 'x'));
  append({kLog}, "");
  for (const std::uint32_t bytes_max : {0U, 1U, 999U}) {
    const auto result = must(store.read(kLog, Offset{0}, {.bytes_max = bytes_max}));
    ASSERT_GE(result.records.size(), 1U) << bytes_max;
    EXPECT_EQ(result.records[0].payload.size(), 1000U);
  }
}

TEST_P(EngineContract, AReadByTagsSkipsOtherRecords) {
  for (int i = 0; i < 12; ++i) {
    append({kLog}, std::to_string(i), static_cast<std::uint64_t>(i % 4));
  }
  EXPECT_THAT(texts(must(store.read(kLog, Offset{0}, {}, {2}))), ElementsAre("2", "6", "10"));
  EXPECT_THAT(texts(must(store.read(kLog, Offset{3}, {}, {0, 3}))),
              ElementsAre("3", "4", "7", "8", "11"));
  EXPECT_EQ(must(store.read(kLog, Offset{0}, {}, {2})).next, Offset{12});
}

TEST_P(EngineContract, AReadThatMatchesNothingStillMakesProgress) {
  for (int i = 0; i < 12; ++i) append({kLog}, std::to_string(i), 1);
  const auto result = must(store.read(kLog, Offset{0}, {}, {2}));
  EXPECT_TRUE(result.records.empty());
  EXPECT_EQ(result.next, Offset{12});
}

TEST_P(EngineContract, AReadLooksAtScanMaxRecordsAtMost) {
  for (int i = 0; i < 12; ++i) append({kLog}, std::to_string(i), i == 11 ? 2 : 1);
  const auto result = must(store.read(kLog, Offset{0}, {.scan_max = 5}, {2}));
  EXPECT_TRUE(result.records.empty());
  EXPECT_EQ(result.next, Offset{5});
  const auto rest = must(store.read(kLog, Offset{10}, {.scan_max = 5}, {2}));
  EXPECT_THAT(texts(rest), ElementsAre("11"));
}

TEST_P(EngineContract, SkippedRecordsDoNotCountAsBytes) {
  for (int i = 0; i < 6; ++i) append({kLog}, std::string(100, 'x'), i % 2 == 0 ? 1 : 2);
  const auto result = must(store.read(kLog, Offset{0}, {.bytes_max = 300}, {1}));
  EXPECT_EQ(result.records.size(), 3U);
}

TEST_P(EngineContract, RecordsOfManyLargeCommitsAreReadTogetherAsTheyWereAppended) {
  // More than any buffer of an engine holds, in commits that do not divide it.
  constexpr int kCommits = 90;
  constexpr int kRecords = 31;
  std::vector<std::string> appended;
  for (int i = 0; i < kCommits; ++i) {
    WriteBatch batch;
    for (int j = 0; j < kRecords; ++j) {
      const auto size = static_cast<std::size_t>(i * 37 + j * 101) % 3000;
      appended.push_back(std::to_string(appended.size()) + std::string(size, 'x'));
      batch.append(record({kLog}, appended.back()));
    }
    commit(std::move(batch));
  }
  std::vector<std::string> read;
  while (read.size() < appended.size() && !HasFailure()) {
    const Offset from{static_cast<std::int64_t>(read.size())};
    const auto page = texts(must(store.read(kLog, from, {.records_max = 64})));
    ASSERT_FALSE(page.empty());
    read.insert(read.end(), page.begin(), page.end());
  }
  EXPECT_TRUE(read == appended);
}

TEST_P(EngineContract, ReadAtGivesTheRecordAtItsOffsetInItsFirstLog) {
  append({kOther}, "x");
  const Appended appended = append({kOther, kLog}, "m", 5);
  const Record it = must(store.read_at(appended.position));
  EXPECT_EQ(it.offset, Offset{1});
  EXPECT_EQ(it.position, appended.position);
  EXPECT_EQ(it.stored_at, appended.stored_at);
  EXPECT_EQ(it.tag_hash, 5U);
  EXPECT_EQ(it.payload.text(), "m");
}

TEST_P(EngineContract, ReadAtAPositionWithoutRecordIsNotFound) {
  EXPECT_EQ(test::error_of(store.read_at(Position{1})), Errc::not_found);
  const Appended appended = append({kLog}, "m");
  EXPECT_EQ(test::error_of(store.read_at(Position{0})), Errc::not_found);
  EXPECT_EQ(test::error_of(store.read_at(appended.position + 1)), Errc::not_found);
  EXPECT_EQ(test::error_of(store.read_at(Position{UINT64_MAX})), Errc::not_found);
}

}  // namespace sluice::storage::conformance
