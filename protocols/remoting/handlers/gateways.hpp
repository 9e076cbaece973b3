#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "common/base/error.hpp"
#include "common/model/call_context.hpp"
#include "common/runtime/task.hpp"
#include "protocols/remoting/handlers/request.hpp"
#include "protocols/spi/request_handler.hpp"

/// \file
/// What gateways of Sluice ask brokers of Sluice (codec/private_requests.hpp).

namespace sluice::remoting {

/// SLUICE_WATCH (20001). Waits.
/// \return the whole answer.
[[nodiscard]] Task<std::string> answer_watch(protocol::RequestHandler* handler,
                                             model::CallContext context, AnswerTo to);

/// SLUICE_SESSION_CLOSED (20002).
/// \return the session that is gone; protocol_error, naming the field.
[[nodiscard]] Result<model::SessionId> to_closed_session(const Request& request);

/// The sessions that one connection of a gateway speaks for. Remembered, so that a request costs a
/// lookup.
class ForwardedSessions {
 public:
  /// The session a request is on behalf of; nullptr if it is the connection's own.
  /// \return protocol_error, naming the field.
  [[nodiscard]] Result<std::shared_ptr<const model::Session>> find(const Fields& fields,
                                                                   const model::Session& gateway);

  void forget(model::SessionId session) { sessions_.erase(session); }

 private:
  std::unordered_map<model::SessionId, std::shared_ptr<const model::Session>> sessions_;
};

}  // namespace sluice::remoting
