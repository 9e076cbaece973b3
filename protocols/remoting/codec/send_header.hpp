#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/error.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"

namespace sluice::remoting {

/// The header of every send: codes 10 and 324 (long names) and 310, 320 and 325 (names `a` to `n`).
/// Texts are views into the decoded header.
struct SendHeader {
  std::string_view producer_group{};
  std::string_view topic{};
  std::string_view default_topic{};  ///< Template if the topic must be created, usually `TBW102`.
  std::int32_t default_topic_queue_nums = 0;
  std::int32_t queue_id = 0;        ///< Negative: the broker chooses.
  std::int32_t sys_flag = 0;        ///< Compression and transaction bits of the message.
  std::int64_t born_timestamp = 0;  ///< Milliseconds since 1970, by the client's clock.
  std::int32_t flag = 0;            ///< The user's; stored with the message.
  std::string_view properties{};    ///< RocketMQ's property string; empty if absent.
  std::int32_t reconsume_times = 0;
  bool unit_mode = false;
  std::optional<std::int32_t> max_reconsume_times{};
  bool batch = false;              ///< The body is a batch (batch_body.hpp); code 320 says so too.
  std::string_view broker_name{};  ///< The broker the client believes to talk to; empty if absent.
};

/// Decodes the header of send request `code`. The names go with the code; a short code whose
/// fields have the long names (no `a` among them) is read all the same.
///
/// \return protocol_error, naming the field, if a required one is missing (all up to `flag`) or a
///         number is not one.
[[nodiscard]] Result<SendHeader> decode_send_header(std::int32_t code, const Fields& fields);

/// Writes the fields with short names, for codes 310, 320 and 325.
void write_fields(FrameWriter& writer, const SendHeader& header);

}  // namespace sluice::remoting
