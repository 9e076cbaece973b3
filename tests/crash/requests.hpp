#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/frame.hpp"

/// \file
/// The requests that the tests send, each as one whole frame. All are about kTopic.

namespace sluice::crash {

using remoting::SerializeType;

/// What a request has beside its own fields.
struct Envelope {
  std::int32_t opaque = 0;
  SerializeType serialize_type = SerializeType::json;
};

/// SEND_MESSAGE_V2 (310) of message `number`; makes the topic if it is not there.
[[nodiscard]] std::string make_send(Envelope envelope, std::int32_t queue, std::uint64_t number);

/// The same with any body and property string.
[[nodiscard]] std::string make_send_of(Envelope envelope, std::int32_t queue,
                                       std::string_view properties, std::string_view body);

/// SEND_BATCH_MESSAGE (320) of messages [first, first + count).
[[nodiscard]] std::string make_batch(Envelope envelope, std::int32_t queue, std::uint64_t first,
                                     std::uint64_t count);

/// The same with any body.
[[nodiscard]] std::string make_batch_of(Envelope envelope, std::int32_t queue,
                                        std::string_view body);

struct PullFrom {
  std::string_view group;
  std::int32_t queue = 0;
  std::int64_t offset = 0;
  std::int64_t wait_ms = 0;  ///< 0: answers at once.
};

/// PULL_MESSAGE (11) of everything, no more than the server's bounds at a time.
[[nodiscard]] std::string make_pull(Envelope envelope, const PullFrom& from);

/// UPDATE_CONSUMER_OFFSET (15), to be answered.
[[nodiscard]] std::string make_update_offset(Envelope envelope, std::string_view group,
                                             std::int32_t queue, std::int64_t offset);

/// QUERY_CONSUMER_OFFSET (14).
[[nodiscard]] std::string make_query_offset(Envelope envelope, std::string_view group,
                                            std::int32_t queue);

/// GET_MAX_OFFSET (30) and GET_MIN_OFFSET (31).
[[nodiscard]] std::string make_query_bound(Envelope envelope, std::int32_t code,
                                           std::int32_t queue);

/// Any request. `flag`: 0 asks for an answer, remoting::kOnewayFlag for none.
[[nodiscard]] std::string make_request(Envelope envelope, std::int32_t code,
                                       std::span<const remoting::Field> fields,
                                       std::string_view body, std::int32_t flag);

}  // namespace sluice::crash
