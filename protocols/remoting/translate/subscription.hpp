#pragma once

#include "common/model/registration.hpp"
#include "protocols/remoting/codec/heartbeat_body.hpp"

namespace sluice::remoting {

/// Tags and codes follow from the expression, on both ways.
[[nodiscard]] model::Subscription to_model(SubscriptionData&& data);
[[nodiscard]] SubscriptionData to_wire(const model::Subscription& subscription);

[[nodiscard]] model::ConsumeType to_model(ConsumeType type) noexcept;
[[nodiscard]] ConsumeType to_wire(model::ConsumeType type) noexcept;
[[nodiscard]] model::MessageModel to_model(MessageModel message_model) noexcept;
[[nodiscard]] MessageModel to_wire(model::MessageModel message_model) noexcept;

}  // namespace sluice::remoting
