#include <algorithm>

#include "common/base/assert.hpp"
#include "common/base/checksum.hpp"
#include "storage-plugins/append-log/frame_codec.hpp"

namespace sluice::append_log {

using storage::NewRecord;
using storage::WriteBatch;

namespace {

std::size_t append_bytes(const NewRecord& record) noexcept {
  std::size_t size = kAppendHeadBytes + record.logs.size() * kAppendLogBytes;
  for (const Bytes& key : record.index_keys) size += sizeof(std::uint16_t) + key.size();
  return size + record.payload.size();
}

struct SizeOf {
  std::size_t operator()(const WriteBatch::Append& it) const { return append_bytes(it.record); }
  std::size_t operator()(const WriteBatch::Put& it) const {
    return kOperationHeadBytes + 4 + it.key.size() + it.value.size();
  }
  std::size_t operator()(const WriteBatch::Erase& it) const {
    return kOperationHeadBytes + it.key.size();
  }
  std::size_t operator()(const WriteBatch::EraseRange& it) const {
    return kOperationHeadBytes + 4 + it.first.size() + it.last.size();
  }
  std::size_t operator()(const WriteBatch::Expect&) const { return 0; }
  std::size_t operator()(const WriteBatch::TruncateBefore&) const {
    return kOperationHeadBytes + 16;
  }
  std::size_t operator()(const WriteBatch::DropBefore&) const { return kOperationHeadBytes + 8; }
  std::size_t operator()(const WriteBatch::Forget& it) const {
    return kOperationHeadBytes + 8 + 8 * it.offsets.size();
  }
  std::size_t operator()(const WriteBatch::DropLog&) const { return kOperationHeadBytes + 8; }
};

std::byte* put_bytes(std::byte* at, BytesView bytes) noexcept {
  return std::copy_n(bytes.data(), bytes.size(), at);
}

}  // namespace

std::size_t frame_bytes_of(const WriteBatch& batch) noexcept {
  std::size_t size = kFrameHeaderBytes;
  for (const auto& operation : batch.operations()) size += std::visit(SizeOf{}, operation);
  return round_up(size, kFrameAlignment);
}

FrameEncoder::FrameEncoder(std::span<std::byte> memory) noexcept
    : begin_(memory.data()),
      end_(memory.data() + memory.size()),
      at_(memory.data() + kFrameHeaderBytes) {}

std::byte* FrameEncoder::begin_operation(OperationCode code, std::size_t size) {
  SLUICE_ASSERT(size <= static_cast<std::size_t>(end_ - at_), "a frame fits what it was given");
  std::byte* at = at_;
  store_big_endian(at, std::uint32_t{static_cast<std::uint32_t>(code) << 24U});
  store_big_endian(at + 4, static_cast<std::uint32_t>(size));
  at_ += size;
  ++operation_count_;
  return at + kOperationHeadBytes;
}

void FrameEncoder::append(const NewRecord& record, const Assignment& assignment) {
  const std::size_t size = append_bytes(record);
  std::byte* const begin = at_;
  begin_operation(OperationCode::append, size);
  store_big_endian(begin + 12, static_cast<std::uint32_t>(record.payload.size()));
  store_big_endian(begin + 16, assignment.position.value);
  store_big_endian(begin + 24, assignment.stored_at.value);
  store_big_endian(begin + 32, record.tag_hash);
  store_big_endian(begin + 40, record.offset_count);
  store_big_endian(begin + 44, static_cast<std::uint32_t>(record.logs.size()) << 16U);
  store_big_endian(begin + 48, static_cast<std::uint32_t>(record.index_keys.size()));
  std::byte* at = begin + kAppendHeadBytes;
  for (std::size_t i = 0; i < record.logs.size(); ++i, at += kAppendLogBytes) {
    store_big_endian(at, record.logs[i].value);
    store_big_endian(at + 8, assignment.offsets[i].value);
  }
  for (const Bytes& key : record.index_keys) {
    store_big_endian(at, static_cast<std::uint16_t>(key.size()));
    at = put_bytes(at + 2, as_bytes(key));
  }
  at = put_bytes(at, record.payload.bytes());
  const std::uint32_t head_crc = crc32c(BytesView(begin, 8));
  store_big_endian(begin + 8, crc32c(BytesView(begin + 12, at), head_crc));
}

void FrameEncoder::put(std::string_view key, std::string_view value) {
  std::byte* at =
      begin_operation(OperationCode::put, kOperationHeadBytes + 4 + key.size() + value.size());
  store_big_endian(at, static_cast<std::uint32_t>(key.size()));
  put_bytes(put_bytes(at + 4, as_bytes(key)), as_bytes(value));
}

void FrameEncoder::erase(std::string_view key) {
  put_bytes(begin_operation(OperationCode::erase, kOperationHeadBytes + key.size()), as_bytes(key));
}

void FrameEncoder::erase_range(std::string_view first, std::string_view last) {
  std::byte* at = begin_operation(OperationCode::erase_range,
                                  kOperationHeadBytes + 4 + first.size() + last.size());
  store_big_endian(at, static_cast<std::uint32_t>(first.size()));
  put_bytes(put_bytes(at + 4, as_bytes(first)), as_bytes(last));
}

void FrameEncoder::truncate_before(storage::LogId log, storage::Offset keep_from) {
  std::byte* at = begin_operation(OperationCode::truncate_before, kOperationHeadBytes + 16);
  store_big_endian(at, log.value);
  store_big_endian(at + 8, keep_from.value);
}

void FrameEncoder::drop_before(storage::Position position) {
  store_big_endian(begin_operation(OperationCode::drop_before, kOperationHeadBytes + 8),
                   position.value);
}

void FrameEncoder::drop_log(storage::LogId log) {
  store_big_endian(begin_operation(OperationCode::drop_log, kOperationHeadBytes + 8), log.value);
}

FrameHeader FrameEncoder::finish(FrameHeader header, std::uint32_t salt) {
  header.operation_count = operation_count_;
  header.operations_bytes =
      static_cast<std::uint32_t>(at_ - begin_ - static_cast<std::ptrdiff_t>(kFrameHeaderBytes));
  header.frame_bytes = static_cast<std::uint32_t>(
      round_up(kFrameHeaderBytes + header.operations_bytes, kFrameAlignment));
  std::byte* const frame_end = begin_ + header.frame_bytes;
  SLUICE_ASSERT(frame_end <= end_, "a frame fits what it was given");
  std::fill(at_, frame_end, std::byte{0});
  store_big_endian(begin_, kFrameMagic);
  store_big_endian(begin_ + 4, header.frame_bytes);
  store_big_endian(begin_ + 8, header.sequence.value);
  store_big_endian(begin_ + 16, header.stored_at.value);
  store_big_endian(begin_ + 24, header.synced.value);
  store_big_endian(begin_ + 32, header.epoch);
  store_big_endian(begin_ + 40, header.generation);
  store_big_endian(begin_ + 44, header.previous_crc);
  store_big_endian(begin_ + 48, header.operation_count);
  store_big_endian(begin_ + 52, header.operations_bytes);
  store_big_endian(begin_ + 56, std::uint32_t{0});
  header.crc = frame_crc(BytesView(begin_, header.frame_bytes), header.operations_bytes, salt);
  store_big_endian(begin_ + 60, header.crc);
  return header;
}

}  // namespace sluice::append_log
