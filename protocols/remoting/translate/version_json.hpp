#pragma once

#include "common/model/route.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

/// \file
/// DataVersion inside of other JSON bodies, for .cpp files: includes Boost.JSON.

namespace sluice::remoting {

[[nodiscard]] inline model::DataVersion read_version(const JsonObject& object) {
  return {.state_version = object.int64("stateVersion"),
          .timestamp_ms = object.int64("timestamp"),
          .counter = object.int64("counter")};
}

inline void write_version(JsonWriter& writer, const model::DataVersion& version) {
  writer.begin_object();
  writer.key("counter");
  writer.number(version.counter);
  writer.key("stateVersion");
  writer.number(version.state_version);
  writer.key("timestamp");
  writer.number(version.timestamp_ms);
  writer.end_object();
}

}  // namespace sluice::remoting
