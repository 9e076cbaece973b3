#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <boost/intrusive/list.hpp>

#include "common/base/environment.hpp"

namespace sluice {

/// Timers by the million at a few bytes each: arming and cancelling are a list insertion. A timer
/// fires in the tick after its due time, so up to two ticks late and never early.
///
/// Not thread-safe: each loop has its own. Whoever drives it calls advance() about once a tick.
class TimerWheel {
 public:
  using Instant = Environment::Instant;
  static constexpr std::chrono::milliseconds kTick{10};

  /// One timer, armed or not. Destroying it cancels. Not movable: the wheel points to it.
  class Timer : public boost::intrusive::list_base_hook<
                    boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    Timer() = default;
    explicit Timer(std::function<void()> on_fire) : on_fire_(std::move(on_fire)) {}
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    void on_fire(std::function<void()> callback) { on_fire_ = std::move(callback); }
    [[nodiscard]] bool is_armed() const noexcept { return is_linked(); }
    void cancel() noexcept {
      if (is_linked()) unlink();
    }

   private:
    friend class TimerWheel;
    std::function<void()> on_fire_;
    std::uint64_t due_tick_ = 0;
  };

  explicit TimerWheel(Instant now);

  /// Arms, or re-arms, `timer` for `due`.
  void arm(Timer& timer, Instant due) noexcept;

  /// Fires all that is due at `now`. A callback may arm and cancel timers, its own too.
  void advance(Instant now);

  /// Cancels all timers and destroys their callbacks uncalled. A coroutine that sleeps owns the
  /// timer whose callback owns the coroutine: here that ends.
  void clear() noexcept;

  /// True if advance() has nothing to do until something is armed.
  [[nodiscard]] bool empty() const noexcept;

 private:
  using List = boost::intrusive::list<Timer, boost::intrusive::constant_time_size<false>>;
  static constexpr std::size_t kSlots = 4096;  ///< 41 s a turn; longer timers take several turns.

  [[nodiscard]] std::uint64_t tick_of(Instant instant) const noexcept;

  Instant start_;
  std::uint64_t tick_ = 0;
  std::vector<List> slots_;
};

}  // namespace sluice
