#include "storage-plugins/spi/conformance/suites.hpp"

#include <cstdlib>

namespace sluice::storage::conformance {

std::vector<std::string> EngineContract::payloads(LogId log) {
  std::vector<std::string> all;
  Offset from = store.bounds(log).first;
  const Offset end = store.bounds(log).next;
  while (from < end) {
    const ReadResult part = must(store.read(log, from));
    for (const Record& it : part.records) all.emplace_back(it.payload.text());
    if (part.next <= from) throw std::runtime_error("a read makes no progress");
    from = part.next;
  }
  return all;
}

std::uint64_t seed_count(std::uint64_t ordinary) {
  const char* asked = std::getenv("SLUICE_SEEDS");  // NOLINT(concurrency-mt-unsafe): only read
  return asked == nullptr ? ordinary : std::strtoull(asked, nullptr, 10);
}

}  // namespace sluice::storage::conformance
