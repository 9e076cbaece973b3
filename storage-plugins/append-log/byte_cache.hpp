#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>

#include "common/base/slice.hpp"

namespace sluice::append_log {

/// Which piece of which file.
struct PieceKey {
  std::uint64_t file = 0;
  std::uint64_t piece = 0;

  friend bool operator==(const PieceKey&, const PieceKey&) = default;
};

/// Pieces of files, the last used ones up to a number of bytes. Thread-safe.
class ByteCache {
 public:
  explicit ByteCache(std::uint64_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  /// An empty slice if it is not there.
  [[nodiscard]] Slice find(PieceKey key);
  void add(PieceKey key, Slice bytes);

  /// The file has other bytes from now on.
  void forget(std::uint64_t file);

  [[nodiscard]] bool is_enabled() const noexcept { return bytes_max_ > 0; }

 private:
  struct Hash {
    std::size_t operator()(const PieceKey& key) const noexcept {
      return static_cast<std::size_t>(key.file * 0x9E37'79B9'7F4A'7C15 + key.piece);
    }
  };
  struct Entry {
    PieceKey key;
    Slice bytes;
  };

  std::uint64_t bytes_max_;
  std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  std::list<Entry> entries_;  ///< Used last first.
  std::unordered_map<PieceKey, std::list<Entry>::iterator, Hash> by_key_;
};

}  // namespace sluice::append_log
