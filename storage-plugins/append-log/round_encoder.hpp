#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "storage-plugins/append-log/key_overlay.hpp"
#include "storage-plugins/append-log/round.hpp"

namespace sluice::append_log {

/// Decides which commits of a round hold, gives them sequences, offsets and positions, and encodes
/// their frames. Each commit sees those before it. Only the leader uses it, and only the leader
/// publishes, so it reads the published state without a lock.
class RoundEncoder {
 public:
  explicit RoundEncoder(Store& store) : store_(store), keys_(store.state.keys()) {}

  /// The time of all commits from here to clear().
  void begin_round(const Chain& chain);

  /// \return why the commit must be refused: conflict or offset_out_of_range.
  [[nodiscard]] Result<> check(const PendingCommit& commit);

  /// Encodes a commit that check() let pass into `memory`, fills in its receipt, and moves `chain`
  /// on.
  FrameHeader encode(PendingCommit& commit, std::span<std::byte> memory,
                     const SegmentHeader& segment, Chain& chain);

  /// The round was published, or failed: what is published is the truth again.
  void clear();

 private:
  [[nodiscard]] Result<> check_expectations(const storage::WriteBatch& batch);
  [[nodiscard]] Result<> check_truncations(const storage::WriteBatch& batch) const;
  [[nodiscard]] storage::Offset next_of(storage::LogId log) const;
  void encode_append(const storage::NewRecord& record, storage::Position position,
                     FrameEncoder& frame, storage::CommitReceipt& receipt);

  Store& store_;
  KeyOverlay keys_;
  boost::unordered_flat_map<std::uint64_t, storage::Offset> next_;  ///< By log; where it changed.
  UnixMillis now_;
};

}  // namespace sluice::append_log
