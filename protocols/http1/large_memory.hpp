#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace sluice::http1 {

/// A share of what large contents and answers of all connections may take
/// (limits::kHttpLargeBytesMax). Given back when it goes. Safe to take on any loop.
class LargeMemory {
 public:
  /// nullopt, and counted, if that is too much. Up to limits::kHttpSmallBytes are free.
  [[nodiscard]] static std::optional<LargeMemory> take(std::size_t bytes);

  LargeMemory(LargeMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  LargeMemory& operator=(LargeMemory&& other) noexcept;
  ~LargeMemory() { give_back(); }

 private:
  explicit LargeMemory(std::size_t bytes) noexcept : bytes_(bytes) {}
  void give_back() noexcept;

  std::size_t bytes_;
};

}  // namespace sluice::http1
