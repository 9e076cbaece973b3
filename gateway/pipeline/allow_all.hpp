#pragma once

#include "gateway/pipeline/authenticator.hpp"
#include "gateway/pipeline/authorizer.hpp"
#include "gateway/pipeline/quota.hpp"

/// \file
/// The stages of a gateway that asks nothing of its clients, as RocketMQ's default is.

namespace sluice::gateway {

class AllowAllAuthenticator final : public Authenticator {
 public:
  [[nodiscard]] Result<> authenticate(const model::CallContext& context) override;
};

class AllowAllAuthorizer final : public Authorizer {
 public:
  [[nodiscard]] Result<> authorize(const model::CallContext& context,
                                   const Access& access) override;
};

class AllowAllQuota final : public Quota {
 public:
  [[nodiscard]] Result<> admit(const model::CallContext& context, Cost cost) override;
};

}  // namespace sluice::gateway
