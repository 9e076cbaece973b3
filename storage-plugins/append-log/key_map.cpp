#include "storage-plugins/append-log/key_map.hpp"

#include <algorithm>
#include <utility>

namespace sluice::append_log {

void KeyMap::put(std::string_view key, std::string_view value) {
  const auto found = entries_.lower_bound(key);
  if (found != entries_.end() && found->first == key) {
    byte_count_ += value.size();
    byte_count_ -= found->second.size();
    found->second.assign(value);
    return;
  }
  entries_.emplace_hint(found, key, value);
  byte_count_ += key.size() + value.size();
}

void KeyMap::erase(std::string_view key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  byte_count_ -= found->first.size() + found->second.size();
  entries_.erase(found);
}

void KeyMap::erase_range(std::string_view first, std::string_view last) {
  auto it = entries_.lower_bound(first);
  const auto end = end_of_range(first, last);
  while (it != end) {
    byte_count_ -= it->first.size() + it->second.size();
    it = entries_.erase(it);
  }
}

const Bytes* KeyMap::get(std::string_view key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<storage::KeyValue> KeyMap::scan(std::string_view first, std::string_view last,
                                            std::size_t entries_max) const {
  std::vector<storage::KeyValue> found;
  const auto end = end_of_range(first, last);
  for (auto it = entries_.lower_bound(first); it != end && found.size() < entries_max; ++it) {
    found.push_back({.key = it->first, .value = it->second});
  }
  return found;
}

std::vector<storage::KeyValue> KeyMap::next_entries(const std::optional<Bytes>& after,
                                                    std::size_t entries_max,
                                                    std::size_t bytes_max) const {
  std::vector<storage::KeyValue> found;
  std::size_t bytes = 0;
  auto it = after ? entries_.upper_bound(*after) : entries_.begin();
  for (; it != entries_.end() && found.size() < entries_max && bytes < bytes_max; ++it) {
    bytes += it->first.size() + it->second.size();
    found.push_back({.key = it->first, .value = it->second});
  }
  return found;
}

void KeyMap::append_sorted(Bytes key, Bytes value) {
  byte_count_ += key.size() + value.size();
  entries_.emplace_hint(entries_.end(), std::move(key), std::move(value));
}

KeyMap::Entries::const_iterator KeyMap::end_of_range(std::string_view first,
                                                     std::string_view last) const {
  if (last.empty()) return entries_.end();
  return entries_.lower_bound(std::max(first, last));
}

}  // namespace sluice::append_log
