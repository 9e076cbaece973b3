#pragma once

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "common/model/admin.hpp"
#include "gateway/pipeline/authorizer.hpp"

/// \file
/// What the pipeline asks of administration: the one place for its accesses and its rules.

namespace sluice::gateway {

/// The accesses that `command` needs, as views into it. At least one: nothing of this is for
/// everybody.
[[nodiscard]] SmallVector<Access, 4> accesses_of(const model::AdminCommand& command);

/// Is it well formed, by rules that hold for every broker? Brings numbers into their ranges.
/// \return invalid_argument.
[[nodiscard]] Result<> validate(model::AdminCommand& command);

}  // namespace sluice::gateway
