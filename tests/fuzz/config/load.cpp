// Any text as a configuration file: it is understood, or refused with the file's name and a line.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/config/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = sluice::config::load_text(text, "fuzz.yaml", {}, std::nullopt);
  if (!config && config.error().text.empty()) std::abort();
  return 0;
}
