#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// A broker itself. All: protocol_error, naming the field.

namespace sluice::remoting {

/// GET_BROKER_RUNTIME_INFO (28).
[[nodiscard]] Result<Call> to_query_runtime(const Request& request);

/// GET_BROKER_CONFIG (26).
[[nodiscard]] Result<Call> to_query_broker_settings(const Request& request);

/// UPDATE_BROKER_CONFIG (25). \return also malformed_packet if the body is no properties.
[[nodiscard]] Result<Call> to_change_broker_settings(const Request& request);

/// VIEW_BROKER_STATS_DATA (315).
[[nodiscard]] Result<Call> to_query_rates(const Request& request);

}  // namespace sluice::remoting
