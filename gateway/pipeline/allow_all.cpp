#include "gateway/pipeline/allow_all.hpp"

namespace sluice::gateway {

Result<> AllowAllAuthenticator::authenticate(const model::CallContext& /*context*/) {
  return {};
}

Result<> AllowAllAuthorizer::authorize(const model::CallContext& /*context*/,
                                       const Access& /*access*/) {
  return {};
}

Result<> AllowAllQuota::admit(const model::CallContext& /*context*/, Cost /*cost*/) {
  return {};
}

}  // namespace sluice::gateway
