#pragma once

#include <variant>

#include "protocols/rest/publish.hpp"
#include "protocols/rest/read.hpp"
#include "protocols/rest/request.hpp"

namespace sluice::rest {

using Call = std::variant<Publish, model::Pull>;

/// What the head of a request asks for; or the answer, where the head alone decides: 404, 405 with
/// Allow, and every fault of path, parameters and fields.
[[nodiscard]] tl::expected<Call, Response> route(const RequestHead& head);

}  // namespace sluice::rest
