#pragma once

#include <string>
#include <string_view>

namespace sluice::config {

/// The setting, or group of settings, whose name is most like `name`; empty if none is like it.
[[nodiscard]] std::string closest_name(std::string_view name);

}  // namespace sluice::config
