#pragma once

#include <atomic>
#include <cstdint>

namespace sluice::broker {

/// What has flowed so far.
struct Flow {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t calls = 0;  ///< That carried them.

  friend bool operator==(const Flow&, const Flow&) = default;
};

/// Counts what flows, from any thread: three additions a call. It only grows.
class Traffic {
 public:
  void add(std::uint64_t messages, std::uint64_t bytes) noexcept {
    messages_.fetch_add(messages, std::memory_order_relaxed);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    calls_.fetch_add(1, std::memory_order_relaxed);
  }

  [[nodiscard]] Flow flow() const noexcept {
    return {.messages = messages_.load(std::memory_order_relaxed),
            .bytes = bytes_.load(std::memory_order_relaxed),
            .calls = calls_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> calls_{0};
};

}  // namespace sluice::broker
