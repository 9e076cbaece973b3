#pragma once

#include <cstdint>
#include <string>

#include "storage-plugins/spi/conformance/comparison.hpp"
#include "storage-plugins/spi/conformance/reference.hpp"
#include "storage-plugins/spi/conformance/store.hpp"

namespace sluice::storage::conformance {

/// What an engine has promised so far, and what it may hold.
struct Promised {
  Reference reference;  ///< All commits that were begun.
  Sequence buffered;    ///< The last that was acknowledged.
  Sequence synced;      ///< The last that was acknowledged as synced.
};

/// A script of commits, the same every time for the same seed: all operations, records that roll
/// segments, and in every commit a trace of its own.
class Workload {
 public:
  explicit Workload(std::uint64_t seed) : seed_(seed) {}

  static constexpr int kCommits = 40;

  enum class Sync : std::uint8_t { some, all };

  /// Runs the script on an engine that is open, until it ends or a commit fails as commits on a
  /// crashed disk do. What the engine answers is compared with the reference.
  void run(Store& store, Promised& promised, Sync sync = Sync::some) const;

 private:
  std::uint64_t seed_;
};

/// Checks an engine after a crash: it is open, at least `kept` commits have survived and they are a
/// prefix, whole. \return what is wrong in words; empty if nothing is. The reference goes back to
/// what survived.
[[nodiscard]] std::string check_survivors(Store& store, Reference& reference, Sequence kept);

/// Commits a little more and checks it.
[[nodiscard]] std::string check_that_it_works(Store& store, Reference& reference);

/// What check_survivors() asks about.
[[nodiscard]] Universe universe_of(const Reference& reference);

}  // namespace sluice::storage::conformance
