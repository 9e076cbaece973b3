#pragma once

#include <vector>

#include "common/base/error.hpp"
#include "common/model/admin.hpp"

/// \file
/// Administration with several brokers: whom to ask, and what their replies come to.

namespace sluice::gateway {

/// True for what is about a broker itself, so that replies of several cannot be one.
[[nodiscard]] bool concerns_one_broker(const model::AdminCommand& command) noexcept;

/// One reply of those of all brokers, of which there is at least one. What changes something must
/// have succeeded everywhere; of what is asked, one answer will do: not every broker has every
/// topic, and one that is down must not hide the others. Queues add up, names unite, and what all
/// brokers know alike is the first one's.
[[nodiscard]] Result<model::AdminReply> merge(const model::AdminCommand& command,
                                              std::vector<Result<model::AdminReply>> replies);

}  // namespace sluice::gateway
