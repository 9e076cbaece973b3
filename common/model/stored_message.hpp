#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "common/model/endpoint.hpp"

/// \file
/// The stored-message layout: the payload of every record, and what RocketMQ clients decode
/// (MessageDecoder, magic 0xDAA320A7 and 0xDAA320AB; docs/formats/stored-message.md). Integers are
/// big-endian.
///
/// What the engine assigns (queue offset, position, store time) and where the broker can be reached
/// (store host) are zeros in the record and filled in on the way to a remoting client.

namespace sluice::model {

namespace system_flag {
inline constexpr std::int32_t kCompressed = 0x1;
inline constexpr std::int32_t kMultiTags = 0x2;
inline constexpr std::int32_t kTransactionMask = 0xC;
inline constexpr std::int32_t kBornHostV6 = 0x10;
inline constexpr std::int32_t kStoreHostV6 = 0x20;
inline constexpr std::int32_t kNeedUnwrap = 0x40;
inline constexpr std::int32_t kInnerBatch = 0x80;
}  // namespace system_flag

/// All that a stored message is made of. Views into memory of the caller.
struct StoredMessageFields {
  std::int32_t queue = 0;
  std::int32_t flag = 0;         ///< The user's.
  std::int32_t system_flag = 0;  ///< Bits 4 and 5 are set by the encoder.
  std::int64_t born_at_ms = 0;
  Endpoint born_host;
  bool store_host_is_v6 = false;
  std::int32_t reconsume_times = 0;
  std::int64_t prepared_transaction_offset = 0;
  BytesView body;
  std::string_view topic;
  std::string_view properties;       ///< Encoded.
  std::string_view more_properties;  ///< Appended to them, with a separator where one is missing.
};

/// Bytes that encode_stored_message() will write.
[[nodiscard]] std::size_t stored_message_size(const StoredMessageFields& fields) noexcept;

/// Writes the message to `out`, which has room for stored_message_size() bytes.
/// Topic up to 127 bytes gives version 1, longer version 2. The fields must be within their limits
/// (topic 255, properties limits::kPropertiesBytesMax): checked before, asserted here.
void encode_stored_message(const StoredMessageFields& fields, std::byte* out);

/// Fills in what was unknown when the record was made. `message` holds one whole stored message.
void fill_in_stored_message(std::byte* message, std::int64_t queue_offset, std::uint64_t position,
                            std::int64_t stored_at_ms, const Endpoint& store_host);

/// Reads a stored message where it lies.
class StoredMessageView {
 public:
  /// \return corrupt_record if `bytes` is not one whole stored message.
  [[nodiscard]] static Result<StoredMessageView> parse(BytesView bytes);

  /// The first stored message of a concatenation (the body of a pull answer); size() says where the
  /// next one begins.
  [[nodiscard]] static Result<StoredMessageView> parse_first(BytesView bytes);

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::int32_t body_crc() const noexcept;
  [[nodiscard]] std::int32_t queue() const noexcept;
  [[nodiscard]] std::int32_t flag() const noexcept;
  [[nodiscard]] std::int64_t queue_offset() const noexcept;
  [[nodiscard]] std::uint64_t position() const noexcept;
  [[nodiscard]] std::int32_t system_flag() const noexcept;
  [[nodiscard]] std::int64_t born_at_ms() const noexcept;
  [[nodiscard]] Endpoint born_host() const noexcept;
  [[nodiscard]] std::int64_t stored_at_ms() const noexcept;
  [[nodiscard]] Endpoint store_host() const noexcept;
  [[nodiscard]] std::int32_t reconsume_times() const noexcept;
  [[nodiscard]] BytesView body() const noexcept { return body_; }
  [[nodiscard]] std::string_view topic() const noexcept { return topic_; }
  [[nodiscard]] std::string_view properties() const noexcept { return properties_; }

 private:
  [[nodiscard]] Endpoint host_at(std::size_t position, bool is_v6) const noexcept;

  BytesView bytes_;
  BytesView body_;
  std::string_view topic_;
  std::string_view properties_;
  std::size_t after_born_host_ = 0;
  std::size_t after_store_host_ = 0;
};

}  // namespace sluice::model
