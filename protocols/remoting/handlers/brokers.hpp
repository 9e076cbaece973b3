#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// Brokers that tell a name server about themselves. All: protocol_error, naming the field.

namespace sluice::remoting {

/// REGISTER_BROKER (103). \return also malformed_packet if the body is not what its checksum was
/// made of, or no registration.
[[nodiscard]] Result<Call> to_register_broker(const Request& request);

/// UNREGISTER_BROKER (104).
[[nodiscard]] Result<Call> to_unregister_broker(const Request& request);

}  // namespace sluice::remoting
