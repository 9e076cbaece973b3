#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "common/runtime/disk.hpp"
#include "storage-plugins/append-log/segment.hpp"

namespace sluice::append_log {

/// How far a read may go. On an event loop nothing may block: what is not in memory is answered
/// with "would block", and the read goes on on a worker thread.
enum class ReadMode : std::uint8_t { cached, blocking };

/// nullopt: would block. Only in ReadMode::cached.
template <class T>
using Lookup = Result<std::optional<T>>;

/// Files of segments and indexes, open for reading, a bounded number of them. Thread-safe.
class FileCache {
 public:
  FileCache(Disk& disk, std::filesystem::path directory, std::size_t files_max)
      : disk_(disk), directory_(std::move(directory)), files_max_(files_max) {}

  [[nodiscard]] Lookup<std::shared_ptr<DiskFile>> get(FileKind kind, std::uint64_t number,
                                                      ReadMode mode);

  /// The file has another name from now on, or none.
  void forget(FileKind kind, std::uint64_t number);

 private:
  struct Entry {
    std::uint64_t key;
    std::shared_ptr<DiskFile> file;
  };

  [[nodiscard]] std::shared_ptr<DiskFile> find(std::uint64_t key);
  void add(std::uint64_t key, const std::shared_ptr<DiskFile>& file);

  Disk& disk_;
  std::filesystem::path directory_;
  std::size_t files_max_;

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< Used last first.
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> by_key_;
};

/// Reads [at, at + into.size()) of `file`.
/// \return false: would block. corrupt_record if the file ends before.
[[nodiscard]] Result<bool> read_range(const DiskFile& file, std::uint64_t at,
                                      std::span<std::byte> into, ReadMode mode);

/// Overwrites [begin, end) of `file` with zeros; nothing if `end` is not above `begin`. Blocks.
[[nodiscard]] Result<> write_zeros(DiskFile& file, std::uint64_t begin, std::uint64_t end);

}  // namespace sluice::append_log
