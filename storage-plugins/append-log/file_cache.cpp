#include "storage-plugins/append-log/file_cache.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sluice::append_log {

namespace {

constexpr std::size_t kZeroBytes = 1024UL * 1024;

std::uint64_t key_of(FileKind kind, std::uint64_t number) {
  return number * 2 + (kind == FileKind::index ? 1 : 0);
}

}  // namespace

Lookup<std::shared_ptr<DiskFile>> FileCache::get(FileKind kind, std::uint64_t number,
                                                 ReadMode mode) {
  const std::uint64_t key = key_of(kind, number);
  if (auto file = find(key)) return std::optional(std::move(file));
  if (mode == ReadMode::cached) return std::optional<std::shared_ptr<DiskFile>>();
  const auto path =
      kind == FileKind::index ? index_path(directory_, number) : segment_path(directory_, number);
  auto opened = disk_.open(path, OpenMode::read);
  SLUICE_TRY(opened);
  std::shared_ptr<DiskFile> file = *std::move(opened);
  add(key, file);
  return std::optional(std::move(file));
}

std::shared_ptr<DiskFile> FileCache::find(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->file;
}

void FileCache::add(std::uint64_t key, const std::shared_ptr<DiskFile>& file) {
  const std::lock_guard lock(mutex_);
  if (by_key_.contains(key)) return;
  entries_.push_front({.key = key, .file = file});
  by_key_.emplace(key, entries_.begin());
  if (entries_.size() <= files_max_) return;
  by_key_.erase(entries_.back().key);
  entries_.pop_back();
}

void FileCache::forget(FileKind kind, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key_of(kind, number));
  if (found == by_key_.end()) return;
  entries_.erase(found->second);
  by_key_.erase(found);
}

Result<bool> read_range(const DiskFile& file, std::uint64_t at, std::span<std::byte> into,
                        ReadMode mode) {
  const auto size =
      mode == ReadMode::cached ? file.read_at_if_cached(at, into) : file.read_at(at, into);
  SLUICE_TRY(size);
  if (*size == into.size()) return true;
  if (mode == ReadMode::cached) return false;
  return fail(Errc::corrupt_record,
              "the file ends at " + std::to_string(at + *size) + ", inside of what was written");
}

Result<> write_zeros(DiskFile& file, std::uint64_t begin, std::uint64_t end) {
  if (end <= begin) return {};
  const std::vector<std::byte> zeros(std::min<std::uint64_t>(kZeroBytes, end - begin));
  for (std::uint64_t at = begin; at < end; at += zeros.size()) {
    const std::size_t size = std::min<std::uint64_t>(zeros.size(), end - at);
    SLUICE_TRY(file.write_at(at, BytesView(zeros).first(size)));
  }
  return {};
}

}  // namespace sluice::append_log
