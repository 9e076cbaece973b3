#pragma once

#include <memory>

#include "common/base/types.hpp"
#include "common/model/command.hpp"
#include "gateway/pipeline/authenticator.hpp"
#include "gateway/pipeline/authorizer.hpp"
#include "gateway/pipeline/quota.hpp"

namespace sluice::gateway {

/// What every call passes before it is routed: authenticate, authorize, quota, validate, in this
/// order. Safe from any loop if the stages are.
class Pipeline {
 public:
  /// None is null.
  Pipeline(std::unique_ptr<Authenticator> authenticator, std::unique_ptr<Authorizer> authorizer,
           std::unique_ptr<Quota> quota);

  /// Everybody may do everything that is well formed.
  [[nodiscard]] static Pipeline allow_all();

  /// Once for all sends of one read.
  [[nodiscard]] Result<> authenticate(const model::CallContext& context);

  /// The other stages, for each of them.
  [[nodiscard]] Result<> admit(const model::CallContext& context, const model::Send& send);

  /// All stages. May bring the command into its bounds (validate.hpp).
  [[nodiscard]] Result<> admit(const model::CallContext& context, model::Command& command);

 private:
  std::unique_ptr<Authenticator> authenticator_;
  std::unique_ptr<Authorizer> authorizer_;
  std::unique_ptr<Quota> quota_;
};

/// The accesses that `command` needs, as views into it.
[[nodiscard]] SmallVector<Access, 4> accesses_of(const model::Command& command);

}  // namespace sluice::gateway
