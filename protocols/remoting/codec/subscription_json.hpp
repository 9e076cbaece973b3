#pragma once

#include <string_view>

#include "protocols/remoting/codec/heartbeat_body.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

/// \file
/// The parts that heartbeats share with other JSON bodies, for .cpp files: includes Boost.JSON.

namespace sluice::remoting {

[[nodiscard]] SubscriptionData read_subscription(const JsonObject& object);
void write_subscription(JsonWriter& writer, const SubscriptionData& data);

/// Java's names of the enumerators, and back: from names or numbers; others read as the default.
[[nodiscard]] std::string_view name_of(ConsumeFromWhere from) noexcept;
[[nodiscard]] std::string_view name_of(ConsumeType type) noexcept;
[[nodiscard]] std::string_view name_of(MessageModel model) noexcept;
[[nodiscard]] ConsumeFromWhere consume_from_where(std::string_view text) noexcept;
[[nodiscard]] ConsumeType consume_type(std::string_view text) noexcept;
[[nodiscard]] MessageModel message_model(std::string_view text) noexcept;

}  // namespace sluice::remoting
