#pragma once

#include <cstddef>
#include <string>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

namespace sluice::remoting {

/// Inflates one zlib stream (RFC 1950). Memory grows with what has been inflated, never with what
/// the stream promises.
/// \return malformed_packet if the stream is damaged, ends early, or gives more than `bytes_max`.
[[nodiscard]] Result<std::string> inflate_zlib(BytesView compressed, std::size_t bytes_max);

}  // namespace sluice::remoting
