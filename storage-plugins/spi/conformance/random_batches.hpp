#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "storage-plugins/memory/state.hpp"
#include "storage-plugins/spi/conformance/comparison.hpp"
#include "storage-plugins/spi/write_batch.hpp"

namespace sluice::storage::conformance {

/// Batches of every kind over few logs and keys, so that operations meet; the same for the same
/// seed and state. Most succeed.
class RandomBatches {
 public:
  explicit RandomBatches(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] WriteBatch next(const memory_engine::State& state);

  /// 0 to `end` - 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t end) { return random_() % end; }
  [[nodiscard]] bool one_in(std::uint64_t n) { return below(n) == 0; }

  /// Mostly logs with records, sometimes one without.
  [[nodiscard]] LogId any_log() { return LogId{1 + below(kLogs + 1)}; }
  [[nodiscard]] Bytes any_key();
  [[nodiscard]] Bytes any_index_key();
  template <class T>
  [[nodiscard]] T any_of(const std::vector<T>& all, T otherwise) {
    return all.empty() ? otherwise : all[below(all.size())];
  }

  /// All that next() may name.
  [[nodiscard]] static std::vector<LogId> all_logs();
  [[nodiscard]] static std::vector<Bytes> all_keys();
  [[nodiscard]] static std::vector<Bytes> all_index_keys();

 private:
  static constexpr std::uint64_t kLogs = 6;
  static constexpr std::uint64_t kKeys = 40;
  static constexpr std::uint64_t kIndexKeys = 8;

  void add_operation(WriteBatch& batch, const memory_engine::State& state);
  [[nodiscard]] NewRecord any_record();
  [[nodiscard]] std::string any_payload();
  [[nodiscard]] Position any_old_position(const memory_engine::State& state);

  std::mt19937_64 random_;
};

}  // namespace sluice::storage::conformance
