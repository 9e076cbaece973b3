#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/error.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"

namespace sluice::remoting {

/// Bits of PullHeader::sys_flag.
inline constexpr std::int32_t kPullCommitOffsetFlag = 1;  ///< commit_offset counts.
inline constexpr std::int32_t kPullSuspendFlag = 2;       ///< Wait if there is nothing.
inline constexpr std::int32_t kPullSubscriptionFlag = 4;  ///< subscription counts.
inline constexpr std::int32_t kPullClassFilterFlag = 8;
inline constexpr std::int32_t kPullLiteFlag = 16;  ///< Sent by the lite pull consumer.

/// The header of pulls: codes 11 and 361. Texts are views into the decoded header.
struct PullHeader {
  std::string_view consumer_group{};
  std::string_view topic{};
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = 0;
  std::int32_t max_msg_nums = 0;
  std::int32_t sys_flag = 0;
  std::int64_t commit_offset = 0;
  std::int64_t suspend_timeout_millis = 0;
  std::int64_t sub_version = 0;        ///< Milliseconds, or nanoseconds from Go clients.
  std::string_view subscription{};     ///< Filter expression; empty if absent.
  std::string_view expression_type{};  ///< `TAG` or `SQL92`; empty (absent) means TAG.
  std::int32_t max_msg_bytes = 0;      ///< 0 if absent: no bound asked for.
  std::int32_t request_source = -1;    ///< -1 SDK, 0 to 2 the parts of a 5.x proxy.
  std::string_view proxy_forward_client_id{};
  std::string_view broker_name{};
};

/// \return protocol_error, naming the field, if a required one is missing (all up to `subVersion`)
///         or a number is not one.
[[nodiscard]] Result<PullHeader> decode_pull_header(const Fields& fields);

/// Writes the fields for codes 11 and 361; what is empty, 0 or -1 by default is left out.
void write_fields(FrameWriter& writer, const PullHeader& header);

}  // namespace sluice::remoting
