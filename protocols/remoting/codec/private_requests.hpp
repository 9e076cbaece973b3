#pragma once

#include <cstdint>
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

/// The clients of `group` that `session` speaks for should balance anew.
struct WatchNotice {
  std::uint64_t session = 0;
  std::string group;

  friend bool operator==(const WatchNotice&, const WatchNotice&) = default;
};

/// Body of the answer to SLUICE_WATCH (20001), which waits up to limits::kPullWaitMax for a notice:
/// `{"notices":[{"group":"g","session":"123"}]}`. The request has neither fields nor body.
struct WatchNotices {
  std::vector<WatchNotice> notices;

  friend bool operator==(const WatchNotices&, const WatchNotices&) = default;
};

/// \return malformed_packet, naming the member, if a value is not of its type or there are more
///         than limits::kNoticesPerGatewayMax notices; else as parse_json() in json_reader.hpp.
[[nodiscard]] Result<WatchNotices> decode_watch_notices(BytesView body);

void append_watch_notices(std::string& out, const WatchNotices& notices);

}  // namespace sluice::remoting
