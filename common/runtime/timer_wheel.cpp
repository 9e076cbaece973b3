#include "common/runtime/timer_wheel.hpp"

#include <algorithm>
#include <utility>

namespace sluice {

TimerWheel::TimerWheel(Instant now) : start_(now), slots_(kSlots) {}

std::uint64_t TimerWheel::tick_of(Instant instant) const noexcept {
  if (instant <= start_) return 0;
  return static_cast<std::uint64_t>((instant - start_) / kTick);
}

void TimerWheel::arm(Timer& timer, Instant due) noexcept {
  timer.cancel();
  timer.due_tick_ = std::max(tick_of(due) + 1, tick_ + 1);
  slots_[timer.due_tick_ % kSlots].push_back(timer);
}

void TimerWheel::advance(Instant now) {
  const std::uint64_t target = tick_of(now);
  while (tick_ < target) {
    ++tick_;
    // Spliced out first: a callback may arm a timer into this very slot.
    List due;
    due.splice(due.end(), slots_[tick_ % kSlots]);
    while (!due.empty()) {
      Timer& timer = due.front();
      timer.cancel();
      if (timer.due_tick_ > tick_) {
        slots_[timer.due_tick_ % kSlots].push_back(timer);
        continue;
      }
      if (timer.on_fire_) timer.on_fire_();
    }
  }
}

void TimerWheel::clear() noexcept {
  for (List& slot : slots_) {
    while (!slot.empty()) {
      Timer& timer = slot.front();
      timer.cancel();
      // The timer may go with its callback.
      const auto callback = std::exchange(timer.on_fire_, nullptr);
    }
  }
}

bool TimerWheel::empty() const noexcept {
  return std::ranges::all_of(slots_, [](const List& slot) { return slot.empty(); });
}

}  // namespace sluice
