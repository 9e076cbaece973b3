// Any bytes as the value of a topic's or a group's key: refused, or a record that reads the same
// when it is written again. The first byte says which of the two.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "broker/metadata/records.hpp"

namespace {

using namespace sluice;          // NOLINT(google-build-using-namespace)
using namespace sluice::broker;  // NOLINT(google-build-using-namespace)

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Decode>
void check(std::string_view value, Decode decode) {
  const auto record = decode(value);
  if (!record) return require(record.error().code == Errc::corrupt_record);
  const Bytes written = encode(*record);
  require(written.size() <= value.size());  // An attribute that stands twice is kept once.
  const auto again = decode(std::string_view(written));
  require(again && encode(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view value(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] % 2 == 0) {
    check(value, [](std::string_view bytes) { return decode_topic("fuzz", bytes); });
  } else {
    check(value, [](std::string_view bytes) { return decode_group("fuzz", bytes); });
  }
  return 0;
}
