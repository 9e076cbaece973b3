#pragma once

#include <string>

#include "common/base/types.hpp"
#include "protocols/rest/request.hpp"

namespace sluice::http1 {

enum class AfterResponse : std::uint8_t { keep_alive, close };

/// The status line and header of a response, to the blank line. `now` becomes the Date.
[[nodiscard]] std::string response_head(const rest::Response& response, UnixMillis now,
                                        AfterResponse after);

/// A date as HTTP writes it (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
[[nodiscard]] std::string http_date(UnixMillis time);

}  // namespace sluice::http1
