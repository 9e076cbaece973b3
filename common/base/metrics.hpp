#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Counters that a hot path may touch: one relaxed add. What is refused, dropped or lost at a bound
/// is counted here, and everything here is served as Prometheus text by the admin listener.

namespace sluice::metrics {

class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t n) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// All metrics of the process, for ever. Call once per name and keep the reference: it takes a
/// lock. `labels` is the inside of the braces, such as `reason="over_limit"`, or empty.
[[nodiscard]] Counter& counter(std::string_view name, std::string_view labels,
                               std::string_view help);
[[nodiscard]] Gauge& gauge(std::string_view name, std::string_view labels, std::string_view help);

/// The Prometheus text format, version 0.0.4.
[[nodiscard]] std::string serialize();

}  // namespace sluice::metrics
