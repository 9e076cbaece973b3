#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"

/// \file
/// Topic and group names as RocketMQ has them (TopicValidator, Validators): letters, digits, `_`,
/// `-`, `%`, `|`. So no name can be a path.

namespace sluice::model {

inline constexpr std::string_view kRetryPrefix = "%RETRY%";
inline constexpr std::string_view kDeadLetterPrefix = "%DLQ%";
/// The topic whose route a producer takes for a topic that does not exist yet
/// (AUTO_CREATE_TOPIC_KEY).
inline constexpr std::string_view kAutoCreateTopic = "TBW102";

/// \return invalid_argument, quoting the name, or the length of one that is too long, and the rule
///         it breaks.
[[nodiscard]] Result<> check_topic_name(std::string_view topic);
[[nodiscard]] Result<> check_group_name(std::string_view group);

/// True if clients may not send to `topic` (TopicValidator.NOT_ALLOWED_SEND_TOPIC_SET).
[[nodiscard]] bool is_closed_to_senders(std::string_view topic) noexcept;

/// True for topics that belong to the broker itself.
[[nodiscard]] bool is_system_topic(std::string_view topic) noexcept;

/// The names of those that have a name of their own, sorted.
[[nodiscard]] std::vector<std::string> system_topics();

/// True for those, and for the retry and dead-letter topics of groups: nobody's own messages.
[[nodiscard]] bool is_reserved_topic(std::string_view topic) noexcept;

[[nodiscard]] std::string retry_topic_of(std::string_view group);

}  // namespace sluice::model
