#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "broker/statistics/traffic.hpp"
#include "common/base/environment.hpp"

namespace sluice::broker {

/// What flowed between two moments.
struct FlowBetween {
  Flow flow;
  std::chrono::milliseconds time{0};

  /// Messages, bytes or calls a second; 0 if no time passed.
  [[nodiscard]] double per_second(std::uint64_t amount) const noexcept {
    return time.count() <= 0
               ? 0
               : static_cast<double>(amount) * 1000 / static_cast<double>(time.count());
  }
};

/// A flow at the latest few of evenly spaced moments, oldest first.
template <std::size_t N>
class FlowRing {
 public:
  void add(Environment::Instant now, const Flow& flow) noexcept {
    entries_[(begin_ + size_) % N] = {now, flow};
    if (size_ < N) {
      ++size_;
    } else {
      begin_ = (begin_ + 1) % N;
    }
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Over the latest `steps` steps, or as many as there are.
  [[nodiscard]] FlowBetween latest(std::size_t steps) const noexcept {
    if (size_ < 2) return {};
    const Entry& last = entries_[(begin_ + size_ - 1) % N];
    const std::size_t back = steps < size_ - 1 ? steps : size_ - 1;
    const Entry& first = entries_[(begin_ + size_ - 1 - back) % N];
    return {.flow = {.messages = last.flow.messages - first.flow.messages,
                     .bytes = last.flow.bytes - first.flow.bytes,
                     .calls = last.flow.calls - first.flow.calls},
            .time = std::chrono::duration_cast<std::chrono::milliseconds>(last.at - first.at)};
  }

 private:
  struct Entry {
    Environment::Instant at;
    Flow flow;
  };
  std::array<Entry, N> entries_{};
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

/// What flowed over the last minute, hour and day, as RocketMQ has it (StatsItem): looked at every
/// limits::kStatisticsInterval, kept for an hour every 10 minutes, and for a day every hour. A
/// state machine; time comes in.
class History {
 public:
  /// \param tick  Counts the calls of all histories from 0: all are kept at the same ticks.
  void sample(std::uint64_t tick, Environment::Instant now, const Flow& flow) noexcept {
    // What is new began to flow since the last tick.
    if (minute_.empty()) start(now);
    minute_.add(now, flow);
    if (tick % kTicksPerHourStep == 0) hour_.add(now, flow);
    if (tick % kTicksPerDayStep == 0) day_.add(now, flow);
  }

  [[nodiscard]] FlowBetween minute() const noexcept { return minute_.latest(kMinuteSteps); }
  [[nodiscard]] FlowBetween hour() const noexcept { return hour_.latest(kHourSteps); }
  [[nodiscard]] FlowBetween day() const noexcept { return day_.latest(kDaySteps); }

 private:
  static constexpr std::size_t kMinuteSteps = 6;
  static constexpr std::size_t kHourSteps = 6;
  static constexpr std::size_t kDaySteps = 24;
  static constexpr std::uint64_t kTicksPerHourStep = 60;
  static constexpr std::uint64_t kTicksPerDayStep = 360;

  void start(Environment::Instant now) noexcept;

  FlowRing<kMinuteSteps + 1> minute_;
  FlowRing<kHourSteps + 1> hour_;
  FlowRing<kDaySteps + 1> day_;
};

}  // namespace sluice::broker
