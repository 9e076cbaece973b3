#pragma once

#include "common/base/error.hpp"
#include "common/model/command.hpp"

namespace sluice::gateway {

/// The last stage before routing: is the call well formed, by rules that hold for every broker?
/// What depends on a broker's topics is the broker's to say.
///
/// \return invalid_argument for names, queue numbers and counts that can never be right;
///         permission_denied for topics that are closed to senders; payload_too_large and
///         message_illegal with the limit in the text; subscription_invalid.
[[nodiscard]] Result<> validate(const model::Send& send);

/// Also brings into their ranges what a client may ask for but not get (the size of a pull, how
/// long it waits), and drops from a heartbeat the groups whose names are no names, as RocketMQ
/// does: the others are still registered.
[[nodiscard]] Result<> validate(model::Command& command);

}  // namespace sluice::gateway
