#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::bench {

struct DiskProbe {
  std::size_t block_bytes;
  std::uint64_t writes;
  double mean_s;  ///< Of one write and its fdatasync.
};

/// Writes blocks one after the other into a file that was allocated and written before, with an
/// fdatasync after each, as a log with recycled segments does: what the disk under `directory`
/// allows. The file is removed.
[[nodiscard]] DiskProbe probe_disk(const std::string& directory, double seconds);

}  // namespace sluice::bench
