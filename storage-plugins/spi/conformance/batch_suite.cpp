#include <gmock/gmock.h>

#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

using testing::ElementsAre;

TEST_P(EngineContract, ABatchChangesRecordsAndKeysTogether) {
  WriteBatch batch;
  batch.put("k", "v");
  batch.append(record({kLog}, "m"));
  const CommitReceipt receipt = commit(std::move(batch));
  EXPECT_EQ(receipt.sequence, Sequence{1});
  EXPECT_EQ(store.get("k"), "v");
  EXPECT_THAT(payloads(kLog), ElementsAre("m"));
}

TEST_P(EngineContract, OperationsApplyInTheOrderAdded) {
  WriteBatch batch;
  batch.put("put twice", "1");
  batch.put("put twice", "2");
  batch.put("put and erased", "1");
  batch.erase("put and erased");
  batch.erase("erased and put");
  batch.put("erased and put", "1");
  batch.put("range a", "1");
  batch.erase_range("range", "rangf");
  batch.put("range b", "1");
  commit(std::move(batch));
  EXPECT_THAT(store.scan(), ElementsAre(KeyValue{"erased and put", "1"}, KeyValue{"put twice", "2"},
                                        KeyValue{"range b", "1"}));
}

TEST_P(EngineContract, ABatchMayTruncateWhatItAppended) {
  WriteBatch batch;
  batch.append(record({kLog}, "a"));
  batch.append(record({kLog}, "b"));
  batch.truncate_before(kLog, Offset{1});
  batch.append(record({kLog}, "c"));
  const CommitReceipt receipt = commit(std::move(batch));
  EXPECT_THAT(receipt.appended.back().offsets, ElementsAre(Offset{2}));
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{1}, Offset{3}}));
  EXPECT_THAT(payloads(kLog), ElementsAre("b", "c"));
}

TEST_P(EngineContract, ABatchMayDropALogAndBeginItAgain) {
  append({kLog}, "old");
  append({kLog}, "old");
  WriteBatch batch;
  batch.append(record({kLog}, "old too"));
  batch.drop_log(kLog);
  batch.append(record({kLog}, "new"));
  const CommitReceipt receipt = commit(std::move(batch));
  EXPECT_THAT(receipt.appended[0].offsets, ElementsAre(Offset{2}));
  EXPECT_THAT(receipt.appended[1].offsets, ElementsAre(Offset{0}));
  EXPECT_THAT(payloads(kLog), ElementsAre("new"));
  EXPECT_EQ(test::error_of(store.read_at(receipt.appended[0].position)), Errc::not_found);
}

TEST_P(EngineContract, AnExpectationThatHoldsLetsTheBatchThrough) {
  commit(putting("k", "v"));
  WriteBatch batch;
  batch.expect("k", "v");
  batch.expect("absent", std::nullopt);
  batch.put("k", "w");
  commit(std::move(batch));
  EXPECT_EQ(store.get("k"), "w");
}

TEST_P(EngineContract, AnExpectationThatFailsLeavesEverythingAsItWas) {
  commit(putting("k", "v"));
  append({kLog}, "m");
  const std::optional<Bytes> wrong[] = {"w", "", "v ", std::nullopt};
  for (const auto& value : wrong) {
    WriteBatch batch;
    batch.append(record({kLog}, "n"));
    batch.put("other", "1");
    batch.erase("k");
    batch.truncate_before(kLog, Offset{1});
    batch.expect("k", value);
    EXPECT_EQ(test::error_of(store.commit(std::move(batch))), Errc::conflict);
  }
  EXPECT_EQ(store.sequence(), Sequence{2});
  EXPECT_THAT(store.scan(), ElementsAre(KeyValue{"k", "v"}));
  EXPECT_THAT(payloads(kLog), ElementsAre("m"));
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{0}, Offset{1}}));
}

TEST_P(EngineContract, AnEmptyValueIsNotAnAbsentKey) {
  commit(putting("k", ""));
  WriteBatch batch;
  batch.expect("k", std::nullopt);
  batch.put("k", "x");
  EXPECT_EQ(test::error_of(store.commit(std::move(batch))), Errc::conflict);
  WriteBatch second;
  second.expect("absent", "");
  second.put("k", "x");
  EXPECT_EQ(test::error_of(store.commit(std::move(second))), Errc::conflict);
  EXPECT_EQ(store.get("k"), "");
}

TEST_P(EngineContract, ExpectationsLookAtTheStateBeforeTheBatch) {
  commit(putting("k", "old"));
  WriteBatch batch;
  batch.put("k", "new");
  batch.put("absent", "now there");
  batch.expect("k", "old");
  batch.expect("absent", std::nullopt);
  commit(std::move(batch));
  EXPECT_EQ(store.get("k"), "new");

  WriteBatch second;
  second.put("k", "newer");
  second.expect("k", "newer");
  EXPECT_EQ(test::error_of(store.commit(std::move(second))), Errc::conflict);
}

TEST_P(EngineContract, ACommitThatFailedTakesNoOffset) {
  append({kLog}, "a");
  WriteBatch batch;
  batch.append(record({kLog, kOther}, "never"));
  batch.expect("absent", "x");
  EXPECT_EQ(test::error_of(store.commit(std::move(batch))), Errc::conflict);
  EXPECT_THAT(append({kLog}, "b").offsets, ElementsAre(Offset{1}));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{0}, Offset{0}}));
}

TEST_P(EngineContract, ABatchThatChangesNothingIsRefused) {
  EXPECT_EQ(test::error_of(store.commit({})), Errc::invalid_argument);
  WriteBatch only_expects;
  only_expects.expect("k", std::nullopt);
  EXPECT_EQ(test::error_of(store.commit(std::move(only_expects))), Errc::invalid_argument);
  EXPECT_EQ(store.sequence(), Sequence{0});
}

TEST_P(EngineContract, AChangeWithoutEffectIsACommitAllTheSame) {
  WriteBatch batch;
  batch.erase("absent");
  EXPECT_EQ(commit(std::move(batch)).sequence, Sequence{1});
  EXPECT_EQ(commit(dropping(kLog)).sequence, Sequence{2});
  EXPECT_EQ(commit(truncating(kLog, Offset{0})).sequence, Sequence{3});
  EXPECT_EQ(commit(dropping_before(Position{0})).sequence, Sequence{4});
}

TEST_P(EngineContract, ABatchOfThousandsOfOperationsIsOneCommit) {
  WriteBatch batch;
  for (int i = 0; i < 5000; ++i) {
    batch.append(record({kLog}, std::to_string(i)));
    batch.put("key " + std::to_string(i), std::to_string(i));
  }
  const CommitReceipt receipt = commit(std::move(batch));
  EXPECT_EQ(receipt.sequence, Sequence{1});
  ASSERT_EQ(receipt.appended.size(), 5000U);
  EXPECT_THAT(receipt.appended.back().offsets, ElementsAre(Offset{4999}));
  EXPECT_EQ(payloads(kLog).size(), 5000U);
  EXPECT_EQ(store.scan().size(), 5000U);
}

}  // namespace sluice::storage::conformance
