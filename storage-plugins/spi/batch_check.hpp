#pragma once

#include "common/base/error.hpp"
#include "storage-plugins/spi/write_batch.hpp"

namespace sluice::storage {

/// What is wrong with a batch whatever the engine holds. Every engine asks this first.
/// \return invalid_argument for what breaks a limit of limits.hpp, for a record that names no log,
///         log 0 or one log twice, and for a batch that changes nothing.
/// \return unsupported for what is reserved.
[[nodiscard]] Result<> check_batch(const WriteBatch& batch);

}  // namespace sluice::storage
