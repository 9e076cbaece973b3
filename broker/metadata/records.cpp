#include "broker/metadata/records.hpp"

#include "common/base/byte_writer.hpp"

namespace sluice::broker {

namespace {

constexpr std::uint8_t kTopicVersion = 1;
constexpr std::uint8_t kGroupVersion = 1;

void write_text(ByteWriter& writer, std::string_view text) {
  writer.write(static_cast<std::uint16_t>(text.size()));
  writer.write_text(text);
}

std::string read_text(ByteReader& reader) {
  return std::string(reader.read_text(reader.read<std::uint16_t>()));
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
  writer.write(static_cast<std::uint16_t>(record.config.attributes.size()));
  for (const auto& [name, text] : record.config.attributes) {
    write_text(writer, name);
    write_text(writer, text);
  }
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
  const auto attributes = reader.read<std::uint16_t>();
  for (std::uint16_t i = 0; i < attributes && reader.ok(); ++i) {
    std::string attribute = read_text(reader);
    record.config.attributes[std::move(attribute)] = read_text(reader);
  }
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

Bytes encode(const GroupRecord& record) {
  Bytes value;
  ByteWriter writer(value);
  writer.write(kGroupVersion);
  writer.write(record.retry_max);
  writer.write(record.retry_queues);
  writer.write(static_cast<std::uint8_t>(record.may_consume ? 1 : 0));
  return value;
}

Result<GroupRecord> decode_group(std::string_view value) {
  ByteReader reader(as_bytes(value));
  GroupRecord record;
  const auto version = reader.read<std::uint8_t>();
  record.retry_max = reader.read<std::int32_t>();
  record.retry_queues = reader.read<std::int32_t>();
  record.may_consume = reader.read<std::uint8_t>() != 0;
  if (version != kGroupVersion || !reader.ok() || reader.remaining() != 0) {
    return fail(Errc::corrupt_record,
                "the record of a group cannot be read: was it written by a newer version?");
  }
  return record;
}

}  // namespace sluice::broker
