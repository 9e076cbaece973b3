#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// What only a name server is asked about topics. All: protocol_error, naming the field.

namespace sluice::remoting {

[[nodiscard]] Result<Call> to_forget_topic(
    const Request& request);  ///< DELETE_TOPIC_IN_NAMESRV (216)

/// 217: REGISTER_TOPIC_IN_NAMESRV, or what to_find_kv_keys() reads if there is a namespace and no
/// topic. \return also malformed_packet if the body is no route.
[[nodiscard]] Result<Call> to_register_topic(const Request& request);

[[nodiscard]] Result<Call> to_list_topics_of_cluster(const Request& request);  ///< 224
[[nodiscard]] Result<Call> to_list_system_topics(const Request& request);      ///< 304
[[nodiscard]] Result<Call> to_list_unit_topics(const Request& request);        ///< 311
[[nodiscard]] Result<Call> to_list_unit_subscribed(const Request& request);    ///< 312
/// GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST (313).
[[nodiscard]] Result<Call> to_list_unit_subscribed_alone(const Request& request);

}  // namespace sluice::remoting
