#pragma once

#include "common/base/error.hpp"
#include "protocols/rest/admin/question.hpp"

/// \file
/// Where topics are. All: invalid_argument, naming the parameter.

namespace sluice::rest::admin {

[[nodiscard]] Result<Question> to_brokers(const Target& target);   ///< /v1/brokers
[[nodiscard]] Result<Question> to_clusters(const Target& target);  ///< /v1/clusters
/// /v1/topics?after=&max=
[[nodiscard]] Result<Question> to_topics(const Target& target);
/// /v1/topics/{topic}/route. \return also topic_not_found, from the system.
[[nodiscard]] Result<Question> to_route(const Target& target);

}  // namespace sluice::rest::admin
