#include "bench/load/stored_messages.hpp"

#include "bench/load/fail.hpp"
#include "bench/load/wire.hpp"

namespace sluice::bench {
namespace {

// Places of a record's fields up to the born host; IPv4 addresses are 8 bytes with their port, IPv6
// ones 12 bytes more (MessageDecoder of RocketMQ).
constexpr std::size_t kMagicAt = 4;
constexpr std::size_t kQueueOffsetAt = 20;
constexpr std::size_t kSystemFlagAt = 36;
constexpr std::size_t kBodyLengthAtIpv4 = 84;
constexpr std::size_t kIpv6ExtraBytes = 12;
constexpr std::uint32_t kBornHostIpv6 = 0x10;
constexpr std::uint32_t kStoreHostIpv6 = 0x20;
constexpr std::uint32_t kMagicV1 = 0xDAA3'20A7;
constexpr std::uint32_t kMagicV2 = 0xDAA3'20AB;
constexpr std::size_t kRecordBytesMin = 91;

}  // namespace

StoredMessage StoredMessages::next() {
  if (rest_.size() < kRecordBytesMin) fail("a record of {} bytes", rest_.size());
  const std::size_t size = load_u32(rest_);
  if (size < kRecordBytesMin || size > rest_.size()) fail("a record of {} bytes", size);
  const std::string_view record = rest_.substr(0, size);
  rest_.remove_prefix(size);
  const std::uint32_t magic = load_u32(record, kMagicAt);
  if (magic != kMagicV1 && magic != kMagicV2) fail("a record with magic {:08X}", magic);
  const std::uint32_t flags = load_u32(record, kSystemFlagAt);
  std::size_t body_length_at = kBodyLengthAtIpv4;
  if ((flags & kBornHostIpv6) != 0) body_length_at += kIpv6ExtraBytes;
  if ((flags & kStoreHostIpv6) != 0) body_length_at += kIpv6ExtraBytes;
  const std::size_t body_at = body_length_at + sizeof(std::uint32_t);
  if (body_at > size) fail("a record of {} bytes is too short for its addresses", size);
  const std::size_t body_bytes = load_u32(record, body_length_at);
  if (body_bytes > size - body_at) fail("a body of {} bytes in {}", body_bytes, size);
  return {.queue_offset = load_u64(record, kQueueOffsetAt),
          .body = record.substr(body_at, body_bytes)};
}

std::string make_stored_message(std::uint64_t queue_offset, std::string_view topic,
                                std::size_t body_bytes, std::string_view properties) {
  std::string record(kBodyLengthAtIpv4, '\0');
  store_u32(record.data() + kMagicAt, kMagicV1);
  store_u64(record.data() + kQueueOffsetAt, queue_offset);
  append_u32(record, static_cast<std::uint32_t>(body_bytes));
  record.append(body_bytes, 'a');
  record.push_back(static_cast<char>(topic.size()));
  record += topic;
  append_u16(record, static_cast<std::uint16_t>(properties.size()));
  record += properties;
  store_u32(record.data(), static_cast<std::uint32_t>(record.size()));
  return record;
}

}  // namespace sluice::bench
