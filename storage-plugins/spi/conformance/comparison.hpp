#pragma once

#include <string>
#include <vector>

#include "storage-plugins/memory/state.hpp"
#include "storage-plugins/spi/conformance/store.hpp"

/// \file
/// An engine held against the reference, member by member.

namespace sluice::storage::conformance {

/// What a comparison asks about.
struct Universe {
  std::vector<LogId> logs;
  std::vector<Bytes> keys;
  std::vector<Bytes> index_keys;
  std::vector<UnixMillis> times;
  std::vector<Position> positions;
};

/// What may go wrong in the engine without being a difference.
enum class Tolerance : std::uint8_t {
  none,
  corruption  ///< It may answer corrupt_record to any question, but nothing that is false.
};

/// Asks every reading member everything in `universe`. \return what the engine answered otherwise
/// than the reference, in words; empty if they agree.
[[nodiscard]] std::vector<std::string> differences(Store& store,
                                                   const memory_engine::State& expected,
                                                   const Universe& universe,
                                                   Tolerance tolerance = Tolerance::none);

/// One read, in the freedom that the contract leaves: `next` may stand anywhere on the way to the
/// next record that matches. \return the difference in words; empty if there is none.
[[nodiscard]] std::string difference_of_read(Store& store, const memory_engine::State& expected,
                                             LogId log, Offset from, ReadLimits limits,
                                             const std::vector<std::uint64_t>& tag_hashes);

[[nodiscard]] std::string describe(const Record& record);

}  // namespace sluice::storage::conformance
