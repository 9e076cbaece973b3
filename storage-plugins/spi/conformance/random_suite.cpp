#include <gtest/gtest.h>

#include <algorithm>

#include "storage-plugins/spi/conformance/comparison.hpp"
#include "storage-plugins/spi/conformance/random_batches.hpp"
#include "storage-plugins/spi/conformance/reference.hpp"
#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

namespace {

using fault_disk::PowerLoss;

constexpr int kSteps = 1000;
constexpr std::size_t kPositionsAsked = 200;

/// One run: an engine and the reference, the same operations on both.
class RandomRun {
 public:
  RandomRun(const EngineFactory& factory, std::uint64_t seed) : store_(factory), batches_(seed) {}

  void run() {
    for (int step = 0; step < kSteps && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      move_clock();
      commit();
      ask();
      if (batches_.one_in(300)) compare_everything();
      const bool is_on_disk = store_.factory().persistence == EngineFactory::Persistence::on_disk;
      if (is_on_disk && batches_.one_in(60)) restart();
    }
    compare_everything();
  }

 private:
  void move_clock() {
    if (batches_.one_in(3)) store_.clock().advance(static_cast<std::int64_t>(batches_.below(50)));
    if (batches_.one_in(100)) store_.clock().advance(-1000);
  }

  void commit() {
    const WriteBatch batch = batches_.next(reference_.state());
    const auto durability = batches_.one_in(8) ? Durability::synced : Durability::buffered;
    const auto answer = store_.commit(batch, durability);
    EXPECT_EQ(reference_.follow(batch, answer), "");
    if (answer && durability == Durability::synced) synced_ = answer->sequence;
  }

  void ask() {
    const LogId log = batches_.any_log();
    const Bytes key = batches_.any_key();
    const auto& state = reference_.state();
    ask_reads(log);
    const Position position = batches_.any_of(reference_.positions(), Position{1});
    const UnixMillis time = any_time();
    EXPECT_EQ(store_.bounds(log), state.bounds(log));
    EXPECT_EQ(store_.sequence(), state.sequence());
    EXPECT_EQ(store_.get(key), state.get(key));
    EXPECT_EQ(store_.offset_at(log, time), state.offset_at(log, time));
    EXPECT_EQ(store_.position_at(time), state.position_at(time));
    ask_range_of_keys();
    ask_find();
    const auto record = store_.read_at(position);
    const auto expected = state.read_at(position);
    ASSERT_EQ(test::error_of(record), test::error_of(expected));
    if (record) EXPECT_EQ(describe(*record), describe(*expected));
  }

  void ask_reads(LogId log) {
    const auto& state = reference_.state();
    const LogBounds bounds = state.bounds(log);
    const auto length = static_cast<std::uint64_t>(bounds.next - bounds.first);
    const auto above = static_cast<std::int64_t>(batches_.below(length + 3));
    ReadLimits limits;
    if (batches_.one_in(2)) limits.records_max = static_cast<std::uint32_t>(1 + batches_.below(5));
    if (batches_.one_in(3)) limits.bytes_max = static_cast<std::uint32_t>(batches_.below(1000));
    if (batches_.one_in(4)) limits.scan_max = static_cast<std::uint32_t>(1 + batches_.below(10));
    std::vector<std::uint64_t> tag_hashes;
    if (batches_.one_in(3)) tag_hashes.push_back(batches_.below(5));
    if (batches_.one_in(5)) tag_hashes.push_back(batches_.below(5));
    EXPECT_EQ(
        difference_of_read(store_, state, log, bounds.first + (above - 1), limits, tag_hashes), "");
  }

  void ask_range_of_keys() {
    const Bytes first = batches_.any_key();
    const Bytes last = batches_.any_key();
    const auto entries_max = static_cast<std::uint32_t>(1 + batches_.below(20));
    EXPECT_EQ(store_.scan(first, last, entries_max),
              reference_.state().scan(first, last, entries_max));
  }

  void ask_find() {
    const Bytes key = batches_.any_index_key();
    const UnixMillis first = any_time();
    const UnixMillis last = first + static_cast<std::int64_t>(batches_.below(2000));
    const auto positions_max = static_cast<std::uint32_t>(1 + batches_.below(10));
    std::optional<Position> before;
    if (batches_.one_in(2)) before = batches_.any_of(reference_.positions(), Position{1});
    EXPECT_EQ(store_.find(key, first, last, positions_max, before),
              reference_.state().find(key, first, last, positions_max, before));
  }

  UnixMillis any_time() {
    const UnixMillis time = batches_.any_of(reference_.times(), store_.clock().now());
    return time + static_cast<std::int64_t>(batches_.below(3));
  }

  void compare_everything() {
    Universe universe{.logs = RandomBatches::all_logs(),
                      .keys = RandomBatches::all_keys(),
                      .index_keys = RandomBatches::all_index_keys(),
                      .times = {},
                      .positions = {}};
    for (int i = 0; i < 5; ++i) universe.times.push_back(any_time());
    for (std::size_t i = 0; i < kPositionsAsked; ++i) {
      universe.positions.push_back(batches_.any_of(reference_.positions(), Position{1}));
    }
    EXPECT_EQ(differences(store_, reference_.state(), universe), std::vector<std::string>{});
  }

  void restart() {
    const std::uint64_t kind = batches_.below(5);
    SCOPED_TRACE("restart of kind " + std::to_string(kind));
    if (kind == 0) {
      must(store_.close());
      synced_ = reference_.sequence();
    } else if (kind == 1) {
      store_.process_crash();
    } else {
      constexpr PowerLoss kModes[] = {PowerLoss::forget_unsynced, PowerLoss::keep_some_pages,
                                      PowerLoss::keep_some_sectors};
      store_.power_loss(batches_.below(1U << 30U), kModes[kind - 2]);
    }
    store_.open();
    store_.disk().set_cache(batches_.one_in(3) ? fault_disk::Cache::cold : fault_disk::Cache::warm);

    const Sequence survived = store_.sequence();
    ASSERT_LE(survived, reference_.sequence());
    ASSERT_GE(survived, kind <= 1 ? reference_.sequence() : synced_)
        << "acknowledged commits are lost";
    reference_.rewind(survived);
    compare_everything();
  }

  Store store_;
  RandomBatches batches_;
  Reference reference_;
  Sequence synced_;  ///< The last commit that must survive a loss of power.
};

}  // namespace

TEST_P(EngineRandom, AnswersLikeTheReferenceWhateverIsDone) {
  for (std::uint64_t seed = 1; seed <= seed_count(3) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRun(GetParam(), seed).run();
  }
}

}  // namespace sluice::storage::conformance
