#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::append_log {

/// The keys and values of the store, in memory, ordered by unsigned bytes. Not thread-safe.
class KeyMap {
 public:
  void put(std::string_view key, std::string_view value);
  void erase(std::string_view key);
  /// An empty `last` means: to the end.
  void erase_range(std::string_view first, std::string_view last);

  [[nodiscard]] const Bytes* get(std::string_view key) const;
  [[nodiscard]] std::vector<storage::KeyValue> scan(std::string_view first, std::string_view last,
                                                    std::size_t entries_max) const;

  /// Calls visit(const Bytes& key) for each key in [first, last).
  template <class Visit>
  void visit_range(std::string_view first, std::string_view last, Visit visit) const {
    const auto end = end_of_range(first, last);
    for (auto it = entries_.lower_bound(first); it != end; ++it) visit(it->first);
  }

  /// Up to `entries_max` entries after `after` (nullopt: from the begin), and at least one if there
  /// is one; no more once they take `bytes_max`. For a snapshot taken piece by piece.
  [[nodiscard]] std::vector<storage::KeyValue> next_entries(const std::optional<Bytes>& after,
                                                            std::size_t entries_max,
                                                            std::size_t bytes_max) const;

  /// Adds a key above all that are there. For loading a checkpoint.
  void append_sorted(Bytes key, Bytes value);

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  /// Of all keys and values.
  [[nodiscard]] std::size_t byte_count() const noexcept { return byte_count_; }

 private:
  using Entries = std::map<Bytes, Bytes, std::less<>>;

  [[nodiscard]] Entries::const_iterator end_of_range(std::string_view first,
                                                     std::string_view last) const;

  Entries entries_;
  std::size_t byte_count_ = 0;
};

}  // namespace sluice::append_log
