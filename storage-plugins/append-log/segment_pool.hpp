#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "common/runtime/disk.hpp"

namespace sluice::append_log {

/// A file that is named, allocated and durable, and waits for its first frame.
struct PreparedSegment {
  std::uint64_t number = 0;
  std::uint64_t file_bytes = 0;
  std::shared_ptr<DiskFile> file{};
};

/// Makes segment files ready and takes them back. Members block; any thread, but one at a time for
/// one segment.
class SegmentPool {
 public:
  SegmentPool(Disk& disk, std::filesystem::path directory, std::uint64_t segment_bytes)
      : disk_(disk), directory_(std::move(directory)), segment_bytes_(segment_bytes) {}

  /// A file for segment `number` with room for `bytes_min` bytes in all, recycled if one is free.
  /// \return storage_full, io_error: there is no such file then, or one that open() removes.
  [[nodiscard]] Result<PreparedSegment> prepare(std::uint64_t number, std::uint64_t bytes_min);

  /// The segment is needed no more: keeps its file for another, or removes it; and its index.
  [[nodiscard]] Result<> retire(std::uint64_t number, std::uint64_t file_bytes);

  /// A free file that was found at open.
  void add_free(std::uint64_t number);

  /// Of all free files.
  [[nodiscard]] std::uint64_t free_bytes() const;

 private:
  [[nodiscard]] Result<std::unique_ptr<DiskFile>> open_file(std::uint64_t number,
                                                            std::uint64_t file_bytes);
  [[nodiscard]] Result<> fit(DiskFile& file, std::uint64_t file_bytes);

  Disk& disk_;
  std::filesystem::path directory_;
  std::uint64_t segment_bytes_;

  mutable std::mutex mutex_;
  std::vector<std::uint64_t> free_;  ///< Numbers of `free-` files.
};

}  // namespace sluice::append_log
