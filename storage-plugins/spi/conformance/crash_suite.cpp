#include <gtest/gtest.h>

#include <array>
#include <future>
#include <map>
#include <memory>
#include <mutex>

#include "storage-plugins/spi/conformance/suites.hpp"
#include "storage-plugins/spi/conformance/workload.hpp"

namespace sluice::storage::conformance {

using fault_disk::Call;
using fault_disk::CrashPoint;
using fault_disk::FaultDisk;
using fault_disk::PowerLoss;

namespace {

/// The ways in which a process ends, and what its disk then holds.
enum class Crash : std::uint8_t { of_process, forgetting, losing_pages, losing_sectors };
constexpr Crash kCrashes[] = {Crash::of_process, Crash::forgetting, Crash::losing_pages,
                              Crash::losing_sectors};
constexpr const char* kCrashNames[] = {"kill -9", "all unsynced lost", "pages lost",
                                       "sectors lost"};

std::unique_ptr<FaultDisk> disk_after(FaultDisk& crashed, Crash crash, std::uint64_t seed) {
  switch (crash) {
    case Crash::of_process:
      return crashed.process_crash();
    case Crash::forgetting:
      return crashed.power_loss(seed, PowerLoss::forget_unsynced);
    case Crash::losing_pages:
      return crashed.power_loss(seed, PowerLoss::keep_some_pages);
    case Crash::losing_sectors:
      return crashed.power_loss(seed, PowerLoss::keep_some_sectors);
  }
  return nullptr;
}

Sequence kept_by(const Promised& promised, Crash crash) {
  return crash == Crash::of_process ? promised.buffered : promised.synced;
}

/// Runs the workload on a store that crashes at `point`. \return false if the workload ended first.
bool run_until(Store& store, const Workload& workload, CrashPoint point, Promised& promised) {
  store.disk().crash_at(point);
  const auto opened = store.try_open();
  if (opened) {
    workload.run(store, promised);
    const bool is_closed = store.close().has_value();
    if (is_closed && !store.disk().has_crashed()) promised.synced = promised.buffered;
  } else {
    EXPECT_TRUE(store.disk().has_crashed()) << describe(opened.error());
  }
  return store.disk().has_crashed();
}

/// Every way to crash at `point`, and what is found afterwards. \return as run_until().
bool check_crash(const EngineFactory& factory, std::uint64_t seed, CrashPoint point) {
  Store store(factory, Store::Start::closed);
  Promised promised;
  const bool has_crashed = run_until(store, Workload(seed), point, promised);
  std::array<std::unique_ptr<FaultDisk>, std::size(kCrashes)> disks;
  for (std::size_t i = 0; i < disks.size(); ++i) {
    disks[i] = disk_after(store.disk(), kCrashes[i], seed * 1000 + point.nth);
  }
  for (std::size_t i = 0; i < disks.size() && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(kCrashNames[i]);
    store.continue_on(std::move(disks[i]));
    store.open();
    Reference reference = promised.reference;
    EXPECT_EQ(check_survivors(store, reference, kept_by(promised, kCrashes[i])), "");
    const bool goes_on = point.nth % std::size(kCrashes) == i;
    if (!goes_on) continue;
    EXPECT_EQ(check_that_it_works(store, reference), "");
    store.power_loss(point.nth, PowerLoss::forget_unsynced);
    store.open();
    EXPECT_EQ(check_survivors(store, reference, reference.sequence()), "");
  }
  return has_crashed;
}

/// Crashes at the first such call, the second, and so on, until the workload makes no more.
void crash_at_every(const EngineFactory& factory, std::optional<Call> call) {
  for (std::uint64_t seed = 1; seed <= seed_count(1); ++seed) {
    bool has_crashed = true;
    for (std::uint64_t nth = 1; has_crashed && !testing::Test::HasFailure(); ++nth) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", crash in call " + std::to_string(nth));
      constexpr std::uint32_t kPercents[] = {0, 30, 100, 70};
      const CrashPoint point{
          .call = call, .nth = nth, .percent_done = kPercents[(nth + seed) % std::size(kPercents)]};
      has_crashed = check_crash(factory, seed, point);
    }
  }
}

// --- many at once --------------------------------------------------------------------------------

constexpr int kWriters = 6;

struct Acknowledged {
  Offset offset;
  Position position;
  Durability durability;
};

/// By payload.
struct Acknowledgements {
  std::mutex mutex;
  std::map<std::string, Acknowledged> all;
};

Task<> write_until_it_fails(StorageEngine* engine, Acknowledgements* acknowledgements, int id) {
  for (int i = 0; i < 25; ++i) {
    const auto durability = (i + id) % 3 == 0 ? Durability::synced : Durability::buffered;
    const std::string text = std::to_string(id) + "/" + std::to_string(i) + "/";
    const std::string payload = text + std::string(static_cast<std::size_t>(i * 97 % 3000), '.');
    WriteBatch batch = appending({kLog, kOther}, payload);
    batch.put("writer " + std::to_string(id), std::to_string(i));
    const auto receipt = co_await engine->commit(std::move(batch), durability);
    SLUICE_CO_TRY(receipt);
    const Appended& appended = receipt->appended.at(0);
    const std::lock_guard lock(acknowledgements->mutex);
    acknowledgements->all[payload] = {
        .offset = appended.offsets.at(0), .position = appended.position, .durability = durability};
  }
  co_return Result<>{};
}

std::vector<Record> all_records(Store& store, LogId log) {
  return must(store.read(log, Offset{0}, {.records_max = 1000, .bytes_max = 100'000'000})).records;
}

/// What writers leave: gap-free offsets, for each writer its first commits in order, and keys that
/// say the same.
void check_writers(Store& store) {
  const auto records = all_records(store, kLog);
  std::map<int, int> next;
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].offset, Offset{static_cast<std::int64_t>(i)});
    const std::string text(records[i].payload.text());
    const int id = std::stoi(text);
    EXPECT_EQ(std::stoi(text.substr(text.find('/') + 1)), next[id]++);
  }
  EXPECT_EQ(store.sequence(), Sequence{records.size()});
  EXPECT_EQ(store.bounds(kLog).next, Offset{static_cast<std::int64_t>(records.size())});
  for (int id = 0; id < kWriters; ++id) {
    const auto value = store.get("writer " + std::to_string(id));
    EXPECT_EQ(value ? std::stoi(*value) + 1 : 0, next[id]) << "keys and records disagree";
  }
  const auto others = all_records(store, kOther);
  ASSERT_EQ(others.size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(describe(others[i]), describe(records[i]));
  }
}

void check_acknowledged(Store& store, const Acknowledgements& acknowledgements, Crash crash) {
  for (const auto& [payload, it] : acknowledgements.all) {
    const bool must_be_there = crash == Crash::of_process || it.durability == Durability::synced;
    if (!must_be_there) continue;
    const auto read = store.read(kLog, it.offset, {.records_max = 1});
    ASSERT_TRUE(read && !read->records.empty()) << "lost: " << payload.substr(0, 10);
    EXPECT_TRUE(read->records[0].payload.text() == payload);
    EXPECT_EQ(read->records[0].position, it.position);
  }
}

void write_and_crash(const EngineFactory& factory, std::uint64_t seed) {
  Store store(factory);
  Acknowledgements acknowledgements;
  const auto percent = static_cast<std::uint32_t>(seed * 37 % 101);
  store.disk().crash_at({.call = std::nullopt, .nth = 1 + seed * 7 % 90, .percent_done = percent});
  std::vector<std::future<Result<>>> futures;
  for (int id = 0; id < kWriters; ++id) {
    futures.push_back(test::start(store.runtime().loop(static_cast<std::uint32_t>(id) % 2),
                                  write_until_it_fails(&store.engine(), &acknowledgements, id)));
  }
  for (auto& future : futures) static_cast<void>(test::wait_for_result(std::move(future)));
  std::array<std::unique_ptr<FaultDisk>, std::size(kCrashes)> disks;
  for (std::size_t i = 0; i < disks.size(); ++i) {
    disks[i] = disk_after(store.disk(), kCrashes[i], seed);
  }
  for (std::size_t i = 0; i < disks.size(); ++i) {
    SCOPED_TRACE(kCrashNames[i]);
    store.continue_on(std::move(disks[i]));
    store.open();
    check_writers(store);
    check_acknowledged(store, acknowledgements, kCrashes[i]);
  }
}

}  // namespace

TEST_P(EngineCrash, ACrashAtAnyWriteLeavesAPrefixOfTheCommits) {
  crash_at_every(GetParam(), Call::write);
}

TEST_P(EngineCrash, ACrashAtAnySyncLeavesAPrefixOfTheCommits) {
  crash_at_every(GetParam(), Call::sync);
}

TEST_P(EngineCrash, ACrashAtAnyOtherChangeLeavesAPrefixOfTheCommits) {
  for (const Call call : {Call::resize, Call::allocate, Call::open, Call::rename, Call::remove,
                          Call::create_directories, Call::sync_directory}) {
    SCOPED_TRACE("calls of kind " + std::to_string(static_cast<int>(call)));
    crash_at_every(GetParam(), call);
  }
}

TEST_P(EngineCrash, ACrashDuringRecoveryLosesNothing) {
  for (std::uint64_t seed = 1; seed <= seed_count(3) && !HasFailure(); ++seed) {
    Store store(GetParam(), Store::Start::closed);
    Promised promised;
    run_until(store, Workload(seed), {.call = Call::write, .nth = 12 * seed}, promised);
    const bool is_power_loss = seed % 2 == 0;
    const Crash crash = is_power_loss ? Crash::losing_pages : Crash::of_process;
    store.continue_on(disk_after(store.disk(), crash, seed));
    for (std::uint64_t nth = 1; !HasFailure(); ++nth) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", crash in call " + std::to_string(nth));
      store.disk().crash_at({.call = std::nullopt, .nth = nth, .percent_done = 50});
      const bool is_over = store.try_open().has_value();
      if (is_over) break;
      ASSERT_TRUE(store.disk().has_crashed());
      // What the first crash left for certain must outlast every further one.
      store.continue_on(disk_after(store.disk(), crash, seed + nth));
    }
    store.disk().clear_faults();
    EXPECT_EQ(check_survivors(store, promised.reference, kept_by(promised, crash)), "");
    EXPECT_EQ(check_that_it_works(store, promised.reference), "");
  }
}

TEST_P(EngineCrash, ACrashAmongManyWritersLeavesAPrefixOfTheCommits) {
  for (std::uint64_t seed = 1; seed <= seed_count(20) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    write_and_crash(GetParam(), seed);
  }
}

}  // namespace sluice::storage::conformance
