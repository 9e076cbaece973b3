#include <gmock/gmock.h>

#include <set>

#include "common/base/metrics.hpp"
#include "storage-plugins/spi/conformance/workload.hpp"
#include "tests/unit/append_log/log_store.hpp"

namespace sluice::append_log {

using fault_disk::Call;
using fault_disk::PowerLoss;
using test::wait_until;

namespace {

/// Numbers of the files of a kind.
std::set<std::uint64_t> numbers_of(Store& store, FileKind kind) {
  std::set<std::uint64_t> numbers;
  for (const auto& [path, size] : store.disk().files()) {
    const auto name = parse_file_name(path.filename());
    if (name && name->kind == kind) numbers.insert(name->number);
  }
  return numbers;
}

std::size_t count_files(Store& store, FileKind kind) {
  return numbers_of(store, kind).size();
}

std::string numbered(int number) {
  return std::to_string(number) + "/" + std::string(3000, static_cast<char>('a' + number % 26));
}

void fill(Store& store, int from, int count) {
  for (int i = from; i < from + count; ++i) {
    must(store.commit(appending({kLog}, numbered(i), 0, {"key " + std::to_string(i)})));
  }
}

void expect_all(Store& store, int first, int count) {
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{first}, Offset{first + count}}));
  const auto found = payloads(store, kLog);
  ASSERT_EQ(found.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(found[static_cast<std::size_t>(i)] == numbered(first + i)) << first + i;
  }
}

std::uint64_t indexes_rebuilt() {
  return metrics::counter("sluice_log_indexes_rebuilt_total", "", "").value();
}

std::filesystem::path file_of_index(std::uint64_t number) {
  return index_path(Store::kDirectory, number);
}

/// Segments 2, 3 and 4 are full and have their indexes, and no checkpoint says so. Then a crash
/// takes the end of segment 3, which was never synced, and leaves the indexes.
void lose_what_two_indexes_tell_of(Store& store) {
  // A key map so large that after this checkpoint none is due for long.
  must(store.commit(putting("large", std::string(1'000'000, 'v'))));
  fill(store, 0, 3);
  ASSERT_TRUE(wait_until([&] { return count_files(store, FileKind::checkpoint) == 1; }));
  fill(store, 3, 97);
  ASSERT_TRUE(wait_until([&] { return count_files(store, FileKind::index) >= 4; }));
  store.process_crash();
  ASSERT_TRUE(store.disk().files().contains(file_of_index(3)));
  ASSERT_TRUE(store.disk().files().contains(file_of_index(4)));
  const auto frames = frame_bounds(bytes_of(store.disk(), file_of_segment(3)));
  ASSERT_GT(frames.size(), 10U);
  overwrite(store.disk(), file_of_segment(3), frames[5],
            std::vector<std::byte>(frames.back() - frames[5]));
}

void expect_prefix(Store& store) {
  expect_all(store, 0, static_cast<int>(store.bounds(kLog).next.value));
}

}  // namespace

TEST(LogUpkeep, EverySealedSegmentGetsAnIndexAndTheLastOnesACheckpoint) {
  Store store(log_engine());
  fill(store, 0, 200);
  EXPECT_TRUE(wait_until([&] { return count_files(store, FileKind::index) >= 9; }));
  EXPECT_TRUE(wait_until([&] { return count_files(store, FileKind::checkpoint) == 1; }));
  expect_all(store, 0, 200);
}

TEST(LogUpkeep, AMissingIndexIsMadeAnew) {
  Store store(log_engine());
  fill(store, 0, 100);
  must(store.close());
  std::uint64_t removed = 0;
  for (const auto& [path, size] : store.disk().files()) {
    if (path.extension() != ".idx") continue;
    must(store.disk().remove(path));
    ++removed;
  }
  ASSERT_GT(removed, 2U);
  const std::uint64_t before = indexes_rebuilt();
  store.open();
  EXPECT_EQ(indexes_rebuilt(), before + removed);
  EXPECT_EQ(count_files(store, FileKind::index), removed);
  expect_all(store, 0, 100);
  EXPECT_EQ(store.find("key 3").size(), 1U);
}

TEST(LogUpkeep, AnIndexDamagedUnderAnOpenStoreIsMadeAnew) {
  Store store(log_engine());
  fill(store, 0, 100);
  store.reopen();
  for (const auto& [path, size] : store.disk().files()) {
    if (path.extension() != ".idx") continue;
    for (std::uint64_t at = 0; at < size; at += 1024) store.disk().flip_byte(path, at);
  }
  expect_all(store, 0, 100);
  EXPECT_EQ(store.find("key 3").size(), 1U);
  EXPECT_EQ(store.usage().record_count, 100U);
}

TEST(LogUpkeep, AnIndexDoesNotOutliveWhatACrashTook) {
  Store store(log_engine());
  ASSERT_NO_FATAL_FAILURE(lose_what_two_indexes_tell_of(store));
  store.open();
  const Offset next = store.bounds(kLog).next;
  for (int i = 0; i < 2; ++i) {
    store.process_crash();
    EXPECT_FALSE(store.disk().files().contains(file_of_index(3)));
    EXPECT_FALSE(store.disk().files().contains(file_of_index(4)));
    store.open();
    EXPECT_EQ(store.bounds(kLog).next, next);
    expect_prefix(store);
  }
}

TEST(LogUpkeep, AStoreThatLosesPowerWhileItCleansUpOpensAllTheSame) {
  Store store(log_engine());
  ASSERT_NO_FATAL_FAILURE(lose_what_two_indexes_tell_of(store));
  const auto base = store.disk().process_crash();
  bool has_opened = false;
  for (std::uint64_t nth = 1; !has_opened; ++nth) {
    SCOPED_TRACE("crash at change " + std::to_string(nth));
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      store.continue_on(base->process_crash());
      store.disk().crash_at({.call = std::nullopt, .nth = nth, .percent_done = 100});
      has_opened = store.try_open().has_value();
      store.power_loss(seed, PowerLoss::keep_some_pages);
      store.open();
      expect_prefix(store);
    }
  }
}

TEST(LogUpkeep, AnIndexOfWhatASegmentHeldBeforeACrashIsMadeAnew) {
  Store store(log_engine());
  ASSERT_NO_FATAL_FAILURE(lose_what_two_indexes_tell_of(store));
  const auto stale = bytes_of(store.disk(), file_of_index(3));
  store.open();
  const auto next = static_cast<int>(store.bounds(kLog).next.value);
  fill(store, next, 100);
  must(store.close());
  must(store.disk().remove(file_of_index(3)));
  const auto file = must(store.disk().open(file_of_index(3), OpenMode::create));
  must(file->write_at(0, stale));
  const std::uint64_t before = indexes_rebuilt();
  store.open();
  EXPECT_EQ(indexes_rebuilt(), before + 1);
  expect_all(store, 0, next + 100);
}

TEST(LogUpkeep, ACheckpointNeverBeginsAboveASegmentWithoutAnIndex) {
  for (std::uint64_t times = 1; times <= 4; ++times) {
    SCOPED_TRACE(times);
    Store store(log_engine());
    fill(store, 0, 1);
    // Renames: of the index of segment 1, then of whatever comes next.
    store.disk().inject({.call = Call::rename, .nth = 1, .times = times});
    fill(store, 1, 30);
    static_cast<void>(store.close());
    const auto indexes = numbers_of(store, FileKind::index);
    for (const std::uint64_t start : numbers_of(store, FileKind::checkpoint)) {
      for (std::uint64_t number = 1; number < start; ++number) {
        EXPECT_TRUE(indexes.contains(number)) << number << " of " << start;
      }
    }
    store.disk().clear_faults();
    store.open();
    expect_all(store, 0, 31);
  }
}

TEST(LogUpkeep, ARecycledSegmentShowsNothingOfWhatItHeld) {
  Store store(log_engine());
  fill(store, 0, 100);
  must(store.commit(storage::conformance::truncating(kLog, Offset{90})));
  ASSERT_TRUE(wait_until([&] { return count_files(store, FileKind::free_segment) >= 3; }));
  // Each loss of power meets another part of a segment that held records of the same log.
  int next = 100;
  for (int round = 0; round < 12; ++round) {
    fill(store, next, 7);
    next += 7;
    if (round % 2 == 0) {
      store.process_crash();
    } else {
      must(store.commit(putting("synced", std::to_string(next)), Durability::synced));
      store.power_loss(static_cast<std::uint64_t>(round), PowerLoss::keep_some_pages);
    }
    store.open();
    expect_all(store, 90, next - 90);
  }
  const auto usage = store.usage();
  EXPECT_EQ(usage.record_count, static_cast<std::uint64_t>(next - 90));
}

TEST(LogUpkeep, ASegmentGoesOnlyWhenNoRecordOfItLives) {
  Store store(log_engine());
  must(store.commit(appending({kOther}, "stays")));
  fill(store, 0, 100);
  must(store.commit(storage::conformance::truncating(kLog, Offset{100})));
  ASSERT_TRUE(wait_until([&] { return count_files(store, FileKind::free_segment) >= 3; }));
  EXPECT_EQ(payloads(store, kOther), std::vector<std::string>{"stays"});
  store.reopen();
  EXPECT_EQ(payloads(store, kOther), std::vector<std::string>{"stays"});
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{100}, Offset{100}}));
  EXPECT_TRUE(store.disk().files().contains(file_of_segment(1)));
}

TEST(LogUpkeep, ALogWhoseFirstRecordsWereAnotherLogsBeginsAboveThemAfterARestart) {
  Store store(log_engine());
  for (int i = 0; i < 10; ++i) must(store.commit(appending({kLog, kOther}, numbered(i))));
  fill(store, 10, 30);
  for (int i = 0; i < 30; ++i) must(store.commit(appending({kOther}, numbered(i))));
  must(store.commit(storage::conformance::truncating(kLog, Offset{40})));
  ASSERT_TRUE(wait_until([&] { return numbers_of(store, FileKind::free_segment).contains(1); }));
  const LogBounds bounds{Offset{10}, Offset{40}};
  EXPECT_EQ(store.bounds(kOther), bounds);
  store.reopen();
  EXPECT_EQ(store.bounds(kOther), bounds);
  EXPECT_EQ(test::error_of(store.read(kOther, Offset{0})), Errc::offset_out_of_range);
  EXPECT_EQ(payloads(store, kOther).size(), 30U);
}

TEST(LogUpkeep, ALogOfWhichNothingWasItsOwnIsEmptyAfterARestart) {
  Store store(log_engine());
  for (int i = 0; i < 10; ++i) must(store.commit(appending({kLog, kOther}, numbered(i))));
  fill(store, 10, 60);
  must(store.commit(storage::conformance::truncating(kLog, Offset{40})));
  ASSERT_TRUE(wait_until([&] { return numbers_of(store, FileKind::free_segment).contains(1); }));
  store.reopen();
  EXPECT_EQ(store.bounds(kOther), (LogBounds{Offset{10}, Offset{10}}));
  must(store.commit(appending({kOther}, "own")));
  EXPECT_EQ(payloads(store, kOther), std::vector<std::string>{"own"});
}

TEST(LogUpkeep, FewFilesAreOpenHoweverManySegmentsThereAre) {
  Store store(log_engine({{"segment_bytes", "16384"}, {"open_files_max", "4"}}));
  fill(store, 0, 150);
  store.reopen();
  store.disk().set_cache(fault_disk::Cache::cold);
  expect_all(store, 0, 150);
  for (int i = 0; i < 150; i += 10) EXPECT_EQ(store.find("key " + std::to_string(i)).size(), 1U);
}

TEST(LogUpkeep, ACommitLargerThanASegmentGetsOneOfItsOwn) {
  Store store(log_engine({{"segment_bytes", "16384"}}));
  const std::string large(3'000'000, 'L');
  for (int i = 0; i < 3; ++i) {
    must(store.commit(appending({kLog}, "small")));
    must(store.commit(appending({kLog}, large), Durability::synced));
  }
  for (int i = 0; i < 2; ++i) {
    const auto found = payloads(store, kLog);
    ASSERT_EQ(found.size(), 6U);
    for (std::size_t n = 1; n < 6; n += 2) EXPECT_TRUE(found[n] == large);
    store.process_crash();
    store.open();
  }
}

TEST(LogUpkeep, ReadsServeTheSameFromEveryCache) {
  for (const char* tail : {"0", "33554432"}) {
    for (const char* ranges : {"0", "16777216"}) {
      Store store(log_engine({{"segment_bytes", "1048576"},
                              {"tail_cache_bytes", tail},
                              {"read_cache_bytes", ranges}}));
      fill(store, 0, 900);
      expect_all(store, 0, 900);
      expect_all(store, 0, 900);
      store.reopen();
      expect_all(store, 0, 900);
      EXPECT_EQ(must(store.read_at(store.find("key 7").at(0))).offset, Offset{7});
    }
  }
}

}  // namespace sluice::append_log
