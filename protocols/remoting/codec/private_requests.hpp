#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

/// \file
/// What a gateway of Sluice says to a broker of Sluice that RocketMQ has no words for. Everything
/// else between the two is what RocketMQ's clients say.

namespace sluice::remoting {

/// Extension fields that make any request one on behalf of a session of the gateway; both or none.
/// The connection they come on is the gateway's (model::Session::via).
inline constexpr std::string_view kSessionField = "sluiceSession";  ///< Its number, in decimal.
inline constexpr std::string_view kPeerField = "sluicePeer";        ///< Its peer, `ip:port`.

/// `true` in REGISTER_BROKER: the topics are all that the broker has, others are gone.
inline constexpr std::string_view kReplacesTopicsField = "sluiceReplacesTopics";

/// Field of SLUICE_SESSION_CLOSED (20002): the session that is gone, in decimal. The answer is
/// empty.
inline constexpr std::string_view kClosedSessionField = "session";

/// Fields of SLUICE_ANSWER_CLIENT_REQUEST (20003): the number of the question, in decimal, and the
/// code and remark of the client's answer. Its body is the client's.
inline constexpr std::string_view kAskNumberField = "number";
inline constexpr std::string_view kAskCodeField = "code";
inline constexpr std::string_view kAskRemarkField = "remark";

/// A question to a client, on the way to the gateway that speaks for it. `message` is a stored
/// message, in base64 on the wire.
struct WatchAsk {
  std::uint64_t number = 0;
  std::string broker_name{};
  std::int32_t question = 0;  ///< The ordinal of model::ClientQuestion.
  std::string client_id{};
  bool wants_stack = false;
  std::string topic{};
  std::int32_t topic_flag = 0;
  std::string message_id{};
  std::string message{};

  friend bool operator==(const WatchAsk&, const WatchAsk&) = default;
};

/// The clients of `group` that `session` speaks for should balance anew; or one is asked something.
struct WatchNotice {
  std::uint64_t session = 0;
  std::string group{};
  std::optional<WatchAsk> ask{};

  friend bool operator==(const WatchNotice&, const WatchNotice&) = default;
};

/// Body of the answer to SLUICE_WATCH (20001), which waits up to limits::kPullWaitMax for a notice:
/// `{"notices":[{"group":"g","session":"123"}]}`, with a member `ask` where something is asked. The
/// request has neither fields nor body.
struct WatchNotices {
  std::vector<WatchNotice> notices;

  friend bool operator==(const WatchNotices&, const WatchNotices&) = default;
};

/// \return malformed_packet, naming the member, if a value is not of its type or there are more
///         than limits::kNoticesPerGatewayMax notices; else as parse_json() in json_reader.hpp.
[[nodiscard]] Result<WatchNotices> decode_watch_notices(BytesView body);

void append_watch_notices(std::string& out, const WatchNotices& notices);

}  // namespace sluice::remoting
