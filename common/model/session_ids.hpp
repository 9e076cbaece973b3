#pragma once

#include <atomic>
#include <cstdint>

#include "common/base/environment.hpp"
#include "common/model/call_context.hpp"

namespace sluice::model {

/// Gives out session numbers: 31 random high bits for this process, a counter below them, so that
/// two gateways of one broker do not collide and a number is positive in a signed 64-bit field.
/// Never 0. Safe from any thread.
class SessionIds {
 public:
  explicit SessionIds(Environment& environment) noexcept
      : next_((environment.random() >> 33 << 32) | 1) {}

  [[nodiscard]] SessionId next() noexcept {
    return SessionId{next_.fetch_add(1, std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint64_t> next_;
};

}  // namespace sluice::model
