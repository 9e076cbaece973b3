#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// The progress of groups, and the bounds of queues. All: protocol_error, naming the field.

namespace sluice::remoting {

[[nodiscard]] Result<Call> to_query_offset(const Request& request);         ///< 14
[[nodiscard]] Result<Call> to_update_offset(const Request& request);        ///< 15
[[nodiscard]] Result<Call> to_search_offset(const Request& request);        ///< 29
[[nodiscard]] Result<Call> to_query_max_offset(const Request& request);     ///< 30
[[nodiscard]] Result<Call> to_query_min_offset(const Request& request);     ///< 31
[[nodiscard]] Result<Call> to_query_earliest_time(const Request& request);  ///< 32

}  // namespace sluice::remoting
