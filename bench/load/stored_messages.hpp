#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::bench {

/// One record of a pull's body; a view into it.
struct StoredMessage {
  std::uint64_t queue_offset;
  std::string_view body;
};

/// Walks the records of a pull's body: sizes, magic and the body's length are checked, and a record
/// that is not as it should be fails the run.
class StoredMessages {
 public:
  explicit StoredMessages(std::string_view records) : rest_(records) {}

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  [[nodiscard]] StoredMessage next();

 private:
  std::string_view rest_;
};

/// A record with IPv4 addresses that StoredMessages reads: what the echo server gives to a pull.
[[nodiscard]] std::string make_stored_message(std::uint64_t queue_offset, std::string_view topic,
                                              std::size_t body_bytes, std::string_view properties);

}  // namespace sluice::bench
