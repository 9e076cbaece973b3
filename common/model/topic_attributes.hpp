#pragma once

#include <string_view>

#include "common/base/error.hpp"

namespace sluice::model {

/// Is this an attribute that a topic may have (RocketMQ's TopicAttributes), with a value that
/// Sluice serves? What would have no effect is refused rather than kept.
/// \return invalid_argument, naming the attribute and what it may be.
[[nodiscard]] Result<> check_topic_attribute(std::string_view name, std::string_view value);

}  // namespace sluice::model
