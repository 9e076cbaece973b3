#pragma once

#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

namespace sluice::rest {

/// RFC 3986 §2.1. `+` is itself.
/// \return invalid_argument if `%` is not followed by two hex digits, or if a byte is not printable
///         ASCII: those must be encoded.
[[nodiscard]] Result<std::string> percent_decode(std::string_view text);

/// Encodes all but unreserved characters (RFC 3986 §2.3).
[[nodiscard]] std::string percent_encode(std::string_view text);

[[nodiscard]] bool is_utf8(BytesView bytes) noexcept;

/// True of UTF-8 without control characters, other than tab and the ends of lines: what a JSON
/// string holds without growing to six times its size.
[[nodiscard]] bool is_text(BytesView bytes) noexcept;

}  // namespace sluice::rest
