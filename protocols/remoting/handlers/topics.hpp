#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// What topics there are. All: protocol_error, naming the field.

namespace sluice::remoting {

/// UPDATE_AND_CREATE_TOPIC (17). \return also invalid_argument if the attributes are not
/// `+name=value` or `-name`, separated by commas.
[[nodiscard]] Result<Call> to_create_topic(const Request& request);

/// UPDATE_AND_CREATE_TOPIC_LIST (18). \return malformed_packet, naming the member of the body.
[[nodiscard]] Result<Call> to_create_topics(const Request& request);

/// DELETE_TOPIC_IN_BROKER (215).
[[nodiscard]] Result<Call> to_delete_topic(const Request& request);

/// GET_ALL_TOPIC_CONFIG (21).
[[nodiscard]] Result<Call> to_query_topic_configs(const Request& request);

/// GET_TOPIC_CONFIG (351). Answered with topic_not_found if there is none.
[[nodiscard]] Result<Call> to_query_topic_config(const Request& request);

/// GET_ALL_TOPIC_LIST_FROM_NAMESERVER (206).
[[nodiscard]] Result<Call> to_query_topic_names(const Request& request);

}  // namespace sluice::remoting
