#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/byte_reader.hpp"
#include "common/base/error.hpp"
#include "common/base/types.hpp"

namespace sluice::remoting {

/// One message of a batch, as views into the body. Topic, queue, system flags and time stand in the
/// send header; magic and CRC are 0 on the wire and not looked at.
struct BatchMessage {
  std::int32_t flag = 0;
  BytesView body{};
  std::string_view properties{};  ///< RocketMQ's property string of this message alone.
};

/// Iterates the messages of a batch body (code 320, and inner batches): for each
/// int32 total size, int32 magic, int32 CRC, int32 flag, int32 body length, body,
/// int16 properties length, properties.
class BatchBodyReader {
 public:
  /// `body` outlives the reader and the messages.
  explicit BatchBodyReader(BytesView body) noexcept : reader_(body) {}

  /// The next message; nullopt at the end.
  ///
  /// \return malformed_packet if a length is negative, reaches over the end, or the total size is
  ///         not that of its parts; message_illegal after limits::kMessagesPerBatchMax messages.
  ///         The reader is then spent.
  [[nodiscard]] Result<std::optional<BatchMessage>> next();

 private:
  ByteReader reader_;
  std::size_t messages_ = 0;
};

/// Appends one message. `body` up to 2^31 - 1 bytes, `properties` up to
/// limits::kPropertiesBytesMax: whoever checks a message's size has checked both.
void append_batch_message(std::string& out, const BatchMessage& message);

}  // namespace sluice::remoting
