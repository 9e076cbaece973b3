#pragma once

#include <memory>

#include "storage-plugins/append-log/accounting.hpp"
#include "storage-plugins/append-log/reader.hpp"
#include "storage-plugins/append-log/recovery.hpp"
#include "storage-plugins/append-log/upkeep.hpp"
#include "storage-plugins/append-log/writer.hpp"

namespace sluice::append_log {

/// The parts of one engine. Shared with whatever is posted, so that a handler that runs late finds
/// it.
struct Core {
  Core(storage::EngineOptions options, const Settings& settings);

  /// Recovers and starts. Blocks.
  [[nodiscard]] static Result<std::shared_ptr<Core>> open(storage::EngineOptions options,
                                                          const Settings& settings);

  /// Ends all threads' work on the store and lets go of it. Blocks. Idempotent.
  void stop();

  Store store;
  Upkeep upkeep;
  Writer writer;
  Reader reader;
  Accounting accounting;
};

class AppendLogEngine final : public storage::StorageEngine {
 public:
  explicit AppendLogEngine(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  ~AppendLogEngine() override { core_->stop(); }
  AppendLogEngine(const AppendLogEngine&) = delete;
  AppendLogEngine& operator=(const AppendLogEngine&) = delete;

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
  std::shared_ptr<Core> core_;
};

}  // namespace sluice::append_log
