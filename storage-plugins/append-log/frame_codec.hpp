#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "common/base/byte_reader.hpp"
#include "common/base/types.hpp"
#include "storage-plugins/append-log/format.hpp"
#include "storage-plugins/spi/write_batch.hpp"

/// \file
/// Frames as bytes (docs/formats/append-log.md, "Frame header" and "Operations"). Pure functions:
/// no file, no clock, no state. This is what the golden test and the fuzz target call.

namespace sluice::append_log {

struct FrameHeader {
  std::uint32_t frame_bytes = 0;
  storage::Sequence sequence{};
  UnixMillis stored_at{};
  storage::Sequence synced{};  ///< All up to it were durable when this frame was written.
  std::uint64_t epoch = 0;
  std::uint32_t generation = 0;
  std::uint32_t previous_crc = 0;
  std::uint32_t operation_count = 0;
  std::uint32_t operations_bytes = 0;
  std::uint32_t crc = 0;

  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

// --- operations, as views into a frame -----------------------------------------------------------

/// A log that a record is listed in, and its offset there.
struct LogEntry {
  storage::LogId log{};
  storage::Offset offset{};

  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

struct AppendView {
  std::uint32_t crc = 0;
  storage::Position position{};
  UnixMillis stored_at{};
  std::uint64_t tag_hash = 0;
  std::uint32_t offset_count = 1;
  std::uint16_t log_count = 0;
  std::uint32_t index_key_count = 0;
  BytesView logs{};        ///< log_count entries of kAppendLogBytes.
  BytesView index_keys{};  ///< Each a size (2) and its bytes.
  BytesView payload{};
  std::size_t begin = 0;  ///< Of the append, in the frame or whatever bytes it was decoded from.
  std::size_t size = 0;

  [[nodiscard]] LogEntry log(std::size_t i) const noexcept {
    const std::byte* at = logs.data() + i * kAppendLogBytes;
    return {.log = storage::LogId{load_big_endian<std::uint64_t>(at)},
            .offset = storage::Offset{load_big_endian<std::int64_t>(at + 8)}};
  }

  /// Calls visit(std::string_view key) for each index key.
  template <class Visit>
  void visit_index_keys(Visit visit) const {
    ByteReader reader(index_keys);
    for (std::uint32_t i = 0; i < index_key_count; ++i) {
      visit(reader.read_text(reader.read<std::uint16_t>()));
    }
  }
};

struct PutView {
  std::string_view key;
  std::string_view value;
};
struct EraseView {
  std::string_view key;
};
struct EraseRangeView {
  std::string_view first;
  std::string_view last;
};
struct TruncateBeforeView {
  storage::LogId log{};
  storage::Offset keep_from{};
};
struct DropBeforeView {
  storage::Position position{};
};
struct DropLogView {
  storage::LogId log{};
};
using OperationView = std::variant<AppendView, PutView, EraseView, EraseRangeView,
                                   TruncateBeforeView, DropBeforeView, DropLogView>;

// --- writing -------------------------------------------------------------------------------------

/// Bytes that `batch` takes as one frame.
[[nodiscard]] std::size_t frame_bytes_of(const storage::WriteBatch& batch) noexcept;

/// What the engine assigns to one append.
struct Assignment {
  storage::Position position{};
  UnixMillis stored_at{};
  std::span<const storage::Offset> offsets;  ///< One per log.
};

/// Writes one frame into memory that the caller provides: begin(), the operations, finish().
class FrameEncoder {
 public:
  /// \param memory  As large as frame_bytes_of() said, or larger.
  explicit FrameEncoder(std::span<std::byte> memory) noexcept;

  void append(const storage::NewRecord& record, const Assignment& assignment);
  void put(std::string_view key, std::string_view value);
  void erase(std::string_view key);
  void erase_range(std::string_view first, std::string_view last);
  void truncate_before(storage::LogId log, storage::Offset keep_from);
  void drop_before(storage::Position position);
  void drop_log(storage::LogId log);

  /// Fills in sizes, counts and crc, pads, and writes the header.
  /// \param salt  The segment's.
  /// \return the header as written.
  FrameHeader finish(FrameHeader header, std::uint32_t salt);

 private:
  /// \return where what follows the operation's head goes.
  std::byte* begin_operation(OperationCode code, std::size_t size);

  std::byte* begin_;
  std::byte* end_;
  std::byte* at_;
  std::uint32_t operation_count_ = 0;
};

// --- reading -------------------------------------------------------------------------------------

enum class FrameError : std::uint8_t {
  incomplete,    ///< The bytes given end inside the frame: give more, or it was cut off.
  no_frame,      ///< No magic here.
  not_next,      ///< Another sequence, generation or chain than asked for.
  damaged,       ///< A checksum or a size is wrong.
  unknown_code,  ///< Whole, but with an operation or flag of a later version.
};

[[nodiscard]] std::string_view describe(FrameError error) noexcept;

/// The crc of a frame, begun with the segment's salt: of its header, then of each operation (of an
/// append: without its payload), then of the padding. Sizes that contradict each other end it
/// early, and the crc does not match.
[[nodiscard]] std::uint32_t frame_crc(BytesView frame, std::uint32_t operations_bytes,
                                      std::uint32_t salt) noexcept;

/// What the next frame must say.
struct ExpectedFrame {
  storage::Sequence sequence{};
  std::uint32_t generation = 0;
  std::uint32_t previous_crc = 0;
  std::uint32_t salt = 0;
};

/// The header at the begin of `bytes`, not verified beyond its sizes.
/// \return incomplete, no_frame or damaged (its sizes contradict each other).
[[nodiscard]] std::variant<FrameHeader, FrameError> peek_frame_header(BytesView bytes) noexcept;

/// Verifies the frame that `bytes` begins with: header, structure, and every checksum.
[[nodiscard]] std::variant<FrameHeader, FrameError> verify_frame(BytesView bytes,
                                                                 std::uint32_t salt) noexcept;

/// The same, and that it is the frame expected.
[[nodiscard]] std::variant<FrameHeader, FrameError> verify_next_frame(
    BytesView bytes, const ExpectedFrame& expected) noexcept;

/// Decodes the operation at the begin of `bytes`; its views point into them.
/// \return nullopt if it is cut off, contradicts itself, or has an unknown code or flag.
[[nodiscard]] std::optional<OperationView> decode_operation(BytesView bytes) noexcept;

/// Decodes and verifies one append with its crc.
[[nodiscard]] std::optional<AppendView> verify_append(BytesView bytes) noexcept;

/// Calls visit(const OperationView&) for each operation of a verified frame. The `begin` of appends
/// counts from the begin of the frame.
template <class Visit>
void visit_operations(BytesView frame, const FrameHeader& header, Visit visit) {
  std::size_t at = kFrameHeaderBytes;
  const std::size_t end = at + header.operations_bytes;
  while (at < end) {
    auto operation = decode_operation(frame.subspan(at, end - at));
    if (!operation) return;
    if (auto* append = std::get_if<AppendView>(&*operation)) append->begin = at;
    visit(*operation);
    at += load_big_endian<std::uint32_t>(frame.data() + at + 4);
  }
}

}  // namespace sluice::append_log
