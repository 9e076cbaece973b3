#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "storage-plugins/fault-disk/chance.hpp"
#include "storage-plugins/fault-disk/file_image.hpp"

namespace sluice::fault_disk {

/// The directories of one file system: what programs see, what the disk holds for certain, and the
/// changes between the two. Paths are normal and absolute.
class NameTable {
 public:
  using Path = std::filesystem::path;
  using FilePtr = std::shared_ptr<FileImage>;
  using Entries = std::map<Path, FilePtr>;  ///< nullptr: a directory.

  /// `directory` and all above it exist, durably.
  explicit NameTable(const Path& directory);

  [[nodiscard]] const Entries& entries() const noexcept { return now_; }
  [[nodiscard]] bool is_directory(const Path& path) const;
  [[nodiscard]] FilePtr file(const Path& path) const;  ///< nullptr if there is none.
  [[nodiscard]] std::vector<std::string> names_in(const Path& directory) const;

  // The caller has checked that the change is possible.
  void create_file(const Path& path, FilePtr file);
  void create_directory(const Path& path);
  void remove(const Path& path);
  void rename(const Path& from, const Path& to);

  /// Makes the changes in `directory` durable, and the earlier ones of the same names. That the
  /// directory itself lasts takes a sync of the one above.
  void sync(const Path& directory);

  /// What a loss of power leaves, and what it may leave: each unsynced change lost or kept, but
  /// none kept that builds upon a lost one. The files are those of this table.
  [[nodiscard]] NameTable only_synced() const;
  [[nodiscard]] NameTable partly_synced(Chance& chance) const;

  /// Replaces every file by what `copy` makes of it: one new file for one old one, under all names.
  template <class Copy>
  void replace_files(Copy copy);

 private:
  struct Change {
    enum class Kind : std::uint8_t { create, remove, rename };
    Kind kind;
    Path path;                   ///< Created, removed, or renamed to this.
    Path from;                   ///< Of a rename.
    FilePtr file;                ///< Of a creation; nullptr: a directory.
    std::set<Path> directories;  ///< Those still to be synced.
  };

  NameTable() = default;

  /// Makes what there is durable, but for names in directories that are gone.
  void settle();

  void change(Change change);
  [[nodiscard]] static std::set<Path> paths_of(const Change& change);
  [[nodiscard]] static bool builds_upon(const Change& change, const std::set<Path>& paths);
  static void apply(Entries& entries, const Change& change);

  Entries now_;
  Entries synced_;
  std::vector<Change> unsynced_;
};

template <class Copy>
void NameTable::replace_files(Copy copy) {
  std::map<FilePtr, FilePtr> copies;
  const auto replace = [&](FilePtr& file) {
    if (!file) return;
    FilePtr& copied = copies[file];
    if (!copied) copied = std::make_shared<FileImage>(copy(*file));
    file = copied;
  };
  for (auto& [path, file] : now_) replace(file);
  for (auto& [path, file] : synced_) replace(file);
  for (Change& change : unsynced_) replace(change.file);
}

}  // namespace sluice::fault_disk
