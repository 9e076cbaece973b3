#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/model/command.hpp"
#include "common/runtime/task.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::broker {

/// One name server, as a broker talks to it.
class NameServerLink {
 public:
  virtual ~NameServerLink() = default;

  /// For logs.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Called on one loop, one call at a time. Ends within a few seconds.
  /// \return unavailable or deadline_exceeded if the name server is not reached; what it answers.
  virtual Task<> register_broker(model::RegisterBroker registration) = 0;
  virtual Task<> unregister_broker(model::UnregisterBroker broker) = 0;

  /// False once the connection is gone that the last registration went over: a name server drops a
  /// broker with it. On that loop.
  [[nodiscard]] virtual bool is_in_touch() const noexcept = 0;
};

/// A name server in this process. `name_server` must outlive the link.
[[nodiscard]] std::unique_ptr<NameServerLink> make_local_link(
    protocol::RequestHandler& name_server);

}  // namespace sluice::broker
