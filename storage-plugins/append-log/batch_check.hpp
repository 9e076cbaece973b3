#pragma once

#include "common/base/error.hpp"
#include "storage-plugins/spi/write_batch.hpp"

namespace sluice::append_log {

/// What is wrong with a batch whatever the store holds.
/// \return invalid_argument for what breaks a limit of limits.hpp, for a record that names no log,
///         log 0 or one log twice, and for a batch that changes nothing.
/// \return unsupported for what is reserved.
[[nodiscard]] Result<> check_batch(const storage::WriteBatch& batch);

}  // namespace sluice::append_log
