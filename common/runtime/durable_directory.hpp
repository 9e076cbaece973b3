#pragma once

#include <filesystem>

#include "common/runtime/disk.hpp"

namespace sluice {

/// Makes `directory` with the ones above it that are missing, so that they outlast a loss of power.
/// Blocks. Nothing happens if it is there.
/// \return what the disk says.
[[nodiscard]] Result<> make_durable_directory(Disk& disk, const std::filesystem::path& directory);

}  // namespace sluice
