#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/types.hpp"

namespace sluice {

/// RFC 4648 §4, padded, without line breaks.
[[nodiscard]] std::string encode_base64(BytesView bytes);

/// The bytes that encode_base64() made `text` of; nullopt for any other text.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace sluice
