#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// What topics there are. All: protocol_error, naming the field.

namespace sluice::remoting {

/// UPDATE_AND_CREATE_TOPIC (17). \return also invalid_argument if the attributes are not
/// `+name=value`, separated by commas.
[[nodiscard]] Result<Call> to_create_topic(const Request& request);

/// DELETE_TOPIC_IN_BROKER (215).
[[nodiscard]] Result<Call> to_delete_topic(const Request& request);

/// GET_ALL_TOPIC_CONFIG (21). Always all of them in one answer, whatever page is asked for.
[[nodiscard]] Result<Call> to_query_topic_configs(const Request& request);

/// GET_ALL_TOPIC_LIST_FROM_NAMESERVER (206).
[[nodiscard]] Result<Call> to_query_topic_names(const Request& request);

}  // namespace sluice::remoting
