#pragma once

#include "common/model/route.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"

namespace sluice::remoting {

[[nodiscard]] model::TopicConfig to_model(TopicConfig&& config);
[[nodiscard]] TopicConfig to_wire(const model::TopicConfig& config);

}  // namespace sluice::remoting
