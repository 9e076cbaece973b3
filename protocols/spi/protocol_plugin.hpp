#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/runtime/runtime.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::protocol {

/// Serves one port. Made by a plugin, driven by apps/wiring.
class Listener {
 public:
  virtual ~Listener() = default;

  /// Binds and begins to accept; returns at once. Call once, on any thread.
  /// \return io_error if the port cannot be bound, with the address and the reason.
  virtual Result<> start() = 0;

  /// Accepts nothing more, says goodbye to every session in the protocol's own words, answers what
  /// is under way, and closes what is left after `grace`.
  /// \return deadline_exceeded if it had to.
  virtual Task<> drain(std::chrono::milliseconds grace) = 0;

  /// The port bound, which differs from the one asked for when that was 0. 0 before start().
  [[nodiscard]] virtual std::uint16_t port() const noexcept = 0;
};

struct ListenerOptions {
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = 0;                ///< 0: any free port, as every test uses.
  std::uint32_t sessions_max = 100'000;  ///< One more peer is refused, and counted.
  std::map<std::string, std::string, std::less<>> settings;  ///< The plugin's block of the
                                                             ///< configuration.
};

/// What a protocol plugin gives to apps/wiring.
class ProtocolPlugin {
 public:
  virtual ~ProtocolPlugin() = default;

  /// The key under `listeners` in the configuration that configures this plugin.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// \param handler  Outlives the listener, as `runtime` does.
  /// \return invalid_argument, naming the option, if the options contradict each other.
  virtual Result<std::unique_ptr<Listener>> listen(Runtime& runtime, ListenerOptions options,
                                                   RequestHandler& handler) = 0;
};

}  // namespace sluice::protocol
