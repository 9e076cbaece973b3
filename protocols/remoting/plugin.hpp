#pragma once

#include <string>

#include "protocols/spi/protocol_plugin.hpp"

namespace sluice::remoting {

/// RocketMQ's remoting protocol, as clients of 4.x and 5.x speak it.
class Plugin final : public protocol::ProtocolPlugin {
 public:
  /// \param name  `remoting`; a name server's listener is the same protocol under another name.
  explicit Plugin(std::string name = "remoting") : name_(std::move(name)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  /// Its settings are those of transport::take_greeting_options().
  /// \return invalid_argument for another one, or for one that cannot be used.
  Result<std::unique_ptr<protocol::Listener>> listen(Runtime& runtime,
                                                     protocol::ListenerOptions options,
                                                     protocol::RequestHandler& handler) override;

 private:
  std::string name_;
};

}  // namespace sluice::remoting
