#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "common/base/metrics.hpp"
#include "protocols/remoting/handlers/call.hpp"
#include "protocols/remoting/handlers/request.hpp"

namespace sluice::remoting {

/// Consecutive ones of a read become one call of RequestHandler::send.
struct SendRequest {
  Result<model::Send> (*to_send)(const Request& request);
};
/// One command, one reply. A pull that may wait does so beside the other requests.
struct CommandRequest {
  Result<Call> (*to_call)(const Request& request);
};
/// The same, but a client is asked, which may take its time: waited for beside the other requests
/// of the connection, which may be that client's own.
struct AskingRequest {
  Result<Call> (*to_call)(const Request& request);
};
/// Answered without asking anybody.
struct FixedRequest {
  void (*answer)(std::string& out, const AnswerTo& to);
};
struct WatchRequest {};
struct SessionClosedRequest {};

using RequestKind = std::variant<SendRequest, CommandRequest, AskingRequest, FixedRequest,
                                 WatchRequest, SessionClosedRequest>;

struct TableRow {
  std::int32_t code;
  RequestKind kind;
  metrics::Counter& served;
};

/// The row of a request code; nullptr if it is not served.
[[nodiscard]] const TableRow* find_row(std::int32_t code) noexcept;

/// All that is served.
[[nodiscard]] std::span<const TableRow> table() noexcept;

}  // namespace sluice::remoting
