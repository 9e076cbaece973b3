#pragma once

#include "common/base/error.hpp"
#include "common/model/call_context.hpp"

namespace sluice::gateway {

/// The first stage: who is this? Asked for every call, on the caller's loop: an answer that needs
/// another machine is fetched when the session begins and kept.
class Authenticator {
 public:
  virtual ~Authenticator() = default;

  /// \return unauthenticated if the session has not shown who it is.
  [[nodiscard]] virtual Result<> authenticate(const model::CallContext& context) = 0;
};

}  // namespace sluice::gateway
