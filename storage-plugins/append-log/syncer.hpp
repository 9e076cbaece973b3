#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/runtime/disk.hpp"
#include "storage-plugins/append-log/commit_list.hpp"
#include "storage-plugins/append-log/loops.hpp"

namespace sluice::append_log {

/// Makes what was written durable, in order, and completes the commits that wait for that. Its
/// thread starts with the first of them. All members may be called from any thread.
class Syncer {
 public:
  explicit Syncer(const Loops& loops) : loops_(loops) {}
  ~Syncer() { stop(); }
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;

  /// Frames up to `sequence` were written, the last of them to `file`. Call in order.
  void note_written(const std::shared_ptr<DiskFile>& file, storage::Sequence sequence);

  /// Completes `commits`, whose frames were noted, once they are durable.
  void add(CommitList commits);

  /// Syncs all that was noted up to now. Blocks.
  [[nodiscard]] Result<> sync_now();

  /// All commits up to here are durable.
  [[nodiscard]] storage::Sequence synced() const noexcept {
    return storage::Sequence{synced_.load(std::memory_order_acquire)};
  }

  /// The store was opened and found to be durable up to here.
  void start_from(storage::Sequence synced) noexcept { synced_ = synced.value; }

  /// Something went wrong that makes later writes unsafe: as after a failed sync.
  void fence(const Error& error);

  /// Why a sync failed. From then on nothing may be written.
  [[nodiscard]] std::optional<Error> failure() const;
  [[nodiscard]] bool has_failed() const noexcept {
    return has_failed_.load(std::memory_order_acquire);
  }

  /// Ends the thread. Commits that still wait get `cancelled`. Blocks for a running sync.
  void stop();

 private:
  void run();
  void complete_synced();

  const Loops& loops_;

  std::mutex sync_mutex_;  ///< Held during a sync: syncs do not overtake each other.

  mutable std::mutex mutex_;  ///< Guards what follows.
  std::condition_variable changed_;
  std::vector<std::shared_ptr<DiskFile>> dirty_;
  storage::Sequence written_;
  CommitList waiting_;
  std::optional<Error> failure_;
  bool is_stopping_ = false;
  bool is_idle_ = true;
  std::thread thread_;

  std::atomic<std::uint64_t> synced_{0};
  std::atomic<bool> has_failed_{false};
};

}  // namespace sluice::append_log
