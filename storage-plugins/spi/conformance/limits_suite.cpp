#include <gmock/gmock.h>

#include "common/base/limits.hpp"
#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

namespace {

/// A payload of `size` bytes that costs nothing to make twice.
Slice payload_of(std::size_t size) {
  static const auto zeros = [] {
    auto buffer = Buffer::make(limits::kRecordBytesMax + 1);
    std::fill_n(buffer->data(), buffer->size(), std::byte{0});
    return buffer;
  }();
  return zeros->slice(0, size);
}

NewRecord record_of(std::size_t size) {
  NewRecord it = record({kLog}, "");
  it.payload = payload_of(size);
  return it;
}

NewRecord record_in(std::size_t log_count) {
  NewRecord it = record({}, "m");
  for (std::size_t i = 0; i < log_count; ++i) it.logs.push_back(LogId{i + 1});
  return it;
}

WriteBatch appending_only(NewRecord it) {
  WriteBatch batch;
  batch.append(std::move(it));
  return batch;
}

}  // namespace

TEST_P(EngineContract, TheLargestRecordIsStoredAndALargerOneRefused) {
  EXPECT_EQ(test::error_of(store.commit(appending_only(record_of(limits::kRecordBytesMax + 1)))),
            Errc::invalid_argument);
  const auto receipt = commit(appending_only(record_of(limits::kRecordBytesMax)));
  const Record it = must(store.read_at(receipt.appended[0].position));
  EXPECT_EQ(it.payload.size(), limits::kRecordBytesMax);
  EXPECT_EQ(store.sequence(), Sequence{1});
}

TEST_P(EngineContract, ABatchOverItsBytesIsRefused) {
  WriteBatch batch;
  for (std::size_t size = 0; size <= limits::kBatchBytesMax; size += limits::kRecordBytesMax) {
    batch.append(record_of(limits::kRecordBytesMax));
  }
  EXPECT_EQ(test::error_of(store.commit(std::move(batch))), Errc::invalid_argument);
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{0}, Offset{0}}));
}

TEST_P(EngineContract, ABatchOverItsOperationsIsRefused) {
  WriteBatch batch;
  for (std::size_t i = 0; i < limits::kOperationsPerBatchMax; ++i) batch.erase("k");
  WriteBatch larger = batch;
  larger.erase("k");
  EXPECT_EQ(test::error_of(store.commit(std::move(larger))), Errc::invalid_argument);
  commit(std::move(batch));
}

TEST_P(EngineContract, ARecordMayBeInAsManyLogsAsTheLimitAndNotMore) {
  EXPECT_EQ(test::error_of(store.commit(appending_only(record_in(limits::kLogsPerRecordMax + 1)))),
            Errc::invalid_argument);
  const auto receipt = commit(appending_only(record_in(limits::kLogsPerRecordMax)));
  EXPECT_EQ(receipt.appended[0].offsets.size(), limits::kLogsPerRecordMax);
  EXPECT_EQ(store.bounds(LogId{limits::kLogsPerRecordMax}), (LogBounds{Offset{0}, Offset{1}}));
}

TEST_P(EngineContract, ARecordNamesLogsThatExistAndEachOnce) {
  for (const auto& it : {record({}, "m"), record({LogId{0}}, "m"), record({kLog, LogId{0}}, "m"),
                         record({kLog, kLog}, "m"), record({kLog, kOther, kLog}, "m")}) {
    WriteBatch batch;
    batch.put("k", "v");
    batch.append(it);
    EXPECT_EQ(test::error_of(store.commit(std::move(batch))), Errc::invalid_argument);
  }
  EXPECT_EQ(store.get("k"), std::nullopt);
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{0}, Offset{0}}));
}

TEST_P(EngineContract, AKeyOrValueOverItsLimitIsRefused) {
  const Bytes long_key(limits::kKeyBytesMax + 1, 'k');
  WriteBatch batches[4];
  batches[0].put(long_key, "v");
  batches[1].put("k", Bytes(limits::kValueBytesMax + 1, 'v'));
  batches[2].append(record({kLog}, "m", 0, {long_key}));
  batches[3].append(record({kLog}, "m", 0, {"k", long_key}));
  for (WriteBatch& batch : batches) {
    EXPECT_EQ(test::error_of(store.commit(batch)), Errc::invalid_argument);
  }
  EXPECT_EQ(store.sequence(), Sequence{0});
}

TEST_P(EngineContract, TheLongestIndexKeyIsFound) {
  const Bytes key(limits::kKeyBytesMax, 'k');
  const Appended appended = append({kLog}, "m", 0, {key});
  EXPECT_THAT(store.find(key), testing::ElementsAre(appended.position));
}

TEST_P(EngineContract, ARefusalNamesTheLimit) {
  const auto refused = store.commit(appending_only(record_of(limits::kRecordBytesMax + 1)));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, testing::HasSubstr(std::to_string(limits::kRecordBytesMax)));
}

}  // namespace sluice::storage::conformance
