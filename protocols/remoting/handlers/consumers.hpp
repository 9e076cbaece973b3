#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/model/client_request.hpp"
#include "protocols/remoting/handlers/call.hpp"

/// \file
/// What operators ask of consumers, and what the server then asks of the clients. All calls:
/// protocol_error, naming the field.

namespace sluice::remoting {

[[nodiscard]] Result<Call> to_reset_offset(const Request& request);           ///< 222
[[nodiscard]] Result<Call> to_query_consumer_status(const Request& request);  ///< 223
[[nodiscard]] Result<Call> to_ask_running_info(const Request& request);       ///< 307
[[nodiscard]] Result<Call> to_consume_directly(const Request& request);       ///< 309

/// A gateway brings its client's answer (20003).
[[nodiscard]] Result<Call> to_answer_client_request(const Request& request);

/// Appends the server's own request: 221, 307 or 309, always JSON.
/// \return payload_too_large if it does not fit a frame: nothing was appended.
[[nodiscard]] Result<> append_client_request(std::string& out, std::int32_t opaque,
                                             const model::ClientRequest& request);

}  // namespace sluice::remoting
