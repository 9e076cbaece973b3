#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <random>

#include "common/base/environment.hpp"

namespace sluice::test {

/// A wall clock that stands still until the test moves it, in either direction, and random numbers
/// by seed. The steady clock is the machine's, so that time-outs run as ever; a test may put it
/// forward.
class ManualEnvironment final : public Environment {
 public:
  explicit ManualEnvironment(UnixMillis now = UnixMillis{1'700'000'000'000}, std::uint64_t seed = 1)
      : now_(now.value), random_(seed) {}

  [[nodiscard]] UnixMillis now() const noexcept override { return UnixMillis{now_.load()}; }
  [[nodiscard]] Instant steady_now() const noexcept override {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(skipped_ms_.load());
  }
  [[nodiscard]] std::uint64_t random() noexcept override {
    const std::lock_guard lock(mutex_);
    return random_();
  }

  void set(UnixMillis now) noexcept { now_ = now.value; }
  void advance(std::int64_t millis) noexcept { now_ += millis; }
  void skip(std::chrono::milliseconds time) noexcept { skipped_ms_ += time.count(); }

 private:
  std::atomic<std::int64_t> now_;
  std::atomic<std::int64_t> skipped_ms_{0};
  std::mutex mutex_;
  std::mt19937_64 random_;
};

}  // namespace sluice::test
