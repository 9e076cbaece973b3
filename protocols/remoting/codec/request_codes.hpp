#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::remoting {

/// Codes of requests (RocketMQ's RequestCode), in both directions. A code that is not served is
/// answered with response_code::kRequestCodeNotSupported, never with silence.
namespace request_code {
#define SLUICE_REQUEST(constant, number, name) inline constexpr std::int32_t constant = number;
#include "protocols/remoting/codec/request_codes.def"
#undef SLUICE_REQUEST

/// Codes that only Sluice's own processes send each other lie in [first, last]: RocketMQ uses none
/// of them, and they fit the 16 bits of the binary header.
inline constexpr std::int32_t kPrivateFirst = 20'000;
inline constexpr std::int32_t kPrivateLast = 20'999;
}  // namespace request_code

/// RocketMQ's name, for logs and metrics; `OTHER` for a code that is not in request_codes.def.
[[nodiscard]] std::string_view name_of_request(std::int32_t code) noexcept;

}  // namespace sluice::remoting
