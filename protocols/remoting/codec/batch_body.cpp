#include "protocols/remoting/codec/batch_body.hpp"

#include <limits>

#include <fmt/format.h>

#include "common/base/assert.hpp"
#include "common/base/byte_writer.hpp"
#include "common/base/limits.hpp"

namespace sluice::remoting {

namespace {

/// The parts of fixed size: five int32 and one int16.
constexpr std::size_t kFixedBytes = 5 * sizeof(std::int32_t) + sizeof(std::int16_t);

}  // namespace

Result<std::optional<BatchMessage>> BatchBodyReader::next() {
  if (reader_.remaining() == 0) return std::optional<BatchMessage>{};
  if (messages_ == limits::kMessagesPerBatchMax) {
    return fail(Errc::message_illegal,
                fmt::format("batch has more than {} messages", limits::kMessagesPerBatchMax));
  }
  const std::size_t begin = reader_.position();
  const auto total_size = reader_.read<std::int32_t>();
  [[maybe_unused]] const auto magic = reader_.read<std::int32_t>();
  [[maybe_unused]] const auto crc = reader_.read<std::int32_t>();
  BatchMessage message;
  message.flag = reader_.read<std::int32_t>();
  message.body = reader_.read_bytes(reader_.read<std::int32_t>());
  message.properties = reader_.read_text(reader_.read<std::int16_t>());
  if (!reader_.ok()) {
    return fail(Errc::malformed_packet, fmt::format("batch ends inside message {}", messages_ + 1));
  }
  const std::size_t size = reader_.position() - begin;
  if (static_cast<std::int64_t>(size) != total_size) {
    return fail(Errc::malformed_packet,
                fmt::format("message {} of the batch says it has {} bytes and has {}",
                            messages_ + 1, total_size, size));
  }
  ++messages_;
  return message;
}

void append_batch_message(std::string& out, const BatchMessage& message) {
  const std::size_t size = kFixedBytes + message.body.size() + message.properties.size();
  SLUICE_ASSERT(size <= std::numeric_limits<std::int32_t>::max(), "a batch message has 31 bits");
  SLUICE_ASSERT(message.properties.size() <= limits::kPropertiesBytesMax,
                "properties have a 16-bit length");
  ByteWriter writer(out);
  writer.write(static_cast<std::int32_t>(size));
  writer.write(std::int32_t{0});  // magic
  writer.write(std::int32_t{0});  // CRC: the broker computes it
  writer.write(message.flag);
  writer.write(static_cast<std::int32_t>(message.body.size()));
  writer.write_bytes(message.body);
  writer.write(static_cast<std::int16_t>(message.properties.size()));
  writer.write_text(message.properties);
}

}  // namespace sluice::remoting
