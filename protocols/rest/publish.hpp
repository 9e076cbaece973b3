#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/slice.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "protocols/rest/request.hpp"

namespace sluice::rest {

/// `POST /v1/topics/{topic}/messages?queue=`: docs/mapping/http.md has every field.
struct Publish {
  std::string topic;
  std::int32_t queue = -1;  ///< -1: not given.
  std::string broker_name;  ///< Empty: any.
  std::string properties;   ///< Encoded.
};

/// \param topic  The decoded path segment.
/// \return invalid_argument, permission_denied, message_illegal; unsupported for a
/// Content-Encoding.
[[nodiscard]] Result<Publish> parse_publish(std::string topic, const Target& target,
                                            const RequestHead& head);

/// \param body    Shared, not copied.
/// \param now_ms  The message's born time.
[[nodiscard]] model::Send to_send(Publish publish, Slice body, const model::Endpoint& peer,
                                  std::int64_t now_ms);

/// A queue by its broker.
struct ChosenQueue {
  std::string broker_name;
  std::int32_t queue = 0;
};

/// The message group of a request that names no queue; nullopt if it has none, or names one.
[[nodiscard]] std::optional<std::string> group_to_place(const Publish& publish);

/// Where all messages of a group go while the topic's queues stay: where RocketMQ's
/// SelectMessageQueueByHash puts them too, so that producers of both kinds keep one order.
/// \return nullopt if no queue takes messages.
[[nodiscard]] std::optional<ChosenQueue> choose_queue(const model::Route& route,
                                                      std::string_view message_group);

/// 201 with the receipt and where to read the message.
[[nodiscard]] Response to_response(std::string_view topic, const model::SendReply& reply);

}  // namespace sluice::rest
