#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/types.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

/// \file
/// RocketMQ's MessageQueue inside of other JSON bodies, for .cpp files: includes Boost.JSON.

namespace sluice::remoting {

struct QueueName {
  std::string broker_name;
  std::string topic;
  std::int32_t queue = 0;
};

inline void write_queue(JsonWriter& writer, std::string_view broker_name, std::string_view topic,
                        std::int32_t queue) {
  writer.begin_object();
  writer.key("brokerName");
  writer.text(broker_name);
  writer.key("queueId");
  writer.number(queue);
  writer.key("topic");
  writer.text(topic);
  writer.end_object();
}

/// As the key of the open object's next member.
inline void write_queue_key(JsonWriter& writer, std::string_view broker_name,
                            std::string_view topic, std::int32_t queue) {
  std::string key;
  JsonWriter key_writer(key);
  write_queue(key_writer, broker_name, topic, queue);
  writer.bare_key(key);
}

[[nodiscard]] inline QueueName read_queue(const JsonObject& object) {
  return {.broker_name = object.text("brokerName"),
          .topic = object.text("topic"),
          .queue = object.int32("queueId")};
}

/// A key as parse_json() gives it.
[[nodiscard]] inline QueueName read_queue_key(std::string_view key, JsonErrors& errors) {
  constexpr std::string_view kWhat = "queue";
  const auto value = parse_json(as_bytes(key), kWhat);
  if (!value) {
    errors.add(kWhat, "is no queue");
    return {};
  }
  return read_queue(JsonObject(*value, kWhat, errors));
}

}  // namespace sluice::remoting
