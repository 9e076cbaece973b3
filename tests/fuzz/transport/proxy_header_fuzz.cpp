// Any first bytes of a connection: no header, a whole one, a refusal, or more that is needed; and
// the same answer when the bytes come one at a time.

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/assert.hpp"
#include "common/base/limits.hpp"
#include "protocols/transport/proxy_header.hpp"

namespace {

using sluice::BytesView;
using sluice::transport::look_for_proxy_header;

/// As a listener looks: again when there are as many bytes as were asked for.
sluice::Result<sluice::transport::ProxyLook> look_step_by_step(BytesView bytes) {
  std::size_t size = 1;
  while (true) {
    const auto looked = look_for_proxy_header(bytes.first(size));
    if (!looked || looked->bytes_needed == 0 || looked->bytes_needed > bytes.size()) return looked;
    SLUICE_ASSERT(looked->bytes_needed > size, "every look asks for more");
    size = looked->bytes_needed;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const BytesView bytes = std::as_bytes(std::span(data, size));
  const auto looked = look_for_proxy_header(bytes);
  const auto stepwise = look_step_by_step(bytes);
  if (!looked) {
    SLUICE_ASSERT(!stepwise || stepwise->bytes_needed > 0, "refused in steps too");
    return 0;
  }
  SLUICE_ASSERT(stepwise, "taken in steps too");
  SLUICE_ASSERT(looked->bytes_needed == 0 || looked->bytes_needed > size, "more is more");
  SLUICE_ASSERT(looked->bytes_needed <= sluice::limits::kProxyHeaderBytesMax, "never too much");
  SLUICE_ASSERT(looked->header.has_value() == stepwise->header.has_value(), "both find it");
  if (!looked->header) return 0;
  SLUICE_ASSERT(looked->header->size <= size, "it lies in the bytes");
  SLUICE_ASSERT(looked->header->size == stepwise->header->size &&
                    looked->header->source == stepwise->header->source,
                "both find the same");
  return 0;
}
