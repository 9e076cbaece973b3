#pragma once

#include "common/model/route.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"

namespace sluice::remoting {

[[nodiscard]] inline model::DataVersion to_model(const DataVersion& version) noexcept {
  return {.state_version = version.state_version,
          .timestamp_ms = version.timestamp,
          .counter = version.counter};
}

[[nodiscard]] inline DataVersion to_wire(const model::DataVersion& version) noexcept {
  return {.state_version = version.state_version,
          .timestamp = version.timestamp_ms,
          .counter = version.counter};
}

}  // namespace sluice::remoting
