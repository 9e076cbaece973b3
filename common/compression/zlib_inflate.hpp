#pragma once

#include <cstddef>
#include <string>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

namespace sluice::compression {

/// Inflates one whole zlib stream (RFC 1950).
///
/// \param bytes_max  Most bytes to make of it, so that a few bytes cannot become gigabytes.
/// \return payload_too_large over `bytes_max`; malformed_packet if the stream is damaged, cut
///         short, or followed by something else.
[[nodiscard]] Result<std::string> zlib_inflate(BytesView compressed, std::size_t bytes_max);

}  // namespace sluice::compression
