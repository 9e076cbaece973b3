#include "storage-plugins/append-log/byte_cache.hpp"

#include <utility>

namespace sluice::append_log {

Slice ByteCache::find(PieceKey key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return {};
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->bytes;
}

void ByteCache::add(PieceKey key, Slice bytes) {
  if (bytes.size() > bytes_max_) return;
  const std::lock_guard lock(mutex_);
  if (by_key_.contains(key)) return;
  bytes_ += bytes.size();
  entries_.push_front({.key = key, .bytes = std::move(bytes)});
  by_key_.emplace(key, entries_.begin());
  while (bytes_ > bytes_max_) {
    bytes_ -= entries_.back().bytes.size();
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

void ByteCache::forget(std::uint64_t file) {
  const std::lock_guard lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (it->key.file != file) {
      ++it;
      continue;
    }
    bytes_ -= it->bytes.size();
    by_key_.erase(it->key);
    it = entries_.erase(it);
  }
}

}  // namespace sluice::append_log
