#include <gmock/gmock.h>

#include <map>

#include "storage-plugins/spi/conformance/random_batches.hpp"
#include "storage-plugins/spi/conformance/suites.hpp"
#include "storage-plugins/spi/conformance/workload.hpp"

namespace sluice::storage::conformance {

using fault_disk::Call;
using fault_disk::Fault;
using fault_disk::PowerLoss;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// For a fault that goes on: which of the engine's calls comes first is not the tests' business.
constexpr std::uint64_t kAll = std::uint64_t{1} << 32U;

std::vector<std::string> differences(Store& store, const Reference& reference) {
  return differences(store, reference.state(), universe_of(reference));
}

WriteBatch numbered(int number, std::size_t size) {
  WriteBatch batch =
      appending({kLog, kOther}, std::to_string(number) + "/" + std::string(size, '.'));
  batch.put("key " + std::to_string(number), "there");
  return batch;
}

/// Commits until the disk is full. \return what was refused.
WriteBatch fill(Store& store, Reference& reference, std::size_t record_bytes) {
  for (int i = 0; i < 10'000; ++i) {
    WriteBatch batch = numbered(i, record_bytes);
    const auto answer = store.commit(batch, i % 5 == 0 ? Durability::synced : Durability::buffered);
    if (test::error_of(answer) == Errc::storage_full) return batch;
    const std::string difference = reference.follow(batch, answer);
    if (!difference.empty()) throw std::runtime_error(difference);
  }
  throw std::runtime_error("the disk never got full");
}

}  // namespace

// --- a full disk -----------------------------------------------------------------------------

TEST_P(EngineFaults, AFullDiskIsAnErrorThatChangesNothingUntilThereIsSpace) {
  Reference reference;
  for (const std::uint64_t slack : {0U, 5'000U, 70'000U, 300'000U}) {
    SCOPED_TRACE("slack " + std::to_string(slack));
    store.disk().set_capacity(store.disk().used_bytes() + slack);
    const WriteBatch refused = fill(store, reference, 3000);
    EXPECT_EQ(differences(store, reference), std::vector<std::string>{});
    EXPECT_EQ(test::error_of(store.commit(refused, Durability::synced)), Errc::storage_full);
    EXPECT_EQ(differences(store, reference), std::vector<std::string>{});

    store.disk().set_capacity(fault_disk::FaultDisk::kUnlimited);
    ASSERT_EQ(reference.follow(refused, store.commit(refused, Durability::synced)), "");
    EXPECT_EQ(check_that_it_works(store, reference), "");
  }
  store.power_loss(1, PowerLoss::forget_unsynced);
  store.open();
  EXPECT_EQ(check_survivors(store, reference, reference.sequence()), "");
}

TEST_P(EngineFaults, AStoreOnAFullDiskLosesNothingInACrash) {
  Reference reference;
  store.disk().set_capacity(store.disk().used_bytes() + 200'000);
  fill(store, reference, 2000);
  store.process_crash();
  const auto opened = store.try_open();
  if (!opened) {
    ASSERT_EQ(opened.error().code, Errc::storage_full) << describe(opened.error());
    store.disk().set_capacity(fault_disk::FaultDisk::kUnlimited);
    store.open();
  }
  EXPECT_EQ(check_survivors(store, reference, reference.sequence()), "");
  store.disk().set_capacity(fault_disk::FaultDisk::kUnlimited);
  EXPECT_EQ(check_that_it_works(store, reference), "");
}

// --- a failing disk --------------------------------------------------------------------------

TEST_P(EngineFaults, AfterAFailedSyncEveryCommitFailsUntilTheEngineIsOpenedAnew) {
  must(store.commit(appending({kLog}, "safe"), Durability::synced));
  store.disk().inject({.call = Call::sync, .nth = 1, .times = kAll});
  EXPECT_EQ(test::error_of(store.commit(appending({kLog}, "lost"), Durability::synced)),
            Errc::io_error);
  for (const auto durability : {Durability::buffered, Durability::synced, Durability::buffered}) {
    EXPECT_EQ(test::error_of(store.commit(appending({kLog}, "late"), durability)), Errc::io_error);
    EXPECT_EQ(test::error_of(store.commit(putting("k", "v"), durability)), Errc::io_error);
  }
  EXPECT_EQ(must(store.read(kLog, Offset{0}, {.records_max = 1})).records[0].payload.text(),
            "safe");

  store.power_loss(1, PowerLoss::forget_unsynced);
  store.open();
  EXPECT_EQ(payloads(kLog).at(0), "safe");
  EXPECT_EQ(store.get("k"), std::nullopt);
  must(store.commit(appending({kLog}, "again"), Durability::synced));
}

TEST_P(EngineFaults, ACommitThatWaitsForAFailedSyncIsNotAcknowledged) {
  must(store.commit(appending({kLog}, "safe"), Durability::synced));
  store.disk().hold(Call::sync);
  store.disk().inject({.call = Call::sync, .nth = 1, .times = kAll});
  std::vector<std::future<Result<CommitReceipt>>> waiting;
  for (std::uint32_t i = 0; i < 6; ++i) {
    waiting.push_back(
        test::start(store.runtime().loop(i % 2),
                    store.engine().commit(appending({kLog}, "lost"), Durability::synced)));
  }
  ASSERT_TRUE(test::wait_until([&] { return store.disk().held_count(Call::sync) > 0; }));
  store.disk().release(Call::sync);
  for (auto& future : waiting) {
    EXPECT_EQ(test::error_of(test::wait_for_result(std::move(future))), Errc::io_error);
  }
}

TEST_P(EngineFaults, ASyncedCommitIsNotAcknowledgedBeforeItsSync) {
  store.disk().hold(Call::sync);
  auto waiting = test::start(store.runtime().loop(0),
                             store.engine().commit(appending({kLog}, "m"), Durability::synced));
  ASSERT_TRUE(test::wait_until([&] { return store.disk().held_count(Call::sync) > 0; }));
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(0)), std::future_status::timeout);
  store.disk().release(Call::sync);
  EXPECT_EQ(must(test::wait_for_result(std::move(waiting))).sequence, Sequence{1});
}

namespace {

/// What became of each commit of write_numbered().
struct Outcomes {
  std::map<int, CommitReceipt> acknowledged;
  std::map<int, Errc> failed;
};

constexpr int kNumbered = 30;

Outcomes write_numbered(Store& store) {
  Outcomes outcomes;
  for (int i = 0; i < kNumbered; ++i) {
    const auto durability = i % 4 == 1 ? Durability::synced : Durability::buffered;
    auto answer = store.commit(numbered(i, 4000), durability);
    if (answer) {
      outcomes.acknowledged.emplace(i, *std::move(answer));
    } else {
      outcomes.failed.emplace(i, answer.error().code);
    }
  }
  return outcomes;
}

/// \param kept  How many of the first acknowledged commits must be there.
void check_numbered(Store& store, const Outcomes& outcomes, int kept) {
  const auto read =
      must(store.read(kLog, Offset{0}, {.records_max = 1000, .bytes_max = 100'000'000}));
  std::map<int, Record> found;
  int last = -1;
  for (std::size_t i = 0; i < read.records.size(); ++i) {
    const Record& it = read.records[i];
    EXPECT_EQ(it.offset, Offset{static_cast<std::int64_t>(i)}) << "a gap";
    const int number = std::stoi(std::string(it.payload.text()));
    EXPECT_GT(number, last) << "out of order";
    last = number;
    found[number] = it;
  }
  for (int i = 0; i < kNumbered; ++i) {
    EXPECT_EQ(store.get("key " + std::to_string(i)).has_value(), found.contains(i))
        << "keys and records disagree on " << i;
  }
  for (const auto& [number, receipt] : outcomes.acknowledged) {
    if (number >= kept) break;
    ASSERT_TRUE(found.contains(number)) << "lost: " << number;
    EXPECT_EQ(found[number].offset, receipt.appended.at(0).offsets.at(0));
    EXPECT_EQ(found[number].position, receipt.appended.at(0).position);
  }
  for (const auto& [number, code] : outcomes.failed) {
    if (code == Errc::storage_full) EXPECT_FALSE(found.contains(number)) << number;
  }
}

int after_last_synced(const Outcomes& outcomes) {
  int last = 0;
  for (const auto& [number, receipt] : outcomes.acknowledged) {
    if (number % 4 == 1) last = number + 1;
  }
  return last;
}

/// \return false if the engine made fewer than `nth` such calls.
bool check_fault(const EngineFactory& factory, Fault fault) {
  Store store(factory, Store::Start::closed);
  store.disk().inject(fault);
  const auto opened = store.try_open();
  Outcomes outcomes;
  if (opened) {
    outcomes = write_numbered(store);
    // Or it would be a read of this test that fails.
    store.disk().clear_faults();
    check_numbered(store, outcomes, kNumbered);
  } else {
    EXPECT_EQ(opened.error().code, fault.error) << describe(opened.error());
  }
  const bool has_happened = store.disk().count_of(fault.call) >= fault.nth;
  const bool is_faultless = outcomes.failed.empty() && opened;
  EXPECT_TRUE(has_happened || is_faultless);
  for (const auto& [number, code] : outcomes.failed) {
    EXPECT_TRUE(code == Errc::io_error || code == Errc::storage_full) << row_of(code).name;
  }

  auto after_kill = store.disk().process_crash();
  auto after_power_loss = store.disk().power_loss(fault.nth, PowerLoss::forget_unsynced);
  store.continue_on(std::move(after_kill));
  store.open();
  check_numbered(store, outcomes, kNumbered);
  store.continue_on(std::move(after_power_loss));
  store.open();
  check_numbered(store, outcomes, after_last_synced(outcomes));
  must(store.commit(numbered(kNumbered, 100), Durability::synced));
  return has_happened;
}

void check_every_fault(const EngineFactory& factory, Call call, Errc error) {
  bool has_happened = true;
  for (std::uint64_t nth = 1; has_happened && !testing::Test::HasFailure(); ++nth) {
    SCOPED_TRACE("call " + std::to_string(nth));
    // Every other write leaves its beginning in the file.
    const std::size_t bytes_done = nth % 2 == 0 ? 1000 : 0;
    has_happened = check_fault(
        factory, {.call = call, .nth = nth, .times = 1, .error = error, .bytes_done = bytes_done});
  }
}

}  // namespace

TEST_P(EngineFaults, AWriteThatFailsLosesNothingAcknowledged) {
  check_every_fault(GetParam(), Call::write, Errc::io_error);
}

TEST_P(EngineFaults, AWriteWithoutSpaceLosesNothingAcknowledged) {
  check_every_fault(GetParam(), Call::write, Errc::storage_full);
}

TEST_P(EngineFaults, ASyncThatFailsLosesNothingAcknowledged) {
  check_every_fault(GetParam(), Call::sync, Errc::io_error);
}

TEST_P(EngineFaults, AnyOtherChangeThatFailsLosesNothingAcknowledged) {
  for (const Call call : {Call::resize, Call::allocate, Call::open, Call::rename, Call::remove,
                          Call::create_directories, Call::sync_directory}) {
    SCOPED_TRACE("calls of kind " + std::to_string(static_cast<int>(call)));
    check_every_fault(GetParam(), call, Errc::io_error);
  }
}

TEST_P(EngineFaults, AnAllocationWithoutSpaceLosesNothingAcknowledged) {
  check_every_fault(GetParam(), Call::allocate, Errc::storage_full);
}

TEST_P(EngineFaults, AReadThatFailsIsReportedAndSpoilsNothing) {
  for (int i = 0; i < kNumbered; ++i) commit(numbered(i, 4000));
  store.reopen();
  store.disk().set_cache(fault_disk::Cache::cold);
  const auto before = payloads(kLog);
  for (std::int64_t i = 0; i < kNumbered; ++i) {
    store.disk().inject({.call = Call::read, .nth = 1, .times = 1});
    const auto read = store.read(kLog, Offset{i}, {.records_max = 1});
    if (!read) EXPECT_EQ(read.error().code, Errc::io_error);
    if (read)
      EXPECT_TRUE(read->records.at(0).payload.text() == before[static_cast<std::size_t>(i)]);
  }
  store.disk().clear_faults();
  EXPECT_EQ(payloads(kLog), before);
}

TEST_P(EngineFaults, ARecoveryThatCannotReadFailsAndSpoilsNothing) {
  Promised promised;
  Workload(1).run(store, promised, Workload::Sync::all);
  for (std::uint64_t nth = 1; !HasFailure(); ++nth) {
    store.process_crash();
    store.disk().inject({.call = Call::read, .nth = nth, .times = 1});
    const auto opened = store.try_open();
    const bool has_happened = store.disk().count_of(Call::read) >= nth;
    if (!has_happened) break;
    if (!opened) EXPECT_EQ(opened.error().code, Errc::io_error) << describe(opened.error());
    // An engine that can do without what it could not read has lost nothing.
    if (opened) EXPECT_EQ(store.sequence(), promised.reference.sequence());
    if (nth > 40) nth += nth / 4;
  }
  store.disk().clear_faults();
  store.process_crash();
  store.open();
  EXPECT_EQ(check_survivors(store, promised.reference, promised.reference.sequence()), "");
}

// --- damage ----------------------------------------------------------------------------------

namespace {

struct Place {
  std::filesystem::path path;
  std::uint64_t offset;
};

/// Bytes to damage, in every file: the beginning is looked at more closely than the rest.
std::vector<Place> places_to_damage(const fault_disk::FaultDisk& disk, std::uint64_t seed) {
  RandomBatches chance(seed);
  std::vector<Place> places;
  for (const auto& [path, size] : disk.files()) {
    for (std::uint64_t i = 0; i < 30 && size > 0; ++i) {
      const std::uint64_t end = i % 4 == 0 ? std::min<std::uint64_t>(size, 256) : size;
      places.push_back({.path = path, .offset = chance.below(end)});
    }
  }
  return places;
}

}  // namespace

TEST_P(EngineFaults, ADamagedByteIsReportedOrDroppedAsATornTailAndNeverServed) {
  std::uint64_t reports = 0;
  for (std::uint64_t seed = 1; seed <= seed_count(1) && !HasFailure(); ++seed) {
    Store damaged(GetParam());
    Promised promised;
    Workload(seed).run(damaged, promised, Workload::Sync::all);
    must(damaged.close());
    const auto base = damaged.disk().process_crash();
    const Universe universe = universe_of(promised.reference);
    const std::uint64_t all = promised.reference.sequence().value;
    for (const Place& place : places_to_damage(*base, seed)) {
      SCOPED_TRACE(place.path.string() + ":" + std::to_string(place.offset));
      damaged.continue_on(base->process_crash());
      damaged.disk().flip_byte(place.path, place.offset, std::byte{0x10});
      const auto opened = damaged.try_open();
      if (!opened) {
        ++reports;
        EXPECT_EQ(opened.error().code, Errc::corrupt_record) << describe(opened.error());
        continue;
      }
      Reference reference = promised.reference;
      const Sequence survived = damaged.sequence();
      // Only of the last commit can nobody say whether it ever was whole.
      ASSERT_GE(survived.value + 1, all) << "an acknowledged commit is dropped in silence";
      ASSERT_LE(survived.value, all);
      reference.rewind(survived);
      EXPECT_EQ(differences(damaged, reference.state(), universe, Tolerance::corruption),
                std::vector<std::string>{});
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(reports, 0U) << "no damage was ever noticed";
}

TEST_P(EngineFaults, AByteDamagedUnderAnOpenEngineIsNeverServed) {
  Promised promised;
  Workload(2).run(store, promised, Workload::Sync::all);
  store.reopen();
  store.disk().set_cache(fault_disk::Cache::cold);
  const Universe universe = universe_of(promised.reference);
  const auto places = places_to_damage(store.disk(), 2);
  for (std::size_t i = 0; i < places.size() && !HasFailure(); i += 4) {
    store.disk().flip_byte(places[i].path, places[i].offset);
    EXPECT_EQ(differences(store, promised.reference.state(), universe, Tolerance::corruption),
              std::vector<std::string>{})
        << places[i].path << ":" << places[i].offset;
  }
}

}  // namespace sluice::storage::conformance
