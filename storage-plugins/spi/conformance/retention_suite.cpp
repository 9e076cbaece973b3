#include <gmock/gmock.h>

#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::vector<std::int64_t> offsets(const ReadResult& result) {
  std::vector<std::int64_t> all;
  for (const Record& it : result.records) all.push_back(it.offset.value);
  return all;
}

}  // namespace

// The numbers of WriteBatch::truncate_before().
TEST_P(EngineContract, TruncationKeepsFromTheOffsetOn) {
  WriteBatch hundred_and_four;
  for (int i = 0; i < 104; ++i) hundred_and_four.append(record({kLog}, std::to_string(i)));
  commit(std::move(hundred_and_four));
  commit(truncating(kLog, Offset{100}));
  ASSERT_EQ(store.bounds(kLog), (LogBounds{Offset{100}, Offset{104}}));

  commit(truncating(kLog, Offset{99}));
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{100}, Offset{104}}));
  EXPECT_EQ(test::error_of(store.commit(truncating(kLog, Offset{105}))), Errc::offset_out_of_range);
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{100}, Offset{104}}));
  commit(truncating(kLog, Offset{102}));
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{102}, Offset{104}}));
  EXPECT_THAT(payloads(kLog), ElementsAre("102", "103"));
  commit(truncating(kLog, Offset{104}));
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{104}, Offset{104}}));
  EXPECT_THAT(append({kLog}, "104").offsets, ElementsAre(Offset{104}));
  EXPECT_THAT(payloads(kLog), ElementsAre("104"));
}

TEST_P(EngineContract, TruncationAboveNextLeavesTheWholeBatchUndone) {
  append({kLog}, "m");
  WriteBatch batch;
  batch.append(record({kLog}, "n"));
  batch.put("k", "v");
  batch.truncate_before(kLog, Offset{3});
  EXPECT_EQ(test::error_of(store.commit(std::move(batch))), Errc::offset_out_of_range);
  EXPECT_EQ(test::error_of(store.commit(truncating(kOther, Offset{1}))), Errc::offset_out_of_range);
  EXPECT_EQ(store.get("k"), std::nullopt);
  EXPECT_THAT(payloads(kLog), ElementsAre("m"));
  EXPECT_EQ(store.sequence(), Sequence{1});
}

TEST_P(EngineContract, ATruncatedRecordIsGoneFromEveryMember) {
  const Appended gone = append({kLog}, "gone", 1, {"key"});
  const Appended kept = append({kLog}, "kept", 1, {"key"});
  commit(truncating(kLog, Offset{1}));
  EXPECT_EQ(test::error_of(store.read_at(gone.position)), Errc::not_found);
  EXPECT_EQ(test::error_of(store.read(kLog, Offset{0})), Errc::offset_out_of_range);
  EXPECT_THAT(store.find("key"), ElementsAre(kept.position));
  EXPECT_EQ(store.position_at(UnixMillis{0}), kept.position);
  EXPECT_EQ(store.offset_at(kLog, UnixMillis{0}), Offset{1});
  EXPECT_EQ(store.usage().record_count, 1U);
  EXPECT_EQ(store.usage().payload_bytes, 4U);
  EXPECT_EQ(store.usage().oldest, kept.position);
}

TEST_P(EngineContract, DropBeforeForgetsOlderRecordsOfEveryLog) {
  append({kLog}, "1");
  append({kOther}, "2");
  append({kLog, kThird}, "3");
  const Appended fourth = append({kOther}, "4");
  append({kLog, kThird}, "5");
  commit(dropping_before(fourth.position));
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{2}, Offset{3}}));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{1}, Offset{2}}));
  EXPECT_EQ(store.bounds(kThird), (LogBounds{Offset{1}, Offset{2}}));
  EXPECT_THAT(payloads(kLog), ElementsAre("5"));
  EXPECT_THAT(payloads(kOther), ElementsAre("4"));
  EXPECT_THAT(payloads(kThird), ElementsAre("5"));
  EXPECT_EQ(store.usage().record_count, 2U);
  EXPECT_EQ(store.usage().oldest, fourth.position);
}

TEST_P(EngineContract, DropBeforeKeepsTheNextOfALogWhoseRecordsAreAllGone) {
  append({kLog}, "1");
  append({kLog}, "2");
  const Appended third = append({kOther}, "3");
  commit(dropping_before(third.position));
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{2}, Offset{2}}));
  EXPECT_THAT(append({kLog}, "4").offsets, ElementsAre(Offset{2}));
}

TEST_P(EngineContract, DropBeforeSparesWhatIsAppendedLater) {
  append({kLog}, "1");
  WriteBatch batch;
  batch.append(record({kLog}, "2"));
  batch.drop_before(Position{UINT64_MAX});
  batch.append(record({kLog}, "3"));
  commit(std::move(batch));
  append({kLog}, "4");
  EXPECT_THAT(payloads(kLog), ElementsAre("3", "4"));
  EXPECT_EQ(store.usage().record_count, 2U);
}

TEST_P(EngineContract, DropBeforeAnOldPositionForgetsNothing) {
  const Appended first = append({kLog}, "1");
  append({kLog}, "2");
  commit(dropping_before(first.position));
  commit(dropping_before(Position{0}));
  EXPECT_THAT(payloads(kLog), ElementsAre("1", "2"));
}

TEST_P(EngineContract, ADroppedLogIsAsIfItHadNeverBeenAppendedTo) {
  const Appended gone = append({kLog}, "1", 0, {"key"});
  append({kOther}, "2");
  commit(dropping(kLog));
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{0}, Offset{0}}));
  EXPECT_EQ(test::error_of(store.read_at(gone.position)), Errc::not_found);
  EXPECT_THAT(store.find("key"), IsEmpty());
  EXPECT_THAT(append({kLog}, "3").offsets, ElementsAre(Offset{0}));
  EXPECT_THAT(payloads(kLog), ElementsAre("3"));
  EXPECT_THAT(payloads(kOther), ElementsAre("2"));
}

TEST_P(EngineContract, RetentionBySizeIsDropBeforePositionToFree) {
  for (int i = 0; i < 200; ++i) append({i % 2 == 0 ? kLog : kOther}, std::string(50'000, 'x'));
  const auto position = store.position_to_free(1'000'000);
  ASSERT_TRUE(position);
  commit(dropping_before(*position));
  const Usage usage = store.usage();
  EXPECT_LT(usage.record_count, 200U);
  EXPECT_GE(usage.record_count, 100U) << "it drops far more than it was asked to";
  EXPECT_EQ(store.bounds(kLog).next, Offset{100});
  EXPECT_EQ(store.bounds(kOther).next, Offset{100});
}

TEST_P(EngineContract, PositionToFreeIsNothingIfEverythingWouldNotBeEnough) {
  EXPECT_EQ(store.position_to_free(1), std::nullopt);
  append({kLog}, "m");
  EXPECT_EQ(store.position_to_free(std::uint64_t{1} << 50U), std::nullopt);
  EXPECT_EQ(store.position_to_free(UINT64_MAX), std::nullopt);
}

// --- holes -----------------------------------------------------------------------------------

TEST_P(EngineContract, AReadPassesOverHoles) {
  append({kThird, kOther}, "0");
  append({kLog, kOther}, "1");
  append({kLog, kOther}, "2");
  append({kThird, kOther}, "3");
  commit(truncating(kLog, Offset{2}));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{0}, Offset{4}}));
  const auto result = must(store.read(kOther, Offset{0}));
  EXPECT_THAT(offsets(result), ElementsAre(0, 3));
  EXPECT_EQ(result.next, Offset{4});
  EXPECT_THAT(offsets(must(store.read(kOther, Offset{1}))), ElementsAre(3));
  EXPECT_THAT(offsets(must(store.read(kOther, Offset{2}))), ElementsAre(3));
}

TEST_P(EngineContract, AReadPassesOverHolesAtTheEnd) {
  append({kThird, kOther}, "0");
  append({kLog, kOther}, "1");
  append({kLog, kOther}, "2");
  commit(dropping(kLog));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{0}, Offset{3}}));
  const auto all = must(store.read(kOther, Offset{0}));
  EXPECT_THAT(offsets(all), ElementsAre(0));
  EXPECT_EQ(all.next, Offset{3});
  const auto none = must(store.read(kOther, Offset{1}));
  EXPECT_THAT(none.records, IsEmpty());
  EXPECT_EQ(none.next, Offset{3});
}

TEST_P(EngineContract, HolesAtTheBeginOfALogAreOutsideItsBounds) {
  append({kLog, kOther}, "0");
  append({kLog, kOther}, "1");
  append({kThird, kOther}, "2");
  append({kThird, kOther}, "3");
  commit(truncating(kLog, Offset{1}));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{1}, Offset{4}}));
  commit(truncating(kLog, Offset{2}));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{2}, Offset{4}}));
  EXPECT_EQ(test::error_of(store.read(kOther, Offset{1})), Errc::offset_out_of_range);
}

TEST_P(EngineContract, TruncationToAHoleKeepsFromTheNextRecordOn) {
  append({kThird, kOther}, "0");
  append({kLog, kOther}, "1");
  append({kThird, kOther}, "2");
  commit(truncating(kLog, Offset{1}));
  commit(truncating(kOther, Offset{1}));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{2}, Offset{3}}));
  EXPECT_THAT(payloads(kOther), ElementsAre("2"));
}

TEST_P(EngineContract, ALogOfHolesAloneIsEmptyAndKeepsItsNext) {
  append({kLog, kOther}, "0");
  append({kLog, kOther}, "1");
  commit(truncating(kLog, Offset{2}));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{2}, Offset{2}}));
  EXPECT_THAT(append({kOther}, "2").offsets, ElementsAre(Offset{2}));
  EXPECT_THAT(payloads(kOther), ElementsAre("2"));
}

TEST_P(EngineContract, ASecondLogThatForgetsARecordLeavesItToItsOwner) {
  const Appended first = append({kLog, kOther}, "0", 0, {"key"});
  append({kLog, kOther}, "1");
  commit(truncating(kOther, Offset{1}));
  EXPECT_THAT(payloads(kLog), ElementsAre("0", "1"));
  EXPECT_THAT(payloads(kOther), ElementsAre("1"));
  commit(dropping(kOther));
  EXPECT_THAT(payloads(kLog), ElementsAre("0", "1"));
  EXPECT_EQ(must(store.read_at(first.position)).payload.text(), "0");
  EXPECT_THAT(store.find("key"), ElementsAre(first.position));
  EXPECT_EQ(store.usage().record_count, 2U);
}

TEST_P(EngineContract, DroppingTheOwnerMakesHolesInTheOthers) {
  append({kThird, kOther}, "0");
  const Appended gone = append({kLog, kOther}, "1", 0, {"key"});
  append({kThird, kOther}, "2");
  commit(dropping(kLog));
  EXPECT_EQ(test::error_of(store.read_at(gone.position)), Errc::not_found);
  EXPECT_THAT(store.find("key"), IsEmpty());
  EXPECT_THAT(payloads(kOther), ElementsAre("0", "2"));
}

TEST_P(EngineContract, ALogBegunAgainHasNothingOfWhatItWas) {
  // The second log's entries of its first life must neither come back nor make holes in the second.
  append({kLog, kOther}, "old 0");
  append({kLog, kOther}, "old 1");
  commit(dropping(kOther));
  append({kThird, kOther}, "new 0");
  EXPECT_THAT(payloads(kOther), ElementsAre("new 0"));
  commit(truncating(kLog, Offset{2}));
  EXPECT_THAT(payloads(kOther), ElementsAre("new 0"));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{0}, Offset{1}}));
}

TEST_P(EngineContract, AnOwnerBegunAgainDoesNotBringBackItsRecordsInOtherLogs) {
  append({kLog, kOther}, "old 0");
  append({kLog, kOther}, "old 1");
  commit(dropping(kLog));
  append({kLog, kOther}, "new");
  append({kLog}, "newer");
  EXPECT_THAT(payloads(kLog), ElementsAre("new", "newer"));
  EXPECT_THAT(payloads(kOther), ElementsAre("new"));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{2}, Offset{3}}));
}

TEST_P(EngineContract, HolesDoNotStopAReadThatLooksAtFewRecords) {
  for (int i = 0; i < 50; ++i) append({i % 10 == 0 ? kThird : kLog, kOther}, std::to_string(i));
  commit(dropping(kLog));
  std::vector<std::int64_t> seen;
  Offset from{0};
  for (int reads = 0; from < Offset{50}; ++reads) {
    ASSERT_LE(reads, 60) << "no progress";
    const auto part = must(store.read(kOther, from, {.records_max = 1, .scan_max = 1}));
    for (const auto offset : offsets(part)) seen.push_back(offset);
    ASSERT_GT(part.next, from);
    from = part.next;
  }
  EXPECT_THAT(seen, ElementsAre(0, 10, 20, 30, 40));
}

}  // namespace sluice::storage::conformance
