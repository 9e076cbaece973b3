#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/slice.hpp"
#include "common/model/call_context.hpp"
#include "common/model/command.hpp"

/// \file
/// Short words for what tests ask of a broker, in this process or over a connection.

namespace sluice::test {

[[nodiscard]] inline model::Endpoint peer() {
  return model::parse_endpoint("10.0.0.1:5000").value();
}

[[nodiscard]] inline model::CallContext caller(std::uint64_t session = 1, std::uint64_t via = 0) {
  model::CallContext context;
  context.session = std::make_shared<model::Session>(
      model::Session{.id = {session}, .via = {via}, .peer = peer(), .protocol = "test"});
  return context;
}

/// One message, whose topic may be made with four queues.
[[nodiscard]] inline model::Send message(std::string topic, std::string_view body,
                                         std::string_view properties = {}, std::int32_t queue = 0) {
  model::Send send;
  send.topic = std::move(topic);
  send.queue = queue;
  const Slice bytes = Slice::copy_of(std::string(body).append(properties));
  send.owner = bytes.owner();
  send.messages.push_back({bytes.bytes().first(body.size()), bytes.text().substr(body.size()), 0});
  send.template_topic = "TBW102";
  send.template_queues = 4;
  return send;
}

/// Of any message, by the group "readers".
[[nodiscard]] inline model::Pull pull_of(std::string topic, std::int64_t offset) {
  model::Pull pull;
  pull.group = "readers";
  pull.topic = std::move(topic);
  pull.offset = offset;
  pull.filter = model::FilterExpression{};
  return pull;
}

}  // namespace sluice::test
