#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/types.hpp"
#include "storage-plugins/fault-disk/chance.hpp"

namespace sluice::fault_disk {

/// One file: what programs see, what a disk holds for certain, and every change between the two.
class FileImage {
 public:
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t kSectorBytes = 512;

  [[nodiscard]] std::uint64_t size() const noexcept { return now_.size(); }
  [[nodiscard]] BytesView bytes() const noexcept { return now_; }

  /// \return bytes read: fewer than asked only at the end.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> into) const;

  void write(std::uint64_t offset, BytesView bytes);

  /// Cuts or extends with zeros. What is added takes no space until it is written or reserved.
  void resize(std::uint64_t size);

  /// Reserves [0, size), and extends to it.
  void allocate(std::uint64_t size);

  void sync();

  /// Damages one byte, on the disk and in every cache. `offset` is below size().
  void flip(std::uint64_t offset, std::byte mask);

  [[nodiscard]] std::uint64_t used_bytes() const;

  /// How much more space writing, or reserving, [offset, offset + size) would take.
  [[nodiscard]] std::uint64_t missing_bytes(std::uint64_t offset, std::uint64_t size) const;

  /// What a loss of power leaves: the synced bytes alone.
  [[nodiscard]] FileImage only_synced() const;

  /// What a loss of power may leave: for each granule (a page or a sector) the synced bytes or
  /// those after any one of the writes to it since, and any of the sizes that the file had since.
  [[nodiscard]] FileImage partly_synced(Chance& chance, std::size_t granule_bytes) const;

 private:
  struct Change {
    enum class Kind : std::uint8_t { write, resize };
    Kind kind;
    std::uint64_t offset;          ///< Of a write.
    std::vector<std::byte> bytes;  ///< Of a write.
    std::uint64_t size;            ///< The file's size after the change.
  };

  /// The first changes that survive: the first `count` that touched a granule, or that set the
  /// size.
  using Survivors = std::vector<std::size_t>;

  [[nodiscard]] Survivors choose_survivors(Chance& chance, std::size_t granule_bytes) const;
  [[nodiscard]] std::size_t choose_size_change(Chance& chance) const;
  void reserve_pages(std::uint64_t offset, std::uint64_t size);

  std::vector<std::byte> now_;
  std::vector<std::byte> synced_;
  std::vector<Change> unsynced_;
  std::vector<bool> reserved_pages_;
};

}  // namespace sluice::fault_disk
