#pragma once

#include <cstdint>

#include "common/base/error.hpp"
#include "common/model/call_context.hpp"
#include "common/model/command.hpp"

namespace sluice::nameserver {

enum class Access : std::uint8_t {
  read,    ///< Routes, lists, configuration: what every client asks.
  enlist,  ///< A broker tells of itself.
  manage   ///< Change what brokers did not say: KV configuration, settings, permissions, topics.
};

/// What a command needs.
[[nodiscard]] Access access_of(const model::Command& command) noexcept;

/// Whether a caller may do that: every request of a name server passes here once, before anything
/// else. Safe from any loop.
class Authorizer {
 public:
  virtual ~Authorizer() = default;

  /// \return permission_denied, naming what was asked; unauthenticated.
  [[nodiscard]] virtual Result<> authorize(const model::CallContext& context, Access access) = 0;
};

/// Until there is access control.
class AllowAll final : public Authorizer {
 public:
  [[nodiscard]] Result<> authorize(const model::CallContext& /*context*/,
                                   Access /*access*/) override {
    return {};
  }
};

}  // namespace sluice::nameserver
