#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

/// \file
/// All that storage asks of a file system, behind an interface so that tests can hand in a disk
/// that fails, tears, reorders and forgets (fault_disk).
///
/// Every call blocks. Any member may be called from any thread. Errors: io_error, with the path and
/// the system's words in the text; storage_full for ENOSPC and EDQUOT; not_found for ENOENT.

namespace sluice {

struct DiskSpace {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  ///< What this process may still use.
};

class DiskFile {
 public:
  virtual ~DiskFile() = default;

  /// Fills `into` from `offset` on. \return bytes read: fewer than asked only at the end of the
  /// file.
  [[nodiscard]] virtual Result<std::size_t> read_at(std::uint64_t offset,
                                                    std::span<std::byte> into) const = 0;

  /// Like read_at(), but only what is in memory: 0 bytes if reading would block (RWF_NOWAIT).
  [[nodiscard]] virtual Result<std::size_t> read_at_if_cached(std::uint64_t offset,
                                                              std::span<std::byte> into) const = 0;

  /// Writes all of `bytes` or fails; after a failure any prefix of them may be in the file.
  [[nodiscard]] virtual Result<> write_at(std::uint64_t offset, BytesView bytes) = 0;

  /// Makes what was written durable (fdatasync). After an error nothing written since the last good
  /// sync is certain, and a later success proves nothing.
  [[nodiscard]] virtual Result<> sync() = 0;

  /// Cuts or extends with zeros.
  [[nodiscard]] virtual Result<> resize(std::uint64_t size) = 0;

  /// Reserves blocks for [0, size) and sets the size (posix_fallocate).
  [[nodiscard]] virtual Result<> allocate(std::uint64_t size) = 0;

  [[nodiscard]] virtual Result<std::uint64_t> size() const = 0;

  /// Tells the system that [offset, offset + size) will be read soon (POSIX_FADV_WILLNEED).
  virtual void advise_will_need(std::uint64_t offset, std::uint64_t size) const noexcept = 0;
};

enum class OpenMode : std::uint8_t {
  read,           ///< Must exist.
  read_write,     ///< Must exist.
  create,         ///< Must not exist.
  create_or_open  ///< Either.
};

class Disk {
 public:
  virtual ~Disk() = default;

  [[nodiscard]] virtual Result<std::unique_ptr<DiskFile>> open(const std::filesystem::path& path,
                                                               OpenMode mode) = 0;

  /// Atomic within one file system; durable after sync_directory() of both folders.
  [[nodiscard]] virtual Result<> rename(const std::filesystem::path& from,
                                        const std::filesystem::path& to) = 0;
  [[nodiscard]] virtual Result<> remove(const std::filesystem::path& path) = 0;
  [[nodiscard]] virtual Result<> create_directories(const std::filesystem::path& path) = 0;

  /// Makes creations, renames and removals in `directory` durable.
  [[nodiscard]] virtual Result<> sync_directory(const std::filesystem::path& directory) = 0;

  /// Names (not paths) in `directory`, sorted.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(
      const std::filesystem::path& directory) = 0;

  [[nodiscard]] virtual Result<DiskSpace> space(const std::filesystem::path& directory) = 0;

  /// Takes the exclusive lock of a store, for as long as the returned file lives.
  /// \return conflict if another process holds it; its id is in the text where the system tells it.
  [[nodiscard]] virtual Result<std::unique_ptr<DiskFile>> lock(
      const std::filesystem::path& path) = 0;
};

/// The machine's file system.
[[nodiscard]] Disk& system_disk() noexcept;

}  // namespace sluice
