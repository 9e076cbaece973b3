// Any bytes as a zlib stream: refused, or text that fits its bound and that a bound of its own size
// lets through too.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "common/compression/zlib_inflate.hpp"

namespace {

using sluice::Errc;
using sluice::compression::zlib_inflate;

constexpr std::size_t kBytesMax = std::size_t{64} * 1024;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto compressed = std::as_bytes(std::span(data, size));
  const auto inflated = zlib_inflate(compressed, kBytesMax);
  if (!inflated) {
    const Errc code = inflated.error().code;
    require(code == Errc::malformed_packet || code == Errc::payload_too_large);
    return 0;
  }
  require(inflated->size() <= kBytesMax);
  const auto same = zlib_inflate(compressed, inflated->size());
  require(same && *same == *inflated);
  if (inflated->empty()) return 0;
  const auto refused = zlib_inflate(compressed, inflated->size() - 1);
  require(!refused && refused.error().code == Errc::payload_too_large);
  return 0;
}
