#pragma once

#include <boost/json/object.hpp>

#include "common/base/error.hpp"
#include "common/model/reply.hpp"

namespace sluice::rest {

/// A stored message as JSON (docs/mapping/http.md has every member).
/// \return corrupt_record if the payload is no stored message.
[[nodiscard]] Result<boost::json::object> message_json(const model::StoredRecord& record,
                                                       const model::Endpoint& store_host);

}  // namespace sluice::rest
