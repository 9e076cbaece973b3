#include <algorithm>

#include "common/base/checksum.hpp"
#include "storage-plugins/append-log/frame_codec.hpp"

namespace sluice::append_log {

namespace {

constexpr std::size_t kFrameCrcAt = 60;

/// Bytes of an operation that the frame's crc covers: an append's payload has its own.
std::size_t covered_bytes(BytesView operation) noexcept {
  const bool is_append = operation[0] == static_cast<std::byte>(OperationCode::append) &&
                         operation.size() >= kAppendHeadBytes;
  if (!is_append) return operation.size();
  const auto payload_bytes = load_big_endian<std::uint32_t>(operation.data() + 12);
  return operation.size() - std::min<std::size_t>(payload_bytes, operation.size());
}

std::optional<BytesView> first_operation(BytesView bytes) noexcept {
  if (bytes.size() < kOperationHeadBytes) return std::nullopt;
  const auto size = load_big_endian<std::uint32_t>(bytes.data() + 4);
  if (size < kOperationHeadBytes || size > bytes.size()) return std::nullopt;
  return bytes.first(size);
}

std::optional<AppendView> decode_append(BytesView bytes) noexcept {
  ByteReader reader(bytes);
  static_cast<void>(reader.read<std::uint64_t>());
  AppendView view;
  view.size = bytes.size();
  view.crc = reader.read<std::uint32_t>();
  const auto payload_bytes = reader.read<std::uint32_t>();
  view.position.value = reader.read<std::uint64_t>();
  view.stored_at.value = reader.read<std::int64_t>();
  view.tag_hash = reader.read<std::uint64_t>();
  view.offset_count = reader.read<std::uint32_t>();
  view.log_count = reader.read<std::uint16_t>();
  const auto reserved = reader.read<std::uint16_t>();
  view.index_key_count = reader.read<std::uint32_t>();
  view.logs = reader.read_bytes(std::int64_t{view.log_count} * std::int64_t{kAppendLogBytes});
  const std::size_t keys_begin = reader.position();
  for (std::uint32_t i = 0; i < view.index_key_count && reader.ok(); ++i) {
    static_cast<void>(reader.read_bytes(reader.read<std::uint16_t>()));
  }
  if (!reader.ok() || reader.remaining() != payload_bytes) return std::nullopt;
  if (view.log_count == 0 || view.offset_count == 0 || reserved != 0) return std::nullopt;
  view.index_keys = bytes.subspan(keys_begin, reader.position() - keys_begin);
  view.payload = bytes.subspan(reader.position());
  return view;
}

std::uint32_t append_crc(BytesView bytes) noexcept {
  return crc32c(bytes.subspan(12), crc32c(bytes.first(8)));
}

/// A size (4), that many bytes, and the rest.
std::optional<std::pair<std::string_view, std::string_view>> split(BytesView bytes) noexcept {
  ByteReader reader(bytes);
  const std::string_view first = reader.read_text(reader.read<std::uint32_t>());
  if (!reader.ok()) return std::nullopt;
  return std::pair{first, as_text(bytes.subspan(reader.position()))};
}

std::optional<OperationView> decode_change(OperationCode code, BytesView body) noexcept {
  ByteReader reader(body);
  switch (code) {
    case OperationCode::put: {
      const auto parts = split(body);
      if (!parts) return std::nullopt;
      return PutView{.key = parts->first, .value = parts->second};
    }
    case OperationCode::erase:
      return EraseView{.key = as_text(body)};
    case OperationCode::erase_range: {
      const auto parts = split(body);
      if (!parts) return std::nullopt;
      return EraseRangeView{.first = parts->first, .last = parts->second};
    }
    case OperationCode::truncate_before: {
      if (body.size() != 16) return std::nullopt;
      const storage::LogId log{reader.read<std::uint64_t>()};
      return TruncateBeforeView{.log = log, .keep_from = {reader.read<std::int64_t>()}};
    }
    case OperationCode::drop_before:
      if (body.size() != 8) return std::nullopt;
      return DropBeforeView{.position = {reader.read<std::uint64_t>()}};
    case OperationCode::drop_log:
      if (body.size() != 8) return std::nullopt;
      return DropLogView{.log = {reader.read<std::uint64_t>()}};
    case OperationCode::append:
    case OperationCode::forget:
    case OperationCode::rewind:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Decodes every operation of a frame whose own crc is right.
std::optional<FrameError> check_operations(BytesView frame, const FrameHeader& header) noexcept {
  BytesView left = frame.subspan(kFrameHeaderBytes, header.operations_bytes);
  std::uint32_t count = 0;
  while (!left.empty()) {
    const auto bytes = first_operation(left);
    if (!bytes) return FrameError::damaged;
    const auto operation = decode_operation(*bytes);
    // The frame's crc was right, so this was written so: by a program that knows more.
    if (!operation) return FrameError::unknown_code;
    const auto* append = std::get_if<AppendView>(&*operation);
    if (append != nullptr && append->crc != append_crc(*bytes)) return FrameError::damaged;
    left = left.subspan(bytes->size());
    ++count;
  }
  if (count == 0 || count != header.operation_count) return FrameError::damaged;
  return std::nullopt;
}

}  // namespace

std::string_view describe(FrameError error) noexcept {
  switch (error) {
    case FrameError::incomplete:
      return "the file ends inside a frame";
    case FrameError::no_frame:
      return "there is no frame";
    case FrameError::not_next:
      return "the frame there does not follow the one before";
    case FrameError::damaged:
      return "the frame there does not match its checksum";
    case FrameError::unknown_code:
      return "the frame there was written by a later version of this program";
  }
  return "";
}

std::uint32_t frame_crc(BytesView frame, std::uint32_t operations_bytes,
                        std::uint32_t salt) noexcept {
  std::uint32_t crc = crc32c(frame.first(kFrameCrcAt), salt);
  BytesView left = frame.subspan(kFrameHeaderBytes, operations_bytes);
  while (!left.empty()) {
    const auto operation = first_operation(left);
    if (!operation) return crc32c(left, crc);
    crc = crc32c(operation->first(covered_bytes(*operation)), crc);
    left = left.subspan(operation->size());
  }
  return crc32c(frame.subspan(kFrameHeaderBytes + operations_bytes), crc);
}

std::variant<FrameHeader, FrameError> peek_frame_header(BytesView bytes) noexcept {
  if (bytes.size() < kFrameHeaderBytes) return FrameError::incomplete;
  ByteReader reader(bytes);
  if (reader.read<std::uint32_t>() != kFrameMagic) return FrameError::no_frame;
  FrameHeader header;
  header.frame_bytes = reader.read<std::uint32_t>();
  header.sequence.value = reader.read<std::uint64_t>();
  header.stored_at.value = reader.read<std::int64_t>();
  header.synced.value = reader.read<std::uint64_t>();
  header.epoch = reader.read<std::uint64_t>();
  header.generation = reader.read<std::uint32_t>();
  header.previous_crc = reader.read<std::uint32_t>();
  header.operation_count = reader.read<std::uint32_t>();
  header.operations_bytes = reader.read<std::uint32_t>();
  static_cast<void>(reader.read<std::uint32_t>());
  header.crc = reader.read<std::uint32_t>();
  const std::uint64_t whole =
      round_up(kFrameHeaderBytes + std::uint64_t{header.operations_bytes}, kFrameAlignment);
  if (header.frame_bytes != whole) return FrameError::damaged;
  return header;
}

std::variant<FrameHeader, FrameError> verify_frame(BytesView bytes, std::uint32_t salt) noexcept {
  const auto peeked = peek_frame_header(bytes);
  if (std::holds_alternative<FrameError>(peeked)) return peeked;
  const auto& header = std::get<FrameHeader>(peeked);
  if (header.frame_bytes > bytes.size()) return FrameError::incomplete;
  const BytesView frame = bytes.first(header.frame_bytes);
  if (frame_crc(frame, header.operations_bytes, salt) != header.crc) return FrameError::damaged;
  if (const auto error = check_operations(frame, header)) return *error;
  return header;
}

std::variant<FrameHeader, FrameError> verify_next_frame(BytesView bytes,
                                                        const ExpectedFrame& expected) noexcept {
  const auto peeked = peek_frame_header(bytes);
  if (std::holds_alternative<FrameError>(peeked)) return peeked;
  const auto& header = std::get<FrameHeader>(peeked);
  const bool is_next = header.sequence == expected.sequence &&
                       header.generation == expected.generation &&
                       header.previous_crc == expected.previous_crc;
  if (!is_next) return FrameError::not_next;
  return verify_frame(bytes, expected.salt);
}

std::optional<OperationView> decode_operation(BytesView bytes) noexcept {
  const auto operation = first_operation(bytes);
  if (!operation) return std::nullopt;
  const auto head = load_big_endian<std::uint32_t>(operation->data());
  const bool has_flags = (head & 0x00FF'FFFFU) != 0;
  if (has_flags) return std::nullopt;
  const auto code = static_cast<OperationCode>(head >> 24U);
  if (code != OperationCode::append) {
    return decode_change(code, operation->subspan(kOperationHeadBytes));
  }
  auto append = decode_append(*operation);
  if (!append) return std::nullopt;
  return *append;
}

std::optional<AppendView> verify_append(BytesView bytes) noexcept {
  const auto operation = first_operation(bytes);
  if (!operation || operation->size() < kAppendHeadBytes) return std::nullopt;
  const bool is_append = load_big_endian<std::uint32_t>(operation->data()) ==
                         static_cast<std::uint32_t>(OperationCode::append) << 24U;
  if (!is_append) return std::nullopt;
  auto append = decode_append(*operation);
  if (!append || append->crc != append_crc(*operation)) return std::nullopt;
  return append;
}

}  // namespace sluice::append_log
