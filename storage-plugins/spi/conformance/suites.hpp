#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "storage-plugins/spi/conformance/batches.hpp"
#include "storage-plugins/spi/conformance/engine_factory.hpp"
#include "storage-plugins/spi/conformance/store.hpp"

namespace sluice::storage::conformance {

/// What every engine does, on an engine that is open and empty.
class EngineContract : public testing::TestWithParam<EngineFactory> {
 protected:
  EngineContract() : store(GetParam()) {}

  /// Commits and expects that it works.
  CommitReceipt commit(WriteBatch batch) { return must(store.commit(std::move(batch))); }

  /// Appends one record that is listed in all of `logs`.
  Appended append(std::initializer_list<LogId> logs, std::string_view payload,
                  std::uint64_t tag_hash = 0, std::initializer_list<Bytes> index_keys = {}) {
    return commit(appending(logs, payload, tag_hash, index_keys)).appended.front();
  }

  /// Payloads in `log` from its first record on.
  std::vector<std::string> payloads(LogId log);

  Store store;
};

/// Thousands of random operations, each answer compared with memory_engine::State.
class EngineRandom : public testing::TestWithParam<EngineFactory> {};

/// What an engine on a disk does besides.
class EnginePersistence : public EngineContract {};
class EngineCrash : public testing::TestWithParam<EngineFactory> {};
class EngineFaults : public EngineContract {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineContract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineRandom);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EnginePersistence);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineCrash);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineFaults);

[[nodiscard]] inline std::string name_of(const testing::TestParamInfo<EngineFactory>& info) {
  return info.param.name;
}

/// Seeds for a randomized test: 1 to `ordinary`, or to SLUICE_SEEDS if the environment has it.
[[nodiscard]] std::uint64_t seed_count(std::uint64_t ordinary);

}  // namespace sluice::storage::conformance

/// The suites of every engine. Used in namespace sluice::storage::conformance.
#define SLUICE_INSTANTIATE_ENGINE_SUITES(prefix, ...)                                      \
  INSTANTIATE_TEST_SUITE_P(prefix, EngineContract, testing::Values(__VA_ARGS__), name_of); \
  INSTANTIATE_TEST_SUITE_P(prefix, EngineRandom, testing::Values(__VA_ARGS__), name_of)

/// The suites of engines that keep what they hold on a disk, besides those of every engine.
#define SLUICE_INSTANTIATE_DISK_ENGINE_SUITES(prefix, ...)                                    \
  INSTANTIATE_TEST_SUITE_P(prefix, EnginePersistence, testing::Values(__VA_ARGS__), name_of); \
  INSTANTIATE_TEST_SUITE_P(prefix, EngineCrash, testing::Values(__VA_ARGS__), name_of);       \
  INSTANTIATE_TEST_SUITE_P(prefix, EngineFaults, testing::Values(__VA_ARGS__), name_of)
