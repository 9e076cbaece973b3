#pragma once

#include "common/base/error.hpp"
#include "protocols/rest/admin/question.hpp"

/// \file
/// The KV configuration of a name server. All: invalid_argument, naming the parameter; unsupported
/// from a process that is none.

namespace sluice::rest::admin {

[[nodiscard]] Result<Question> to_kv_namespaces(const Target& target);  ///< /v1/kv
/// /v1/kv/{namespace}. \return also not_found, from the system.
[[nodiscard]] Result<Question> to_kv_entries(const Target& target);

}  // namespace sluice::rest::admin
