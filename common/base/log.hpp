#pragma once

#include <string>
#include <string_view>

#include <spdlog/spdlog.h>

#include "common/base/error.hpp"

namespace sluice::log {

/// Sends the log to standard error, one line an entry, at `level` (trace, debug, info, warn,
/// error).
/// \return invalid_argument for another word.
[[nodiscard]] Result<> start(std::string_view level);

using spdlog::debug;
using spdlog::error;
using spdlog::info;
using spdlog::warn;

}  // namespace sluice::log
