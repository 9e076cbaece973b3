#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/model/call_context.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "common/runtime/task.hpp"

namespace sluice::protocol {

/// What a session should be told. The session pulls: it asks only for what its peer has room for,
/// so a slow peer costs one suspended coroutine and no queue.
class DeliveryStream {
 public:
  virtual ~DeliveryStream() = default;

  /// Waits for at least one event, then returns at most `events_max` (1 or more). Equal notices
  /// that wait are one.
  /// \return cancelled once close() was called: the stream is then over.
  virtual Task<std::vector<model::Event>> next(std::uint32_t events_max) = 0;

  /// Ends a waiting next(). Any thread.
  virtual void close() noexcept = 0;
};

/// All that a protocol plugin can ask of the system. The gateway implements it, the name server
/// implements it, and tests implement it in ten lines. Safe to call from any loop.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  /// Runs one command through authentication, authorization, quota, validation and routing.
  /// Cancelling the coroutine abandons the wait, not the effect: a send may still be stored.
  /// \return any Errc; `unsupported` for a command that this handler does not serve.
  virtual Task<model::Reply> handle(model::CallContext context, model::Command command) = 0;

  /// The hot path: all the sends of one read, each with its own result, in the same order.
  virtual Task<std::vector<Result<model::SendReply>>> send(model::CallContext context,
                                                           std::vector<model::Send> sends) = 0;

  /// One stream per session. Destroying it detaches.
  virtual std::unique_ptr<DeliveryStream> attach(model::CallContext context) = 0;

  /// Waits for notices to other sessions than the caller's own: a gateway asks a broker.
  virtual Task<model::WatchReply> watch(model::CallContext context, model::Watch watch) = 0;

  /// A new connection's number.
  [[nodiscard]] virtual model::SessionId next_session_id() noexcept = 0;

  /// Releases what the session holds. Idempotent. `via` as in model::Session.
  virtual void session_closed(model::SessionId session, model::SessionId via) noexcept = 0;
};

}  // namespace sluice::protocol
