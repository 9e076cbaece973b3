#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "common/runtime/disk.hpp"
#include "storage-plugins/fault-disk/fault_plan.hpp"

namespace sluice::fault_disk {

/// What a loss of power does to that which was not synced.
enum class PowerLoss : std::uint8_t {
  forget_unsynced,  ///< All of it is gone.
  keep_some_pages,  ///< Any pages of 4 KiB survive, in any of their states since the last sync, and
                    ///< any of the changes in directories: the disk reorders.
  keep_some_sectors  ///< The same with 512 bytes: pages are torn.
};

/// What read_at_if_cached() finds.
enum class Cache : std::uint8_t {
  warm,  ///< Everything.
  cold   ///< Nothing, whatever was read before.
};

/// A disk in memory that a test hands to a storage engine: it fails, crashes and forgets on demand,
/// and the same seed forgets the same.
///
/// It promises no more than POSIX does: bytes last after sync() of their file, names after
/// sync_directory() of their directory, nothing else, and nothing in the order it was done.
///
/// Any member may be called from any thread.
class FaultDisk final : public Disk {
 public:
  static constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 40U;

  /// \param directory  Exists from the start, durably. Absolute.
  explicit FaultDisk(const std::filesystem::path& directory);
  ~FaultDisk() override;

  // --- faults ---

  void inject(Fault fault);
  void crash_at(CrashPoint point);
  void clear_faults();

  /// From now on every call fails with io_error, on files open before too.
  void crash();
  [[nodiscard]] bool has_crashed() const;

  /// Makes calls of this kind wait, until release() or a crash.
  void hold(Call call);
  void release(Call call);
  [[nodiscard]] std::uint64_t held_count(Call call) const;

  /// What files may take together, in blocks of 4 KiB. More: storage_full.
  void set_capacity(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t used_bytes() const;

  /// Warm at first.
  void set_cache(Cache cache);

  /// Damages a byte where it lies. `path` is a file and `offset` below its size.
  void flip_byte(const std::filesystem::path& path, std::uint64_t offset,
                 std::byte mask = std::byte{1});

  // --- afterwards ---

  /// Crashes this disk. \return the disk that the next process finds after kill -9: all that was
  /// written, synced or not; what was not synced can still be lost by a loss of power.
  [[nodiscard]] std::unique_ptr<FaultDisk> process_crash();

  /// Crashes this disk. \return the disk that the next process finds after a loss of power. May be
  /// asked again, for what else could have been left.
  [[nodiscard]] std::unique_ptr<FaultDisk> power_loss(std::uint64_t seed, PowerLoss mode);

  // --- what happened ---

  [[nodiscard]] std::uint64_t count_of(Call call) const;
  [[nodiscard]] std::uint64_t change_count() const;  ///< All calls but reads.

  /// Every file and its size.
  [[nodiscard]] std::map<std::filesystem::path, std::uint64_t> files() const;

  // --- Disk ---

  [[nodiscard]] Result<std::unique_ptr<DiskFile>> open(const std::filesystem::path& path,
                                                       OpenMode mode) override;
  [[nodiscard]] Result<> rename(const std::filesystem::path& from,
                                const std::filesystem::path& to) override;
  [[nodiscard]] Result<> remove(const std::filesystem::path& path) override;
  [[nodiscard]] Result<> create_directories(const std::filesystem::path& path) override;
  [[nodiscard]] Result<> sync_directory(const std::filesystem::path& directory) override;
  [[nodiscard]] Result<std::vector<std::string>> list(
      const std::filesystem::path& directory) override;
  [[nodiscard]] Result<DiskSpace> space(const std::filesystem::path& directory) override;
  [[nodiscard]] Result<std::unique_ptr<DiskFile>> lock(const std::filesystem::path& path) override;

 private:
  struct Machine;
  class File;

  explicit FaultDisk(std::shared_ptr<Machine> machine);

  [[nodiscard]] Result<std::unique_ptr<DiskFile>> open_file(const std::filesystem::path& path,
                                                            OpenMode mode);

  std::shared_ptr<Machine> machine_;  ///< Shared with open files, which may outlive the disk.
};

}  // namespace sluice::fault_disk
