#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// Consumer groups and who is connected. All: protocol_error, naming the field, or
/// malformed_packet, naming the member of the body.

namespace sluice::remoting {

/// UPDATE_AND_CREATE_SUBSCRIPTIONGROUP (200) and its list form (225).
[[nodiscard]] Result<Call> to_put_group(const Request& request);
[[nodiscard]] Result<Call> to_put_groups(const Request& request);

/// DELETE_SUBSCRIPTIONGROUP (207).
[[nodiscard]] Result<Call> to_delete_group(const Request& request);

/// GET_ALL_SUBSCRIPTIONGROUP_CONFIG (201).
[[nodiscard]] Result<Call> to_query_groups(const Request& request);

/// GET_SUBSCRIPTIONGROUP_CONFIG (352).
[[nodiscard]] Result<Call> to_query_group(const Request& request);

/// GET_CONSUMER_CONNECTION_LIST (203).
[[nodiscard]] Result<Call> to_query_consumers(const Request& request);

/// GET_PRODUCER_CONNECTION_LIST (204), and GET_ALL_PRODUCER_INFO (328).
[[nodiscard]] Result<Call> to_query_producers(const Request& request);
[[nodiscard]] Result<Call> to_query_all_producers(const Request& request);

}  // namespace sluice::remoting
