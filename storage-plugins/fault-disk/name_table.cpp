#include "storage-plugins/fault-disk/name_table.hpp"

#include <algorithm>
#include <utility>

namespace sluice::fault_disk {

NameTable::NameTable(const Path& directory) {
  Path path = directory;
  while (now_.emplace(path, nullptr).second) path = path.parent_path();
  synced_ = now_;
}

bool NameTable::is_directory(const Path& path) const {
  const auto found = now_.find(path);
  return found != now_.end() && !found->second;
}

NameTable::FilePtr NameTable::file(const Path& path) const {
  const auto found = now_.find(path);
  return found == now_.end() ? nullptr : found->second;
}

std::vector<std::string> NameTable::names_in(const Path& directory) const {
  std::vector<std::string> names;
  for (const auto& [path, file] : now_) {
    const bool is_inside = path != directory && path.parent_path() == directory;
    if (is_inside) names.push_back(path.filename());
  }
  std::ranges::sort(names);
  return names;
}

void NameTable::create_file(const Path& path, FilePtr file) {
  change({.kind = Change::Kind::create,
          .path = path,
          .from = {},
          .file = std::move(file),
          .directories = {path.parent_path()}});
}

void NameTable::create_directory(const Path& path) {
  change({.kind = Change::Kind::create,
          .path = path,
          .from = {},
          .file = nullptr,
          .directories = {path.parent_path()}});
}

void NameTable::remove(const Path& path) {
  change({.kind = Change::Kind::remove,
          .path = path,
          .from = {},
          .file = nullptr,
          .directories = {path.parent_path()}});
}

void NameTable::rename(const Path& from, const Path& to) {
  change({.kind = Change::Kind::rename,
          .path = to,
          .from = from,
          .file = nullptr,
          .directories = {from.parent_path(), to.parent_path()}});
}

void NameTable::change(Change change) {
  apply(now_, change);
  unsynced_.push_back(std::move(change));
}

void NameTable::apply(Entries& entries, const Change& change) {
  switch (change.kind) {
    case Change::Kind::create:
      entries[change.path] = change.file;
      return;
    case Change::Kind::remove:
      entries.erase(change.path);
      return;
    case Change::Kind::rename: {
      auto node = entries.extract(change.from);
      if (node.empty()) return;
      entries.erase(change.path);
      node.key() = change.path;
      entries.insert(std::move(node));
      return;
    }
  }
}

std::set<NameTable::Path> NameTable::paths_of(const Change& change) {
  std::set<Path> paths{change.path};
  if (change.kind == Change::Kind::rename) paths.insert(change.from);
  return paths;
}

bool NameTable::builds_upon(const Change& change, const std::set<Path>& paths) {
  for (const Path& path : paths_of(change)) {
    if (paths.contains(path) || paths.contains(path.parent_path())) return true;
  }
  return false;
}

void NameTable::sync(const Path& directory) {
  for (Change& change : unsynced_) change.directories.erase(directory);
  // From the last to the first, since a change needs the earlier ones of its paths.
  std::set<Path> needed;
  std::vector<bool> is_durable(unsynced_.size());
  for (std::size_t i = unsynced_.size(); i-- > 0;) {
    const auto paths = paths_of(unsynced_[i]);
    const bool is_needed =
        std::ranges::any_of(paths, [&](const Path& path) { return needed.contains(path); });
    is_durable[i] = is_needed || unsynced_[i].directories.empty();
    if (!is_durable[i]) continue;
    needed.insert(paths.begin(), paths.end());
  }
  std::vector<Change> left;
  for (std::size_t i = 0; i < unsynced_.size(); ++i) {
    if (is_durable[i]) {
      apply(synced_, unsynced_[i]);
    } else {
      left.push_back(std::move(unsynced_[i]));
    }
  }
  unsynced_ = std::move(left);
}

NameTable NameTable::only_synced() const {
  NameTable left;
  left.now_ = synced_;
  left.settle();
  return left;
}

NameTable NameTable::partly_synced(Chance& chance) const {
  NameTable left;
  left.now_ = synced_;
  const std::size_t eighths = chance.eighths();
  std::set<Path> lost;
  for (const Change& change : unsynced_) {
    const bool is_kept = chance.in_eighths(eighths) && !builds_upon(change, lost);
    if (is_kept) {
      apply(left.now_, change);
    } else {
      lost.merge(paths_of(change));
    }
  }
  left.settle();
  return left;
}

void NameTable::settle() {
  // In order, so that a lost directory takes all below it along.
  std::erase_if(now_,
                [this](const auto& entry) { return !now_.contains(entry.first.parent_path()); });
  synced_ = now_;
}

}  // namespace sluice::fault_disk
