#include "broker/metadata/records.hpp"

#include <cstdint>
#include <limits>

#include "common/base/assert.hpp"
#include "common/base/byte_writer.hpp"

namespace sluice::broker {

namespace {

constexpr std::uint8_t kTopicVersion = 1;
constexpr std::uint8_t kGroupVersion = 2;

// Of a group's flags.
constexpr std::uint8_t kMayConsume = 0x01;
constexpr std::uint8_t kMayBroadcast = 0x02;
constexpr std::uint8_t kConsumesFromFirst = 0x04;
constexpr std::uint8_t kConsumesOrderly = 0x08;
constexpr std::uint8_t kTellsOfChanges = 0x10;

using Attributes = std::map<std::string, std::string, std::less<>>;

void write_text(ByteWriter& writer, std::string_view text) {
  // A length that was cut would make the record, and with it the store, unreadable.
  SLUICE_ASSERT(text.size() <= std::numeric_limits<std::uint16_t>::max(),
                "the gateway checks this");
  writer.write(static_cast<std::uint16_t>(text.size()));
  writer.write_text(text);
}

std::string read_text(ByteReader& reader) {
  return std::string(reader.read_text(reader.read<std::uint16_t>()));
}

void write_attributes(ByteWriter& writer, const Attributes& attributes) {
  writer.write(static_cast<std::uint16_t>(attributes.size()));
  for (const auto& [name, text] : attributes) {
    write_text(writer, name);
    write_text(writer, text);
  }
}

Attributes read_attributes(ByteReader& reader) {
  Attributes attributes;
  const auto count = reader.read<std::uint16_t>();
  for (std::uint16_t i = 0; i < count && reader.ok(); ++i) {
    std::string name = read_text(reader);
    attributes[std::move(name)] = read_text(reader);
  }
  return attributes;
}

std::uint8_t flags_of(const model::GroupConfig& config) noexcept {
  std::uint8_t flags = 0;
  if (config.may_consume) flags |= kMayConsume;
  if (config.may_broadcast) flags |= kMayBroadcast;
  if (config.consumes_from_first) flags |= kConsumesFromFirst;
  if (config.consumes_orderly) flags |= kConsumesOrderly;
  if (config.tells_of_changes) flags |= kTellsOfChanges;
  return flags;
}

void set_flags(model::GroupConfig& config, std::uint8_t flags) noexcept {
  config.may_consume = (flags & kMayConsume) != 0;
  config.may_broadcast = (flags & kMayBroadcast) != 0;
  config.consumes_from_first = (flags & kConsumesFromFirst) != 0;
  config.consumes_orderly = (flags & kConsumesOrderly) != 0;
  config.tells_of_changes = (flags & kTellsOfChanges) != 0;
}

}  // namespace

Bytes encode(const TopicRecord& record) {
  Bytes value;
  ByteWriter writer(value);
  writer.write(kTopicVersion);
  writer.write(record.number.value);
  writer.write(record.config.read_queues);
  writer.write(record.config.write_queues);
  writer.write(record.config.permission);
  writer.write(record.config.system_flag);
  writer.write(static_cast<std::uint8_t>(record.config.is_ordered ? 1 : 0));
  write_text(writer, record.config.filter_type);
  write_attributes(writer, record.config.attributes);
  writer.write(static_cast<std::uint16_t>(record.logs.size()));
  for (const LogRange& range : record.logs) {
    writer.write(range.first.value);
    writer.write(range.count);
  }
  return value;
}

Result<TopicRecord> decode_topic(std::string_view name, std::string_view value) {
  ByteReader reader(as_bytes(value));
  TopicRecord record;
  const auto version = reader.read<std::uint8_t>();
  record.config.name = name;
  record.number.value = reader.read<std::uint32_t>();
  record.config.read_queues = reader.read<std::int32_t>();
  record.config.write_queues = reader.read<std::int32_t>();
  record.config.permission = reader.read<std::int32_t>();
  record.config.system_flag = reader.read<std::int32_t>();
  record.config.is_ordered = reader.read<std::uint8_t>() != 0;
  record.config.filter_type = read_text(reader);
  record.config.attributes = read_attributes(reader);
  const auto ranges = reader.read<std::uint16_t>();
  for (std::uint16_t i = 0; i < ranges && reader.ok(); ++i) {
    const storage::LogId first{reader.read<std::uint64_t>()};
    record.logs.push_back({first, reader.read<std::uint32_t>()});
  }
  if (version != kTopicVersion || !reader.ok() || reader.remaining() != 0) {
    return fail(Errc::corrupt_record, "the record of topic '" + std::string(name) +
                                          "' cannot be read: was it written by a newer version?");
  }
  return record;
}

Bytes encode(const model::GroupConfig& config) {
  Bytes value;
  ByteWriter writer(value);
  writer.write(kGroupVersion);
  writer.write(flags_of(config));
  writer.write(config.retry_queues);
  writer.write(config.retry_max);
  writer.write(config.consume_timeout_minutes);
  writer.write(config.system_flag);
  writer.write(config.broker_id);
  writer.write(config.broker_id_when_slow);
  write_text(writer, config.retry_policy);
  write_text(writer, config.subscriptions);
  write_attributes(writer, config.attributes);
  return value;
}

Result<model::GroupConfig> decode_group(std::string_view name, std::string_view value) {
  ByteReader reader(as_bytes(value));
  model::GroupConfig config;
  const auto version = reader.read<std::uint8_t>();
  config.name = name;
  set_flags(config, reader.read<std::uint8_t>());
  config.retry_queues = reader.read<std::int32_t>();
  config.retry_max = reader.read<std::int32_t>();
  config.consume_timeout_minutes = reader.read<std::int32_t>();
  config.system_flag = reader.read<std::int32_t>();
  config.broker_id = reader.read<std::int64_t>();
  config.broker_id_when_slow = reader.read<std::int64_t>();
  config.retry_policy = read_text(reader);
  config.subscriptions = read_text(reader);
  config.attributes = read_attributes(reader);
  if (version != kGroupVersion || !reader.ok() || reader.remaining() != 0) {
    return fail(Errc::corrupt_record, "the record of group '" + std::string(name) +
                                          "' cannot be read: was it written by another version?");
  }
  return config;
}

}  // namespace sluice::broker
