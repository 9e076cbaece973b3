#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// Who the clients are, and what they consume. All: protocol_error, naming the field;
/// malformed_packet, naming the member of the body.

namespace sluice::remoting {

[[nodiscard]] Result<Call> to_heartbeat(const Request& request);          ///< 34
[[nodiscard]] Result<Call> to_unregister_client(const Request& request);  ///< 35
[[nodiscard]] Result<Call> to_list_members(const Request& request);       ///< 38
[[nodiscard]] Result<Call> to_check_client(const Request& request);       ///< 46

/// Appends NOTIFY_CONSUMER_IDS_CHANGED (40), the server's own request. One-way, always JSON.
void append_group_changed(std::string& out, std::int32_t opaque, std::string_view group);

}  // namespace sluice::remoting
