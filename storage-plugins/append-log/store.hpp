#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "common/base/metrics.hpp"
#include "storage-plugins/append-log/byte_cache.hpp"
#include "storage-plugins/append-log/file_cache.hpp"
#include "storage-plugins/append-log/loops.hpp"
#include "storage-plugins/append-log/segment_pool.hpp"
#include "storage-plugins/append-log/settings.hpp"
#include "storage-plugins/append-log/state.hpp"
#include "storage-plugins/append-log/syncer.hpp"
#include "storage-plugins/append-log/worker_strand.hpp"
#include "storage-plugins/append-log/write_block.hpp"

namespace sluice::append_log {

/// What happened that somebody should know of.
struct Metrics {
  Metrics();

  metrics::Counter& torn_tails;       ///< Frames cut off by a crash and dropped at open.
  metrics::Counter& corrupt_records;  ///< Records refused because their checksum was wrong.
  metrics::Counter& indexes_rebuilt;
  metrics::Counter& write_errors;
  metrics::Counter& commits_refused;  ///< Because too much waited to be written.
  metrics::Counter& segment_waits;    ///< Rounds that had to wait for a segment to be made ready.
};

/// What the parts of one engine share.
struct Store {
  Store(storage::EngineOptions options, const Settings& settings);

  [[nodiscard]] Environment& environment() const noexcept { return runtime.environment(); }

  const Settings settings;
  const std::filesystem::path directory;
  Runtime& runtime;
  Disk& disk;
  storage::PositionCounter& positions;
  const Loops loops;
  Metrics metrics;
  std::unique_ptr<DiskFile> lock_file;

  mutable std::mutex mutex;  ///< Guards state and tail. Held for microseconds, never over I/O.
  State state;
  TailCache tail;

  std::shared_ptr<BlockPool> blocks = std::make_shared<BlockPool>();
  SegmentPool segments;
  FileCache files;
  ByteCache index_blocks;
  ByteCache ranges;  ///< Of segments.
  Syncer syncer;
  std::atomic<std::uint64_t> checkpoint_bytes{0};
  std::atomic<std::uint64_t> checkpoint_segment{0};  ///< Replay begins with it; 0: no checkpoint.
  std::atomic<std::uint64_t> index_rebuilds{0};  ///< How often an index turned out to be damaged.
  WorkerStrand preparation;                      ///< What commits may wait for.
  WorkerStrand upkeep;                           ///< Indexes, checkpoints, retirement.
};

}  // namespace sluice::append_log
