#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// Queue locks of orderly consumers. All: malformed_packet, naming the member of the body.

namespace sluice::remoting {

[[nodiscard]] Result<Call> to_lock_queues(const Request& request);    ///< 41
[[nodiscard]] Result<Call> to_unlock_queues(const Request& request);  ///< 42

}  // namespace sluice::remoting
