#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::config {

/// The setting, or group of settings, whose name is most like `name`; empty if none is like it.
[[nodiscard]] std::string closest_name(std::string_view name);

/// The one of `candidates` that is most like `name`; empty if none is like it.
[[nodiscard]] std::string closest_of(std::string_view name,
                                     const std::vector<std::string>& candidates);

}  // namespace sluice::config
