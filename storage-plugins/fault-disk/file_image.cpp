#include "storage-plugins/fault-disk/file_image.hpp"

#include <algorithm>

namespace sluice::fault_disk {

namespace {

std::size_t granules_for(std::uint64_t size, std::size_t granule_bytes) {
  return static_cast<std::size_t>((size + granule_bytes - 1) / granule_bytes);
}

void copy_to(std::vector<std::byte>& to, std::uint64_t offset, BytesView bytes) {
  if (to.size() < offset + bytes.size()) to.resize(offset + bytes.size());
  std::ranges::copy(bytes, to.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

std::size_t FileImage::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset >= now_.size()) return 0;
  const std::size_t size = std::min<std::uint64_t>(into.size(), now_.size() - offset);
  std::ranges::copy(BytesView(now_).subspan(offset, size), into.begin());
  return size;
}

void FileImage::write(std::uint64_t offset, BytesView bytes) {
  if (bytes.empty()) return;
  copy_to(now_, offset, bytes);
  reserve_pages(offset, bytes.size());
  unsynced_.push_back({.kind = Change::Kind::write,
                       .offset = offset,
                       .bytes = {bytes.begin(), bytes.end()},
                       .size = now_.size()});
}

void FileImage::resize(std::uint64_t size) {
  now_.resize(size);
  if (reserved_pages_.size() > granules_for(size, kPageBytes)) {
    reserved_pages_.resize(granules_for(size, kPageBytes));
  }
  unsynced_.push_back({.kind = Change::Kind::resize, .offset = 0, .bytes = {}, .size = size});
}

void FileImage::allocate(std::uint64_t size) {
  if (size > now_.size()) resize(size);
  reserve_pages(0, size);
}

void FileImage::sync() {
  for (const Change& change : unsynced_) {
    if (change.kind == Change::Kind::write) copy_to(synced_, change.offset, change.bytes);
    synced_.resize(change.size);
  }
  unsynced_.clear();
}

void FileImage::flip(std::uint64_t offset, std::byte mask) {
  now_[offset] ^= mask;
  if (offset < synced_.size()) synced_[offset] ^= mask;
  for (Change& change : unsynced_) {
    const bool is_inside = offset >= change.offset && offset - change.offset < change.bytes.size();
    if (is_inside) change.bytes[offset - change.offset] ^= mask;
  }
}

std::uint64_t FileImage::used_bytes() const {
  const auto pages = std::ranges::count(reserved_pages_, true);
  return static_cast<std::uint64_t>(pages) * kPageBytes;
}

std::uint64_t FileImage::missing_bytes(std::uint64_t offset, std::uint64_t size) const {
  std::uint64_t missing = 0;
  for (std::size_t page = offset / kPageBytes; page < granules_for(offset + size, kPageBytes);
       ++page) {
    const bool is_reserved = page < reserved_pages_.size() && reserved_pages_[page];
    if (!is_reserved) missing += kPageBytes;
  }
  return missing;
}

void FileImage::reserve_pages(std::uint64_t offset, std::uint64_t size) {
  const std::size_t end = granules_for(offset + size, kPageBytes);
  if (reserved_pages_.size() < end) reserved_pages_.resize(end);
  for (std::size_t page = offset / kPageBytes; page < end; ++page) reserved_pages_[page] = true;
}

FileImage FileImage::only_synced() const {
  FileImage left;
  left.now_ = synced_;
  left.synced_ = synced_;
  left.reserved_pages_ = reserved_pages_;
  left.reserved_pages_.resize(granules_for(synced_.size(), kPageBytes));
  return left;
}

FileImage FileImage::partly_synced(Chance& chance, std::size_t granule_bytes) const {
  FileImage left = only_synced();
  if (unsynced_.empty()) return left;
  const Survivors survivors = choose_survivors(chance, granule_bytes);
  const std::size_t size_changes = choose_size_change(chance);

  std::vector<std::byte>& bytes = left.now_;
  std::uint64_t size = synced_.size();
  for (std::size_t i = 0; i < unsynced_.size(); ++i) {
    const Change& change = unsynced_[i];
    if (i < size_changes) size = change.size;
    // Sizes are kept by a journal, in order: bytes that a kept cut removed do not come back.
    const bool is_kept_cut = change.kind == Change::Kind::resize && i < size_changes;
    if (is_kept_cut && bytes.size() > change.size) bytes.resize(change.size);
    if (change.kind != Change::Kind::write) continue;
    const std::uint64_t end = change.offset + change.bytes.size();
    for (std::uint64_t at = change.offset; at < end;) {
      const std::size_t granule = at / granule_bytes;
      const std::uint64_t part_end = std::min<std::uint64_t>(end, (granule + 1) * granule_bytes);
      if (i < survivors[granule]) {
        copy_to(bytes, at, BytesView(change.bytes).subspan(at - change.offset, part_end - at));
      }
      at = part_end;
    }
  }
  bytes.resize(size);
  left.synced_ = bytes;
  left.reserved_pages_ = reserved_pages_;
  left.reserved_pages_.resize(granules_for(size, kPageBytes));
  return left;
}

FileImage::Survivors FileImage::choose_survivors(Chance& chance, std::size_t granule_bytes) const {
  std::uint64_t end = 0;
  for (const Change& change : unsynced_) end = std::max(end, change.offset + change.bytes.size());
  std::vector<std::vector<std::size_t>> writes_of(granules_for(end, granule_bytes));
  for (std::size_t i = 0; i < unsynced_.size(); ++i) {
    const Change& change = unsynced_[i];
    const std::size_t last = granules_for(change.offset + change.bytes.size(), granule_bytes);
    for (std::size_t granule = change.offset / granule_bytes; granule < last; ++granule) {
      writes_of[granule].push_back(i);
    }
  }

  const std::size_t eighths = chance.eighths();
  Survivors survivors(writes_of.size(), 0);
  for (std::size_t granule = 0; granule < writes_of.size(); ++granule) {
    const auto& writes = writes_of[granule];
    if (writes.empty() || !chance.in_eighths(eighths)) continue;
    // Written back at some moment: the last state, or one on the way to it.
    const bool is_last = chance.in_eighths(5);
    survivors[granule] = 1 + (is_last ? writes.back() : writes[chance.below(writes.size())]);
  }
  return survivors;
}

std::size_t FileImage::choose_size_change(Chance& chance) const {
  switch (chance.below(4)) {
    case 0:
      return 0;
    case 1:
      return chance.below(unsynced_.size() + 1);
    default:
      return unsynced_.size();
  }
}

}  // namespace sluice::fault_disk
