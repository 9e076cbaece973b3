#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// Brokers that tell a name server about themselves, and what is asked of one about brokers. All:
/// protocol_error, naming the field.

namespace sluice::remoting {

/// REGISTER_BROKER (103). \return also malformed_packet if the body is not what its checksum was
/// made of, or no registration.
[[nodiscard]] Result<Call> to_register_broker(const Request& request);

/// UNREGISTER_BROKER (104).
[[nodiscard]] Result<Call> to_unregister_broker(const Request& request);

/// QUERY_DATA_VERSION (322). \return also malformed_packet if the body is no data version.
[[nodiscard]] Result<Call> to_query_broker_version(const Request& request);
[[nodiscard]] Result<Call> to_broker_heartbeat(const Request& request);  ///< BROKER_HEARTBEAT (904)
[[nodiscard]] Result<Call> to_query_broker_group(const Request& request);  ///< 901

/// WIPE_WRITE_PERM_OF_BROKER (205), ADD_WRITE_PERM_OF_BROKER (327).
[[nodiscard]] Result<Call> to_wipe_write_permission(const Request& request);
[[nodiscard]] Result<Call> to_grant_write_permission(const Request& request);

}  // namespace sluice::remoting
