#pragma once

#include <chrono>
#include <cstdint>

#include "common/base/types.hpp"

namespace sluice {

/// Time and chance, handed in: nothing else reads a clock or makes a random number, so that a whole
/// cluster can run on virtual time. Members are safe from any thread.
class Environment {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  virtual ~Environment() = default;

  /// The wall clock: may jump. For what people and other machines see.
  [[nodiscard]] virtual UnixMillis now() const noexcept = 0;

  /// Never goes back. For time-outs.
  [[nodiscard]] virtual Instant steady_now() const noexcept = 0;

  /// 64 uniformly distributed bits. Not for secrets.
  [[nodiscard]] virtual std::uint64_t random() noexcept = 0;
};

/// The machine's clocks and its random device.
[[nodiscard]] Environment& system_environment() noexcept;

}  // namespace sluice
