#include "broker/metadata/keys.hpp"

#include <algorithm>

#include "common/base/byte_reader.hpp"
#include "common/base/byte_writer.hpp"

namespace sluice::broker::keys {

namespace {

/// Where the group begins in the key of an offset.
constexpr std::size_t kOffsetGroupBegin = 1 + sizeof(std::uint32_t) + sizeof(std::int32_t);

Bytes named(char prefix, std::string_view name) {
  Bytes key;
  key.reserve(name.size() + 1);
  key.push_back(prefix);
  key.append(name);
  return key;
}

}  // namespace

Bytes next_log_id() {
  return "mL";
}
Bytes next_topic_number() {
  return "mT";
}
Bytes topic(std::string_view name) {
  return named(kTopicPrefix, name);
}
Bytes group(std::string_view name) {
  return named(kGroupPrefix, name);
}

Bytes offset(TopicNumber topic, std::int32_t queue, std::string_view group) {
  Bytes key;
  key.reserve(9 + group.size());
  key.push_back(kOffsetPrefix);
  ByteWriter writer(key);
  writer.write(topic.value);
  writer.write(queue);
  writer.write_text(group);
  return key;
}

TopicNumber topic_of_offset(std::string_view key) noexcept {
  ByteReader reader(as_bytes(key.substr(1)));
  return TopicNumber{reader.read<std::uint32_t>()};
}

std::string_view group_of_offset(std::string_view key) noexcept {
  return key.substr(std::min(key.size(), kOffsetGroupBegin));
}

Bytes offsets_of(TopicNumber topic) {
  Bytes key(1, kOffsetPrefix);
  ByteWriter(key).write(topic.value);
  return key;
}

Bytes index(TopicNumber topic, std::string_view key_text) {
  Bytes key;
  key.reserve(4 + key_text.size());
  ByteWriter writer(key);
  writer.write(topic.value);
  writer.write_text(key_text);
  return key;
}

Bytes encode_number(std::uint64_t value) {
  Bytes bytes;
  ByteWriter(bytes).write(value);
  return bytes;
}

std::uint64_t decode_number(std::string_view bytes) noexcept {
  ByteReader reader(as_bytes(bytes));
  return reader.read<std::uint64_t>();
}

}  // namespace sluice::broker::keys
