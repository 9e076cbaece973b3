#include <gmock/gmock.h>

#include <algorithm>

#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

using testing::ElementsAre;

TEST_P(EngineContract, AnEmptyEngineHasNoCommitsRecordsOrKeys) {
  EXPECT_EQ(store.sequence(), Sequence{0});
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{0}, Offset{0}}));
  EXPECT_EQ(store.usage().record_count, 0U);
  EXPECT_EQ(store.usage().payload_bytes, 0U);
  EXPECT_EQ(store.usage().oldest, std::nullopt);
  EXPECT_EQ(store.usage().newest, std::nullopt);
  EXPECT_TRUE(store.scan().empty());
}

TEST_P(EngineContract, OffsetsOfALogCountFromZero) {
  for (std::int64_t i = 0; i < 20; ++i) {
    const Appended appended = append({kLog}, "m" + std::to_string(i));
    ASSERT_THAT(appended.offsets, ElementsAre(Offset{i}));
    ASSERT_EQ(store.bounds(kLog), (LogBounds{Offset{0}, Offset{i + 1}}));
  }
  const auto all = payloads(kLog);
  ASSERT_EQ(all.size(), 20U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], "m" + std::to_string(i));
}

TEST_P(EngineContract, LogsCountApart) {
  append({kLog}, "a");
  append({kLog}, "b");
  EXPECT_THAT(append({kOther}, "c").offsets, ElementsAre(Offset{0}));
  EXPECT_THAT(append({LogId{UINT64_MAX}}, "d").offsets, ElementsAre(Offset{0}));
  EXPECT_THAT(payloads(kLog), ElementsAre("a", "b"));
  EXPECT_THAT(payloads(kOther), ElementsAre("c"));
  EXPECT_THAT(payloads(LogId{UINT64_MAX}), ElementsAre("d"));
}

TEST_P(EngineContract, PositionsGrowWithEveryRecordAndCarryTheBrokerNumber) {
  Position last;
  for (int i = 0; i < 10; ++i) {
    WriteBatch batch;
    batch.append(record({kLog}, "a"));
    batch.append(record({kOther, kLog}, "b"));
    for (const Appended& appended : commit(std::move(batch)).appended) {
      EXPECT_GT(appended.position, last);
      EXPECT_EQ(appended.position.value >> 48U, 7U);
      last = appended.position;
    }
  }
}

TEST_P(EngineContract, ARecordIsListedInEveryLogItNames) {
  append({kOther}, "only here");
  const Appended appended = append({kLog, kOther, kThird}, "shared", 9);
  EXPECT_THAT(appended.offsets, ElementsAre(Offset{0}, Offset{1}, Offset{0}));

  const LogId logs[] = {kLog, kOther, kThird};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto result = must(store.read(logs[i], appended.offsets[i]));
    ASSERT_EQ(result.records.size(), 1U);
    EXPECT_EQ(result.records[0].offset, appended.offsets[i]);
    EXPECT_EQ(result.records[0].position, appended.position);
    EXPECT_EQ(result.records[0].payload.text(), "shared");
    EXPECT_EQ(result.records[0].tag_hash, 9U);
  }
}

TEST_P(EngineContract, AReceiptListsTheAppendsInTheOrderOfTheBatch) {
  WriteBatch batch;
  batch.append(record({kLog}, "a"));
  batch.put("k", "v");
  batch.append(record({kOther}, "b"));
  batch.append(record({kLog, kOther}, "c"));
  const CommitReceipt receipt = commit(std::move(batch));
  ASSERT_EQ(receipt.appended.size(), 3U);
  EXPECT_THAT(receipt.appended[0].offsets, ElementsAre(Offset{0}));
  EXPECT_THAT(receipt.appended[1].offsets, ElementsAre(Offset{0}));
  EXPECT_THAT(receipt.appended[2].offsets, ElementsAre(Offset{1}, Offset{1}));
  EXPECT_EQ(must(store.read_at(receipt.appended[0].position)).payload.text(), "a");
  EXPECT_EQ(must(store.read_at(receipt.appended[2].position)).payload.text(), "c");
}

TEST_P(EngineContract, SequencesCountCommitsFromOne) {
  EXPECT_EQ(commit(putting("a", "1")).sequence, Sequence{1});
  EXPECT_EQ(commit(appending({kLog}, "m")).sequence, Sequence{2});
  EXPECT_EQ(must(store.commit(putting("a", "2"), Durability::synced)).sequence, Sequence{3});
  EXPECT_EQ(store.sequence(), Sequence{3});
}

TEST_P(EngineContract, ARecordIsStoredAtTheTimeOfTheClock) {
  store.clock().set(UnixMillis{1'800'000'000'000});
  const Appended appended = append({kLog}, "m");
  EXPECT_EQ(appended.stored_at, UnixMillis{1'800'000'000'000});
  EXPECT_EQ(must(store.read_at(appended.position)).stored_at, appended.stored_at);
}

TEST_P(EngineContract, StoredAtNeverGoesBackWhenTheClockDoes) {
  const Appended first = append({kLog}, "a");
  store.clock().advance(-3'600'000);
  EXPECT_EQ(append({kOther}, "b").stored_at, first.stored_at);
  store.clock().advance(3'600'001);
  EXPECT_EQ(append({kLog}, "c").stored_at, first.stored_at + 1);
}

TEST_P(EngineContract, PayloadsComeBackByteForByte) {
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes.push_back(static_cast<char>(i));
  const std::string payload_list[] = {"", std::string(1, '\0'), all_bytes,
                                      std::string(100'000, 'x') + all_bytes};
  for (const std::string& payload : payload_list) {
    const Appended appended = append({kLog}, payload);
    EXPECT_TRUE(must(store.read_at(appended.position)).payload.text() == payload) << payload.size();
    const auto result = must(store.read(kLog, appended.offsets[0]));
    ASSERT_EQ(result.records.size(), 1U);
    EXPECT_TRUE(result.records[0].payload.text() == payload) << payload.size();
  }
}

TEST_P(EngineContract, TagHashesComeBackWhole) {
  for (const std::uint64_t tag_hash : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
    const Appended appended = append({kLog}, "m", tag_hash);
    EXPECT_EQ(must(store.read_at(appended.position)).tag_hash, tag_hash);
    EXPECT_EQ(must(store.read_at(appended.position)).offset_count, 1U);
  }
}

TEST_P(EngineContract, APayloadStaysInMemoryWhileACopyOfItLives) {
  const Appended small = append({kLog}, "a small payload");
  const Appended large = append({kLog}, std::string(50'000, 'L'));
  const Slice small_slice = must(store.read_at(small.position)).payload;
  const Slice large_slice = must(store.read(kLog, large.offsets[0])).records.at(0).payload;
  commit(truncating(kLog, Offset{2}));
  for (int i = 0; i < 100; ++i) append({kLog}, std::string(10'000, 'n'));
  commit(truncating(kLog, Offset{102}));
  EXPECT_EQ(small_slice.text(), "a small payload");
  must(store.close());
  EXPECT_EQ(small_slice.text(), "a small payload");
  EXPECT_TRUE(large_slice.text() == std::string(50'000, 'L'));
}

TEST_P(EngineContract, EnginesThatShareACounterNeverGiveAPositionTwice) {
  PositionCounter shared(3);
  EngineOptions options = store.options();
  options.positions = &shared;
  options.data_directory = std::filesystem::path(Store::kDirectory) / "one";
  const auto plugin = store.factory().make_plugin();
  const auto one = must(store.run(plugin->open(options)));
  options.data_directory = std::filesystem::path(Store::kDirectory) / "two";
  const auto two = must(store.run(plugin->open(options)));

  Position last;
  for (int i = 0; i < 10; ++i) {
    for (StorageEngine* engine : {one.get(), two.get()}) {
      const auto receipt =
          must(store.run(engine->commit(appending({kLog}, "m"), Durability::buffered)));
      EXPECT_GT(receipt.appended[0].position, last);
      last = receipt.appended[0].position;
    }
  }
  must(store.run(one->close()));
  must(store.run(two->close()));
}

TEST_P(EngineContract, AnUnknownSettingIsRefusedByName) {
  EngineOptions options = store.options();
  options.data_directory = std::filesystem::path(Store::kDirectory) / "another";
  options.settings["colour_of_the_sky"] = "blue";
  const auto plugin = store.factory().make_plugin();
  const auto opened = store.run(plugin->open(options));
  ASSERT_EQ(test::error_of(opened), Errc::invalid_argument);
  EXPECT_THAT(opened.error().text, testing::HasSubstr("colour_of_the_sky"));
}

TEST_P(EngineContract, WhatIsReservedAnswersUnsupportedAndChangesNothing) {
  append({kLog}, "m");
  NewRecord placed = record({kLog}, "p");
  placed.place =
      Place{.offsets = {Offset{5}}, .position = Position{99}, .stored_at = UnixMillis{1}};
  NewRecord several = record({kLog}, "s");
  several.offset_count = 2;
  const Offset first{0};

  WriteBatch with_place;
  with_place.append(placed);
  WriteBatch with_several;
  with_several.append(several);
  WriteBatch with_forget;
  with_forget.forget(kLog, {&first, 1});
  for (const WriteBatch& batch : {with_place, with_several, with_forget}) {
    WriteBatch with_put = batch;
    with_put.put("k", "v");
    EXPECT_EQ(test::error_of(store.commit(with_put)), Errc::unsupported);
  }
  EXPECT_EQ(test::error_of(store.run(store.engine().rewind(Sequence{0}))), Errc::unsupported);
  EXPECT_EQ(test::error_of(store.run(store.engine().snapshot())), Errc::unsupported);
  EXPECT_EQ(test::error_of(store.run(store.engine().checkpoint("/store/copy"))), Errc::unsupported);
  EXPECT_EQ(store.sequence(), Sequence{1});
  EXPECT_EQ(store.get("k"), std::nullopt);
  EXPECT_THAT(payloads(kLog), ElementsAre("m"));
}

}  // namespace sluice::storage::conformance
