// What a name server keeps: whatever is read must be written and read again as the same.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/assert.hpp"
#include "nameserver/kept_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sluice::nameserver::KeptConfig;
  const auto config = KeptConfig::decode({reinterpret_cast<const char*>(data), size});
  if (!config) return 0;
  const std::string written = config->encode();
  const auto again = KeptConfig::decode(written);
  SLUICE_ASSERT(again && again->encode() == written, "what was written reads the same");
  return 0;
}
