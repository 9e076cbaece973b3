#pragma once

#include <compare>

#include "common/model/call_context.hpp"

namespace sluice::broker {

/// A connection as the broker tells them apart: a gateway's session, and the gateway's own
/// connection (0 where there is none).
struct ClientKey {
  model::SessionId session;
  model::SessionId via;

  friend auto operator<=>(const ClientKey&, const ClientKey&) = default;
};

[[nodiscard]] inline ClientKey key_of(const model::CallContext& context) noexcept {
  return {context.session->id, context.session->via};
}

/// True if `gone`, which has ended, is `key` itself or the gateway's connection it came through.
[[nodiscard]] inline bool ends_with(ClientKey key, ClientKey gone) noexcept {
  const bool came_through = gone.via.value == 0 && key.via == gone.session;
  return key == gone || came_through;
}

}  // namespace sluice::broker
