#pragma once

#include <cstddef>
#include <memory>

#include "common/base/slice.hpp"
#include "common/model/call_context.hpp"
#include "common/runtime/task.hpp"
#include "protocols/rest/request.hpp"

/// \file
/// What stands between a version of HTTP and the system: requests in, responses out, no sockets.

namespace sluice::rest {

/// One request whose head was accepted.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Most bytes its content may have; 0: it must have none.
  [[nodiscard]] virtual std::size_t body_bytes_max() const noexcept = 0;

  /// True if answer() may wait for something to happen: the peer may leave meanwhile.
  [[nodiscard]] virtual bool waits() const noexcept = 0;

  /// Call once. What goes wrong is in the response.
  virtual Task<Response> answer(model::CallContext context, Slice body) = 0;
};

/// A set of resources. Safe to call from any loop.
class Application {
 public:
  virtual ~Application() = default;

  /// Decides by the head alone, before any content is read. `head` need not outlive the call.
  [[nodiscard]] virtual tl::expected<std::unique_ptr<Exchange>, Response> begin(
      const RequestHead& head) = 0;
};

}  // namespace sluice::rest
