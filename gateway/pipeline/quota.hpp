#pragma once

#include <cstddef>

#include "common/base/error.hpp"
#include "common/model/call_context.hpp"

namespace sluice::gateway {

/// What a call costs.
struct Cost {
  std::size_t messages = 0;
  std::size_t bytes = 0;  ///< Of bodies.
};

/// The third stage: how fast?
class Quota {
 public:
  virtual ~Quota() = default;

  /// Takes the cost from what the caller has left, or refuses and takes nothing. On the caller's
  /// loop.
  /// \return quota_exceeded, saying when to try again.
  [[nodiscard]] virtual Result<> admit(const model::CallContext& context, Cost cost) = 0;
};

}  // namespace sluice::gateway
