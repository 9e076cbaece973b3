#pragma once

#include <vector>

#include "storage-plugins/append-log/checkpoint_codec.hpp"
#include "storage-plugins/append-log/store.hpp"

namespace sluice::append_log {

/// Writes a checkpoint of what is published, while commits go on, and removes the ones before it.
/// Blocks.
/// \return the number of the segment that replay begins with now.
[[nodiscard]] Result<std::uint64_t> write_checkpoint(Store& store);

/// A checkpoint in memory.
struct LoadedCheckpoint {
  CheckpointHeader header;
  CheckpointEnd end;
  KeyMap keys;
  std::vector<CheckpointLog> logs;
  std::uint64_t file_bytes = 0;
};

/// \return corrupt_record if it is damaged.
[[nodiscard]] Result<LoadedCheckpoint> load_checkpoint(Disk& disk,
                                                       const std::filesystem::path& path);

}  // namespace sluice::append_log
