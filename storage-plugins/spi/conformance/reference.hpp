#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage-plugins/memory/state.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::storage::conformance {

/// The reference state beside an engine, with the history that led to it, so that it can go back to
/// any commit as an engine does that lost the last of them.
class Reference {
 public:
  /// Does what the engine answered to a commit. \return how its answer differs from what the
  /// contract says, in words; empty if it does not.
  [[nodiscard]] std::string follow(const WriteBatch& batch, const Result<CommitReceipt>& answer);

  /// Does a commit that the engine never answered. Its records get the positions after the last.
  /// \param now  What the engine's clock says.
  void assume(const WriteBatch& batch, UnixMillis now);

  /// Forgets every commit after `last_kept`, which is not above sequence().
  void rewind(Sequence last_kept);

  [[nodiscard]] const memory_engine::State& state() const noexcept { return state_; }
  [[nodiscard]] Sequence sequence() const { return state_.sequence(); }

  /// Of every record ever appended, also those forgotten since.
  [[nodiscard]] const std::vector<Position>& positions() const noexcept { return positions_; }
  /// Different times at which records were stored, in order.
  [[nodiscard]] const std::vector<UnixMillis>& times() const noexcept { return times_; }

 private:
  struct Commit {
    WriteBatch batch;
    Position first_position;
    UnixMillis stored_at;
  };

  Result<CommitReceipt> apply(const Commit& commit);

  memory_engine::State state_;
  std::vector<Commit> history_;
  std::vector<Position> positions_;
  std::vector<UnixMillis> times_;
};

}  // namespace sluice::storage::conformance
