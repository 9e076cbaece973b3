// Any bytes as a batch body: what is read, written again, is a prefix of it (but for the magic and
// the CRC, which are not looked at).

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/assert.hpp"
#include "common/base/limits.hpp"
#include "protocols/remoting/codec/batch_body.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;            // NOLINT(google-build-using-namespace)
  using namespace sluice::remoting;  // NOLINT(google-build-using-namespace)
  BatchBodyReader reader(std::as_bytes(std::span(data, size)));
  std::string written;
  std::size_t messages = 0;
  while (true) {
    const auto message = reader.next();
    if (!message || !*message) break;
    append_batch_message(written, **message);
    SLUICE_ASSERT(written.size() <= size, "messages lie inside the body");
    SLUICE_ASSERT(++messages <= limits::kMessagesPerBatchMax, "batches have a bound");
  }
  BatchBodyReader again(as_bytes(written));
  for (std::size_t i = 0; i < messages; ++i) {
    const auto message = again.next();
    SLUICE_ASSERT(message && *message, "a written message reads");
  }
  return 0;
}
