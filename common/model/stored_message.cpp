#include "common/model/stored_message.hpp"

#include <cstring>

#include "common/base/assert.hpp"
#include "common/base/byte_reader.hpp"
#include "common/base/checksum.hpp"
#include "common/base/limits.hpp"

namespace sluice::model {

namespace {

constexpr std::uint32_t kMagicV1 = 0xDAA320A7;
constexpr std::uint32_t kMagicV2 = 0xDAA320AB;
constexpr std::size_t kTopicBytesMaxV1 = 127;
constexpr char kPropertyEnd = '\x02';

// Offsets of fields before the first host, which has a size of its own.
constexpr std::size_t kMagicAt = 4;
constexpr std::size_t kBodyCrcAt = 8;
constexpr std::size_t kQueueAt = 12;
constexpr std::size_t kFlagAt = 16;
constexpr std::size_t kQueueOffsetAt = 20;
constexpr std::size_t kPositionAt = 28;
constexpr std::size_t kSystemFlagAt = 36;
constexpr std::size_t kBornAtAt = 40;
constexpr std::size_t kBornHostAt = 48;

constexpr std::size_t kHostBytesV4 = 8;
constexpr std::size_t kHostBytesV6 = 20;

constexpr std::size_t host_bytes(bool is_v6) noexcept {
  return is_v6 ? kHostBytesV6 : kHostBytesV4;
}

bool needs_separator(const StoredMessageFields& fields) noexcept {
  return !fields.properties.empty() && !fields.more_properties.empty() &&
         fields.properties.back() != kPropertyEnd;
}

std::size_t properties_size(const StoredMessageFields& fields) noexcept {
  return fields.properties.size() + (needs_separator(fields) ? 1 : 0) +
         fields.more_properties.size();
}

/// Appends at a moving pointer; the caller has made room.
class Pen {
 public:
  explicit Pen(std::byte* at) noexcept : at_(at) {}

  template <std::integral T>
  void number(T value) noexcept {
    store_big_endian(at_, value);
    at_ += sizeof(T);
  }
  void bytes(BytesView view) noexcept {
    if (!view.empty()) std::memcpy(at_, view.data(), view.size());
    at_ += view.size();
  }
  void host(const Endpoint& endpoint, bool is_v6) noexcept {
    std::memcpy(at_, endpoint.address.data(), is_v6 ? 16 : 4);
    at_ += is_v6 ? 16 : 4;
    number<std::int32_t>(endpoint.port);
  }

 private:
  std::byte* at_;
};

}  // namespace

std::size_t stored_message_size(const StoredMessageFields& fields) noexcept {
  constexpr std::size_t numbers = kBornHostAt + 8 + 4 + 8 + 4 + 2;  // Without hosts and contents.
  const std::size_t topic_length_bytes = fields.topic.size() > kTopicBytesMaxV1 ? 2 : 1;
  return numbers + host_bytes(fields.born_host.is_v6) + host_bytes(fields.store_host_is_v6) +
         fields.body.size() + topic_length_bytes + fields.topic.size() + properties_size(fields);
}

void encode_stored_message(const StoredMessageFields& fields, std::byte* out) {
  const bool is_v2 = fields.topic.size() > kTopicBytesMaxV1;
  SLUICE_ASSERT(properties_size(fields) <= limits::kPropertiesBytesMax &&
                    fields.topic.size() <= limits::kSystemTopicNameBytesMax,
                "limits are checked before a message is encoded");
  std::int32_t flags = fields.system_flag & ~(system_flag::kBornHostV6 | system_flag::kStoreHostV6);
  if (fields.born_host.is_v6) flags |= system_flag::kBornHostV6;
  if (fields.store_host_is_v6) flags |= system_flag::kStoreHostV6;

  Pen pen(out);
  pen.number(static_cast<std::int32_t>(stored_message_size(fields)));
  pen.number(is_v2 ? kMagicV2 : kMagicV1);
  pen.number(static_cast<std::int32_t>(crc32(fields.body) & 0x7FFFFFFF));
  pen.number(fields.queue);
  pen.number(fields.flag);
  pen.number(std::int64_t{0});  // Queue offset.
  pen.number(std::int64_t{0});  // Position.
  pen.number(flags);
  pen.number(fields.born_at_ms);
  pen.host(fields.born_host, fields.born_host.is_v6);
  pen.number(std::int64_t{0});  // Store time.
  pen.host(Endpoint{}, fields.store_host_is_v6);
  pen.number(fields.reconsume_times);
  pen.number(fields.prepared_transaction_offset);
  pen.number(static_cast<std::int32_t>(fields.body.size()));
  pen.bytes(fields.body);
  if (is_v2) {
    pen.number(static_cast<std::int16_t>(fields.topic.size()));
  } else {
    pen.number(static_cast<std::int8_t>(fields.topic.size()));
  }
  pen.bytes(as_bytes(fields.topic));
  pen.number(static_cast<std::int16_t>(properties_size(fields)));
  pen.bytes(as_bytes(fields.properties));
  if (needs_separator(fields)) pen.number(static_cast<std::int8_t>(kPropertyEnd));
  pen.bytes(as_bytes(fields.more_properties));
}

void fill_in_stored_message(std::byte* message, std::int64_t queue_offset, std::uint64_t position,
                            std::int64_t stored_at_ms, const Endpoint& store_host) {
  store_big_endian(message + kQueueOffsetAt, queue_offset);
  store_big_endian(message + kPositionAt, position);
  const auto flags = load_big_endian<std::int32_t>(message + kSystemFlagAt);
  std::byte* at = message + kBornHostAt + host_bytes((flags & system_flag::kBornHostV6) != 0);
  store_big_endian(at, stored_at_ms);
  // The record has room for one kind of address only; another kind stays zero.
  const bool has_v6_room = (flags & system_flag::kStoreHostV6) != 0;
  if (has_v6_room == store_host.is_v6) Pen(at + 8).host(store_host, has_v6_room);
}

Result<StoredMessageView> StoredMessageView::parse_first(BytesView bytes) {
  if (bytes.size() < 4) return fail(Errc::corrupt_record, "stored message ends in its length");
  const auto size = load_big_endian<std::int32_t>(bytes.data());
  if (size < 0 || static_cast<std::size_t>(size) > bytes.size()) {
    return fail(Errc::corrupt_record, "stored message is longer than what holds it");
  }
  return parse(bytes.first(static_cast<std::size_t>(size)));
}

Result<StoredMessageView> StoredMessageView::parse(BytesView bytes) {
  ByteReader reader(bytes);
  const auto size = reader.read<std::int32_t>();
  const auto magic = reader.read<std::uint32_t>();
  const bool is_whole = size >= 0 && static_cast<std::size_t>(size) == bytes.size();
  if (!is_whole || (magic != kMagicV1 && magic != kMagicV2)) {
    return fail(Errc::corrupt_record, "stored message has a wrong length or magic number");
  }
  StoredMessageView view;
  view.bytes_ = bytes;
  static_cast<void>(reader.read_bytes(kSystemFlagAt - kMagicAt - 4));
  const auto flags = reader.read<std::int32_t>();
  static_cast<void>(reader.read_bytes(
      static_cast<std::int64_t>(8 + host_bytes((flags & system_flag::kBornHostV6) != 0))));
  view.after_born_host_ = reader.position();
  static_cast<void>(reader.read_bytes(
      static_cast<std::int64_t>(8 + host_bytes((flags & system_flag::kStoreHostV6) != 0))));
  view.after_store_host_ = reader.position();
  static_cast<void>(reader.read_bytes(4 + 8));
  view.body_ = reader.read_bytes(reader.read<std::int32_t>());
  const std::int64_t topic_size =
      magic == kMagicV1 ? reader.read<std::int8_t>() : reader.read<std::int16_t>();
  view.topic_ = reader.read_text(topic_size);
  view.properties_ = reader.read_text(reader.read<std::int16_t>());
  if (!reader.ok() || reader.remaining() != 0) {
    return fail(Errc::corrupt_record, "stored message has lengths that do not add up");
  }
  return view;
}

std::int32_t StoredMessageView::body_crc() const noexcept {
  return load_big_endian<std::int32_t>(bytes_.data() + kBodyCrcAt);
}
std::int32_t StoredMessageView::queue() const noexcept {
  return load_big_endian<std::int32_t>(bytes_.data() + kQueueAt);
}
std::int32_t StoredMessageView::flag() const noexcept {
  return load_big_endian<std::int32_t>(bytes_.data() + kFlagAt);
}
std::int64_t StoredMessageView::queue_offset() const noexcept {
  return load_big_endian<std::int64_t>(bytes_.data() + kQueueOffsetAt);
}
std::uint64_t StoredMessageView::position() const noexcept {
  return load_big_endian<std::uint64_t>(bytes_.data() + kPositionAt);
}
std::int32_t StoredMessageView::system_flag() const noexcept {
  return load_big_endian<std::int32_t>(bytes_.data() + kSystemFlagAt);
}
std::int64_t StoredMessageView::born_at_ms() const noexcept {
  return load_big_endian<std::int64_t>(bytes_.data() + kBornAtAt);
}
std::int64_t StoredMessageView::stored_at_ms() const noexcept {
  return load_big_endian<std::int64_t>(bytes_.data() + after_born_host_);
}
std::int32_t StoredMessageView::reconsume_times() const noexcept {
  return load_big_endian<std::int32_t>(bytes_.data() + after_store_host_);
}
Endpoint StoredMessageView::born_host() const noexcept {
  return host_at(kBornHostAt, (system_flag() & system_flag::kBornHostV6) != 0);
}
Endpoint StoredMessageView::store_host() const noexcept {
  return host_at(after_born_host_ + 8, (system_flag() & system_flag::kStoreHostV6) != 0);
}

Endpoint StoredMessageView::host_at(std::size_t position, bool is_v6) const noexcept {
  Endpoint host;
  host.is_v6 = is_v6;
  std::memcpy(host.address.data(), bytes_.data() + position, host.address_size());
  const auto port = load_big_endian<std::int32_t>(bytes_.data() + position + host.address_size());
  host.port = static_cast<std::uint16_t>(port);
  return host;
}

}  // namespace sluice::model
