#pragma once

#include "protocols/spi/protocol_plugin.hpp"

namespace sluice::http1 {

/// The REST resources over HTTP/1.1 (docs/mapping/http.md).
class HttpPlugin final : public protocol::ProtocolPlugin {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "http"; }

  /// \return invalid_argument for a setting: there are none.
  Result<std::unique_ptr<protocol::Listener>> listen(Runtime& runtime,
                                                     protocol::ListenerOptions options,
                                                     protocol::RequestHandler& handler) override;
};

/// What operators and their tools ask, over HTTP/1.1: metrics, health, and what is known of the
/// cluster (docs/mapping/http.md, "The admin listener").
class AdminPlugin final : public protocol::ProtocolPlugin {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "admin"; }

  /// \return invalid_argument for a setting: there are none.
  Result<std::unique_ptr<protocol::Listener>> listen(Runtime& runtime,
                                                     protocol::ListenerOptions options,
                                                     protocol::RequestHandler& handler) override;
};

}  // namespace sluice::http1
