#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "storage-plugins/memory/state.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::memory_engine {

/// A State behind one mutex: every call is an instant, so commit() is linearizable by construction.
/// Nothing blocks for long and nothing suspends.
class MemoryEngine final : public storage::StorageEngine {
 public:
  /// Both outlive the engine.
  MemoryEngine(Environment& environment, storage::PositionCounter& positions)
      : environment_(environment), positions_(positions) {}

  Task<storage::ReadResult> read(storage::LogId log, storage::Offset from,
                                 storage::ReadLimits limits,
                                 std::vector<std::uint64_t> tag_hashes) override;
  Task<storage::Record> read_at(storage::Position position) override;
  Task<storage::LogBounds> bounds(storage::LogId log) override;
  Task<storage::Offset> offset_at(storage::LogId log, UnixMillis time) override;
  Task<std::optional<storage::Position>> position_at(UnixMillis time) override;
  Task<std::optional<storage::Position>> position_to_free(std::uint64_t bytes) override;
  Task<std::vector<storage::Position>> find(Bytes index_key, UnixMillis first, UnixMillis last,
                                            std::uint32_t positions_max,
                                            std::optional<storage::Position> before) override;
  [[nodiscard]] storage::Sequence sequence() const override;
  Task<std::optional<Bytes>> get(Bytes key) override;
  Task<std::vector<storage::KeyValue>> scan(Bytes first, Bytes last,
                                            std::uint32_t entries_max) override;
  Task<storage::Usage> usage() override;

  Task<storage::CommitReceipt> commit(storage::WriteBatch batch,
                                      storage::Durability durability) override;
  Task<> rewind(storage::Sequence last_kept) override;
  Task<std::unique_ptr<storage::ReadView>> snapshot() override;
  Task<> checkpoint(std::filesystem::path directory) override;
  Task<> close() override;

 private:
  Environment& environment_;
  storage::PositionCounter& positions_;
  mutable std::mutex mutex_;
  State state_;  ///< Under mutex_.
};

}  // namespace sluice::memory_engine
