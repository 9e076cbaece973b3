#include "storage-plugins/append-log/checkpoint_codec.hpp"

#include <utility>

#include "common/base/byte_reader.hpp"
#include "common/base/byte_writer.hpp"
#include "common/base/checksum.hpp"

namespace sluice::append_log {

namespace {

constexpr std::uint32_t kKeysKind = 1;
constexpr std::uint32_t kLogsKind = 2;
constexpr std::uint32_t kEndKind = 3;
constexpr std::size_t kHeaderCrcAt = 36;
constexpr std::size_t kLogBytes = 40;
constexpr std::size_t kEndBytes = 56;

/// Over the header's crc, the chunk's index, its head without the crc, and its data.
std::uint32_t chunk_crc(std::uint32_t header_crc, std::uint32_t index, BytesView head,
                        BytesView data) {
  std::byte before[8];
  store_big_endian(before, header_crc);
  store_big_endian(before + 4, index);
  return crc32c(data, crc32c(head.first(12), crc32c(BytesView(before))));
}

tl::unexpected<Error> damaged(std::uint32_t index) {
  return fail(Errc::corrupt_record,
              "chunk " + std::to_string(index) + " of the checkpoint is damaged");
}

}  // namespace

// --- writing -------------------------------------------------------------------------------------

std::string CheckpointEncoder::header(const CheckpointHeader& header) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.write(kCheckpointMagic);
  writer.write(kFormatVersion);
  writer.write(header.start_segment);
  writer.write(header.start.value);
  writer.write(header.created_at.value);
  writer.write(header.salt);
  header_crc_ = crc32c(as_bytes(bytes));
  writer.write(header_crc_);
  return bytes;
}

std::string CheckpointEncoder::keys(const std::vector<storage::KeyValue>& entries) {
  std::string data;
  ByteWriter writer(data);
  for (const storage::KeyValue& entry : entries) {
    writer.write(static_cast<std::uint32_t>(entry.key.size()));
    writer.write(static_cast<std::uint32_t>(entry.value.size()));
    writer.write_text(entry.key);
    writer.write_text(entry.value);
  }
  return chunk(kKeysKind, entries.size(), data);
}

std::string CheckpointEncoder::logs(const std::vector<CheckpointLog>& logs) {
  std::string data;
  ByteWriter writer(data);
  for (const CheckpointLog& log : logs) {
    writer.write(log.id.value);
    writer.write(log.floor.value);
    writer.write(log.next.value);
    writer.write(log.live_from.value);
    writer.write(log.last_position.value);
  }
  return chunk(kLogsKind, logs.size(), data);
}

std::string CheckpointEncoder::end(const CheckpointEnd& end) {
  std::string data;
  ByteWriter writer(data);
  writer.write(end.end.value);
  writer.write(end.drop_floor.value);
  writer.write(end.last_position.value);
  writer.write(end.last_stored_at.value);
  writer.write(end.key_count);
  writer.write(end.log_count);
  writer.write(std::uint64_t{0});
  return chunk(kEndKind, 1, data);
}

std::string CheckpointEncoder::chunk(std::uint32_t kind, std::size_t count,
                                     const std::string& data) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.write(kind);
  writer.write(static_cast<std::uint32_t>(data.size()));
  writer.write(static_cast<std::uint32_t>(count));
  writer.write(chunk_crc(header_crc_, chunk_count_, as_bytes(bytes), as_bytes(data)));
  writer.write_text(data);
  ++chunk_count_;
  return bytes;
}

// --- reading -------------------------------------------------------------------------------------

std::optional<CheckpointHeader> CheckpointDecoder::header(BytesView bytes) {
  if (bytes.size() < kCheckpointHeaderBytes) return std::nullopt;
  ByteReader reader(bytes);
  const auto magic = reader.read<std::uint32_t>();
  const auto version = reader.read<std::uint32_t>();
  CheckpointHeader header;
  header.start_segment = reader.read<std::uint64_t>();
  header.start.value = reader.read<std::uint64_t>();
  header.created_at.value = reader.read<std::int64_t>();
  header.salt = reader.read<std::uint32_t>();
  header_crc_ = reader.read<std::uint32_t>();
  const bool is_known = magic == kCheckpointMagic && version == kFormatVersion;
  if (!is_known || header_crc_ != crc32c(bytes.first(kHeaderCrcAt))) return std::nullopt;
  return header;
}

std::optional<std::size_t> CheckpointDecoder::chunk_bytes(BytesView head) {
  if (head.size() < kChunkHeadBytes) return std::nullopt;
  const auto size = load_big_endian<std::uint32_t>(head.data() + 4);
  if (size > kChunkBytesMax) return std::nullopt;
  return kChunkHeadBytes + size;
}

Result<> CheckpointDecoder::chunk(BytesView bytes, const Visitor& visitor) {
  const std::uint32_t index = chunk_count_++;
  const auto size = chunk_bytes(bytes);
  if (!size || *size != bytes.size() || end_) return damaged(index);
  ByteReader reader(bytes);
  const auto kind = reader.read<std::uint32_t>();
  static_cast<void>(reader.read<std::uint32_t>());
  const auto count = reader.read<std::uint32_t>();
  const auto crc = reader.read<std::uint32_t>();
  const BytesView data = bytes.subspan(kChunkHeadBytes);
  if (crc != chunk_crc(header_crc_, index, bytes, data)) return damaged(index);
  bool is_right = false;
  if (kind == kKeysKind) is_right = read_keys(data, count, visitor);
  if (kind == kLogsKind) is_right = read_logs(data, count, visitor);
  if (kind == kEndKind) is_right = read_end(data);
  if (!is_right) return damaged(index);
  return {};
}

bool CheckpointDecoder::read_keys(BytesView data, std::uint32_t count, const Visitor& visitor) {
  ByteReader reader(data);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto key_size = reader.read<std::uint32_t>();
    const auto value_size = reader.read<std::uint32_t>();
    const std::string_view key = reader.read_text(key_size);
    const std::string_view value = reader.read_text(value_size);
    if (!reader.ok()) return false;
    visitor.on_key(Bytes(key), Bytes(value));
  }
  key_count_ += count;
  return reader.remaining() == 0;
}

bool CheckpointDecoder::read_logs(BytesView data, std::uint32_t count, const Visitor& visitor) {
  if (data.size() != std::size_t{count} * kLogBytes) return false;
  ByteReader reader(data);
  for (std::uint32_t i = 0; i < count; ++i) {
    CheckpointLog log;
    log.id.value = reader.read<std::uint64_t>();
    log.floor.value = reader.read<std::int64_t>();
    log.next.value = reader.read<std::int64_t>();
    log.live_from.value = reader.read<std::uint64_t>();
    log.last_position.value = reader.read<std::uint64_t>();
    visitor.on_log(log);
  }
  log_count_ += count;
  return true;
}

bool CheckpointDecoder::read_end(BytesView data) {
  if (data.size() != kEndBytes) return false;
  ByteReader reader(data);
  CheckpointEnd end;
  end.end.value = reader.read<std::uint64_t>();
  end.drop_floor.value = reader.read<std::uint64_t>();
  end.last_position.value = reader.read<std::uint64_t>();
  end.last_stored_at.value = reader.read<std::int64_t>();
  end.key_count = reader.read<std::uint64_t>();
  end.log_count = reader.read<std::uint64_t>();
  if (end.key_count != key_count_ || end.log_count != log_count_) return false;
  end_ = end;
  return true;
}

}  // namespace sluice::append_log
