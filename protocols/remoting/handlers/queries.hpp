#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// Finding messages. All: protocol_error, naming the field.

namespace sluice::remoting {

[[nodiscard]] Result<Call> to_query_messages(const Request& request);  ///< 12
[[nodiscard]] Result<Call> to_view_message(const Request& request);    ///< 33

}  // namespace sluice::remoting
