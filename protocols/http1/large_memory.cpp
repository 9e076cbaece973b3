#include "protocols/http1/large_memory.hpp"

#include <atomic>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"

namespace sluice::http1 {

namespace {

std::atomic<std::size_t> taken_bytes{0};

metrics::Counter& overloads() {
  static metrics::Counter& counter = metrics::counter(
      "sluice_http_overload_total", "",
      "Requests answered with 503: large contents and answers take all memory they may.");
  return counter;
}

}  // namespace

std::optional<LargeMemory> LargeMemory::take(std::size_t bytes) {
  if (bytes <= limits::kHttpSmallBytes) return LargeMemory(0);
  const std::size_t before = taken_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes <= limits::kHttpLargeBytesMax) return LargeMemory(bytes);
  taken_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  overloads().add();
  return std::nullopt;
}

LargeMemory& LargeMemory::operator=(LargeMemory&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void LargeMemory::give_back() noexcept {
  taken_bytes.fetch_sub(std::exchange(bytes_, 0), std::memory_order_relaxed);
}

}  // namespace sluice::http1
