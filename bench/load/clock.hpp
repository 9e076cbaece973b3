#pragma once

#include <chrono>
#include <cstdint>

namespace sluice::bench {

inline constexpr double kNsPerSecond = 1e9;
inline constexpr std::int64_t kNever = INT64_MAX;

/// Monotonic time in nanoseconds.
[[nodiscard]] inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Milliseconds since 1970, as messages carry them.
[[nodiscard]] inline std::int64_t wall_clock_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

[[nodiscard]] inline std::int64_t to_ns(double seconds) {
  return static_cast<std::int64_t>(seconds * kNsPerSecond);
}

}  // namespace sluice::bench
