#include "storage-plugins/append-log/segment_pool.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "storage-plugins/append-log/bounds.hpp"
#include "storage-plugins/append-log/format.hpp"
#include "storage-plugins/append-log/segment.hpp"

namespace sluice::append_log {

Result<PreparedSegment> SegmentPool::prepare(std::uint64_t number, std::uint64_t bytes_min) {
  const std::uint64_t file_bytes = std::max(segment_bytes_, round_up(bytes_min, kPageBytes));
  auto opened = open_file(number, file_bytes);
  SLUICE_TRY(opened);
  std::shared_ptr<DiskFile> file = *std::move(opened);
  const auto fitted = fit(*file, file_bytes);
  if (!fitted) {
    static_cast<void>(disk_.remove(segment_path(directory_, number)));
    return fail(fitted.error());
  }
  SLUICE_TRY(disk_.sync_directory(directory_));
  return PreparedSegment{.number = number, .file_bytes = file_bytes, .file = std::move(file)};
}

Result<std::unique_ptr<DiskFile>> SegmentPool::open_file(std::uint64_t number,
                                                         std::uint64_t file_bytes) {
  std::optional<std::uint64_t> free_number;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty() && file_bytes == segment_bytes_) {
      free_number = free_.back();
      free_.pop_back();
    }
  }
  const auto path = segment_path(directory_, number);
  if (!free_number) return disk_.open(path, OpenMode::create_or_open);
  SLUICE_TRY(disk_.rename(free_path(directory_, *free_number), path));
  return disk_.open(path, OpenMode::read_write);
}

Result<> SegmentPool::fit(DiskFile& file, std::uint64_t file_bytes) {
  const auto size = file.size();
  SLUICE_TRY(size);
  if (*size > file_bytes) SLUICE_TRY(file.resize(file_bytes));
  if (*size < file_bytes) SLUICE_TRY(file.allocate(file_bytes));
  if (*size == file_bytes) return {};
  return file.sync();
}

Result<> SegmentPool::retire(std::uint64_t number, std::uint64_t file_bytes) {
  bool keep = false;
  {
    const std::lock_guard lock(mutex_);
    keep = file_bytes == segment_bytes_ && free_.size() < kFreeSegmentsMax;
  }
  const auto path = segment_path(directory_, number);
  if (keep) {
    SLUICE_TRY(disk_.rename(path, free_path(directory_, number)));
  } else {
    SLUICE_TRY(disk_.remove(path));
  }
  SLUICE_TRY(disk_.sync_directory(directory_));
  if (keep) add_free(number);
  // What is left of an index without a segment is removed at open.
  static_cast<void>(disk_.remove(index_path(directory_, number)));
  return {};
}

void SegmentPool::add_free(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  free_.push_back(number);
}

std::uint64_t SegmentPool::free_bytes() const {
  const std::lock_guard lock(mutex_);
  return free_.size() * segment_bytes_;
}

}  // namespace sluice::append_log
