#include <gmock/gmock.h>

#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

using fault_disk::Call;
using fault_disk::PowerLoss;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

constexpr PowerLoss kModes[] = {PowerLoss::forget_unsynced, PowerLoss::keep_some_pages,
                                PowerLoss::keep_some_sectors};

}  // namespace

TEST_P(EnginePersistence, ReopeningKeepsRecordsKeysAndBounds) {
  const Appended first = append({kLog, kOther}, "a", 5, {"key"});
  append({kLog}, "b");
  append({kThird}, "c");
  commit(putting("k", "v"));
  commit(truncating(kLog, Offset{1}));
  commit(dropping(kThird));
  store.reopen();
  EXPECT_EQ(store.sequence(), Sequence{6});
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{1}, Offset{2}}));
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{1}, Offset{1}}));
  EXPECT_EQ(store.bounds(kThird), (LogBounds{Offset{0}, Offset{0}}));
  EXPECT_THAT(payloads(kLog), ElementsAre("b"));
  EXPECT_EQ(store.get("k"), "v");
  EXPECT_THAT(store.find("key"), IsEmpty());
  EXPECT_EQ(test::error_of(store.read_at(first.position)), Errc::not_found);
}

TEST_P(EnginePersistence, OffsetsPositionsAndSequencesGoOnAfterReopening) {
  Position last;
  for (std::int64_t i = 0; i < 10; ++i) {
    const CommitReceipt receipt = commit(appending({kLog}, std::to_string(i)));
    EXPECT_EQ(receipt.sequence, Sequence{static_cast<std::uint64_t>(i + 1)});
    EXPECT_THAT(receipt.appended[0].offsets, ElementsAre(Offset{i}));
    EXPECT_GT(receipt.appended[0].position, last);
    last = receipt.appended[0].position;
    store.reopen();
  }
  EXPECT_EQ(payloads(kLog).size(), 10U);
}

TEST_P(EnginePersistence, APositionNeverComesTwiceEvenIfItsRecordIsGone) {
  const Appended gone = append({kLog}, "gone");
  commit(dropping_before(gone.position + 1));
  commit(dropping(kLog));
  store.reopen();
  commit(putting("k", "v"));
  store.reopen();
  EXPECT_GT(append({kLog}, "new").position, gone.position);
}

TEST_P(EnginePersistence, StoredAtDoesNotGoBackOverAReopening) {
  const Appended first = append({kLog}, "a");
  commit(truncating(kLog, Offset{1}));
  store.reopen();
  store.clock().advance(-60'000);
  EXPECT_GE(append({kOther}, "b").stored_at, first.stored_at);
}

TEST_P(EnginePersistence, TheNextOfAnEmptiedLogSurvives) {
  append({kLog}, "a");
  append({kLog}, "b");
  commit(truncating(kLog, Offset{2}));
  for (int i = 0; i < 3; ++i) {
    store.reopen();
    EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{2}, Offset{2}}));
  }
  EXPECT_THAT(append({kLog}, "c").offsets, ElementsAre(Offset{2}));
}

TEST_P(EnginePersistence, AnEmptyEngineReopensEmpty) {
  store.reopen();
  EXPECT_EQ(store.sequence(), Sequence{0});
  EXPECT_THAT(append({kLog}, "a").offsets, ElementsAre(Offset{0}));
}

TEST_P(EnginePersistence, OnlyOneMayHoldAStore) {
  append({kLog}, "a");
  const auto plugin = store.factory().make_plugin();
  const auto second = store.run(plugin->open(store.options()));
  EXPECT_EQ(test::error_of(second), Errc::conflict);
  append({kLog}, "b");
  store.reopen();
  EXPECT_THAT(payloads(kLog), ElementsAre("a", "b"));
}

TEST_P(EnginePersistence, ABufferedCommitSurvivesACrashOfTheProcess) {
  for (int i = 0; i < 50; ++i) append({kLog}, std::string(3000, 'x'));
  store.process_crash();
  store.open();
  EXPECT_EQ(payloads(kLog).size(), 50U);
  EXPECT_EQ(store.sequence(), Sequence{50});
}

TEST_P(EnginePersistence, ASyncedCommitSurvivesALossOfPowerWithAllBeforeIt) {
  for (const PowerLoss mode : kModes) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Offset begin = store.bounds(kLog).next;
      for (int i = 0; i < 7; ++i) append({kLog}, "buffered " + std::string(3000, 'x'));
      must(store.commit(appending({kLog}, "synced"), Durability::synced));
      append({kLog}, "perhaps");
      store.power_loss(seed, mode);
      store.open();
      ASSERT_GE(store.bounds(kLog).next, begin + 8);
      ASSERT_LE(store.bounds(kLog).next, begin + 9);
      EXPECT_EQ(must(store.read(kLog, begin + 7)).records.at(0).payload.text(), "synced");
    }
  }
}

TEST_P(EnginePersistence, ClosingMakesBufferedCommitsDurable) {
  append({kLog}, "buffered");
  commit(putting("k", "v"));
  must(store.close());
  store.power_loss(1, PowerLoss::forget_unsynced);
  store.open();
  EXPECT_THAT(payloads(kLog), ElementsAre("buffered"));
  EXPECT_EQ(store.get("k"), "v");
}

// What a process found after kill -9 was written but perhaps never synced. A later synced commit
// promises that all before it survives, so that must be synced too.
TEST_P(EnginePersistence, ASyncedCommitAfterACrashOfTheProcessKeepsWhatWasFound) {
  for (const PowerLoss mode : kModes) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Offset begin = store.bounds(kLog).next;
      for (int i = 0; i < 12; ++i) append({kLog}, "buffered " + std::string(9000, 'x'));
      store.process_crash();
      store.open();
      must(store.commit(appending({kLog}, "synced"), Durability::synced));
      store.power_loss(seed, mode);
      store.open();
      ASSERT_EQ(store.bounds(kLog).next, begin + 13);
      EXPECT_EQ(payloads(kLog).size(), static_cast<std::size_t>(begin.value + 13));
    }
  }
}

TEST_P(EnginePersistence, ADirectoryThatTheEngineMadeSurvivesALossOfPower) {
  must(store.close());
  EngineOptions options = store.options();
  options.data_directory = std::filesystem::path(Store::kDirectory) / "new" / "and deep";
  const auto plugin = store.factory().make_plugin();
  auto engine = must(store.run(plugin->open(options)));
  must(store.run(engine->commit(appending({kLog}, "m"), Durability::synced)));

  const auto disk = store.disk().power_loss(1, PowerLoss::forget_unsynced);
  static_cast<void>(store.run(engine->close()));
  engine.reset();
  options.disk = disk.get();
  engine = must(store.run(plugin->open(options)));
  EXPECT_EQ(must(store.run(engine->bounds(kLog))), (LogBounds{Offset{0}, Offset{1}}));
  must(store.run(engine->close()));
}

TEST_P(EnginePersistence, OldRecordsAreReadOnAMachineWithColdCaches) {
  for (int i = 0; i < 60; ++i) append({kLog, kOther}, std::to_string(i) + std::string(5000, 'x'));
  store.reopen();
  store.disk().set_cache(fault_disk::Cache::cold);
  EXPECT_EQ(payloads(kLog).size(), 60U);
  EXPECT_EQ(payloads(kOther), payloads(kLog));
}

TEST_P(EnginePersistence, DroppedRecordsGiveTheirSpaceBack) {
  for (int i = 0; i < 300; ++i) append({kLog}, std::string(10'000, 'x'));
  const std::uint64_t most = store.usage().disk_bytes;
  EXPECT_GE(most, 3'000'000U);
  // A store in use: the same is appended and forgotten again and again.
  for (int i = 0; i < 900; ++i) {
    WriteBatch batch = appending({kLog}, std::string(10'000, 'x'));
    batch.truncate_before(kLog, store.bounds(kLog).next + -30);
    must(store.commit(std::move(batch), i % 50 == 0 ? Durability::synced : Durability::buffered));
  }
  EXPECT_LE(store.usage().disk_bytes, most);
  EXPECT_LE(store.disk().used_bytes(), 2 * most);
}

TEST_P(EnginePersistence, EveryMemberWorksOnTheMachinesOwnDisk) {
  const test::TempDirectory directory;
  EngineOptions options = store.options();
  options.disk = &system_disk();
  options.data_directory = directory.path() / "data";
  const auto plugin = store.factory().make_plugin();
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto engine = must(store.run(plugin->open(options)));
    ASSERT_EQ(must(store.run(engine->bounds(kLog))), (LogBounds{Offset{0}, Offset{i * 40}}));
    for (std::int64_t n = 0; n < 40; ++n) {
      WriteBatch batch = appending({kLog}, std::string(4000, static_cast<char>('a' + i)), 0, {"k"});
      batch.put("n", std::to_string(n));
      const auto durability = n % 8 == 0 ? Durability::synced : Durability::buffered;
      must(store.run(engine->commit(std::move(batch), durability)));
    }
    const auto found = must(
        store.run(engine->find("k", UnixMillis{0}, UnixMillis{INT64_MAX}, 1000, std::nullopt)));
    EXPECT_EQ(found.size(), static_cast<std::size_t>(40 * (i + 1)));
    EXPECT_EQ(must(store.run(engine->get("n"))), "39");
    EXPECT_EQ(must(store.run(engine->read_at(found.back()))).payload.text()[0], 'a');
    EXPECT_EQ(test::error_of(store.run(plugin->open(options))), Errc::conflict);
    must(store.run(engine->close()));
  }
}

}  // namespace sluice::storage::conformance
