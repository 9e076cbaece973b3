#pragma once

#include <string>

#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "protocols/rest/request.hpp"

namespace sluice::rest {

/// `GET /v1/topics/{topic}/queues/{queue}/messages?offset=&max=&wait=`: reads without a group; no
/// progress is kept. docs/mapping/http.md has every field.
///
/// \return invalid_argument.
[[nodiscard]] Result<model::Pull> parse_read(std::string topic, std::string_view queue,
                                             const Target& target);

/// 200 with the messages, 416 with the queue's bounds, or corrupt_record as a problem.
[[nodiscard]] Response to_response(const model::Pull& pull, const model::PullReply& reply);

}  // namespace sluice::rest
