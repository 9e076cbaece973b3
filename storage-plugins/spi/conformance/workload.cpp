#include "storage-plugins/spi/conformance/workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "storage-plugins/spi/conformance/batches.hpp"
#include "storage-plugins/spi/conformance/random_batches.hpp"

namespace sluice::storage::conformance {

namespace {

constexpr std::size_t kPositionsAsked = 20;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// A random batch that succeeds, with a trace.
WriteBatch next_batch(RandomBatches& batches, const Reference& reference, int number) {
  while (true) {
    WriteBatch batch = batches.next(reference.state());
    const std::string trace = "commit " + std::to_string(number);
    batch.put("trace " + std::to_string(number), trace);
    batch.append(record({LogId{1 + batches.below(3)}, LogId{5}},
                        trace + std::string(batches.below(6000), '.'), 1, {trace}));
    memory_engine::State copy = reference.state();
    PositionCounter positions(0);
    if (copy.apply(batch, UnixMillis{0}, positions)) return batch;
  }
}

}  // namespace

void Workload::run(Store& store, Promised& promised, Sync sync) const {
  RandomBatches batches(seed_);
  for (int i = 0; i < kCommits; ++i) {
    store.clock().advance(static_cast<std::int64_t>(batches.below(5)));
    const WriteBatch batch = next_batch(batches, promised.reference, i);
    const bool is_synced = batches.one_in(4) || sync == Sync::all;
    const auto durability = is_synced ? Durability::synced : Durability::buffered;
    const auto answer = store.commit(batch, durability);
    if (!answer && store.disk().has_crashed()) {
      EXPECT_EQ(answer.error().code, Errc::io_error) << describe(answer.error());
      return promised.reference.assume(batch, store.clock().now());
    }
    ASSERT_EQ(promised.reference.follow(batch, answer), "");
    promised.buffered = answer->sequence;
    if (is_synced) promised.synced = answer->sequence;
  }
}

Universe universe_of(const Reference& reference) {
  Universe universe{.logs = RandomBatches::all_logs(),
                    .keys = {},
                    .index_keys = {RandomBatches::all_index_keys().front()},
                    .times = {},
                    .positions = {}};
  for (int i = 0; i < Workload::kCommits; i += 6) {
    universe.keys.push_back("trace " + std::to_string(i));
    universe.index_keys.push_back("commit " + std::to_string(i));
  }
  const auto& times = reference.times();
  for (std::size_t i = 0; i < times.size(); i += 1 + times.size() / 3) {
    universe.times.push_back(times[i]);
  }
  const auto& positions = reference.positions();
  for (std::size_t i = 0; i < positions.size(); i += 1 + positions.size() / kPositionsAsked) {
    universe.positions.push_back(positions[i]);
  }
  if (!positions.empty()) universe.positions.push_back(positions.back());
  return universe;
}

std::string check_survivors(Store& store, Reference& reference, Sequence kept) {
  const Sequence survived = store.sequence();
  if (survived < kept || survived > reference.sequence()) {
    return std::to_string(survived.value) + " commits survived of " +
           std::to_string(reference.sequence().value) + ", of which " + std::to_string(kept.value) +
           " had to";
  }
  const Universe universe = universe_of(reference);
  reference.rewind(survived);
  return joined(differences(store, reference.state(), universe));
}

std::string check_that_it_works(Store& store, Reference& reference) {
  for (int i = 0; i < 4; ++i) {
    WriteBatch batch = appending({LogId{1U + i % 3U}, LogId{5}}, std::string(20'000, 'w'));
    batch.put("works", std::to_string(i));
    const auto durability = i % 2 == 0 ? Durability::buffered : Durability::synced;
    const std::string difference = reference.follow(batch, store.commit(batch, durability));
    if (!difference.empty()) return difference;
  }
  return joined(differences(store, reference.state(), universe_of(reference)));
}

}  // namespace sluice::storage::conformance
