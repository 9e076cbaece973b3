#pragma once

#include <string>

#include "common/config/schema.hpp"

namespace sluice::config {

/// The text of conf/<role>.yaml: every setting of the role with what it means, what is allowed and
/// its default.
[[nodiscard]] std::string example_file(Role role);

}  // namespace sluice::config
