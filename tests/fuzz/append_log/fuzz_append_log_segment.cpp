// Segments: the header, and the frames behind it, from bytes that may be anything. The first byte
// chooses how deep to begin, since a checksum stops nearly all that is invented.

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "storage-plugins/append-log/frame_codec.hpp"
#include "storage-plugins/append-log/segment_codec.hpp"
#include "storage-plugins/append-log/segment_index.hpp"

namespace {

using namespace sluice;              // NOLINT(google-build-using-namespace)
using namespace sluice::append_log;  // NOLINT(google-build-using-namespace)

/// Goes through a frame that was found valid as recovery does.
void walk(BytesView frame, const FrameHeader& header) {
  SegmentIndex index;
  std::size_t operations = 0;
  visit_operations(frame, header, [&](const OperationView& operation) {
    ++operations;
    const auto* append = std::get_if<AppendView>(&operation);
    if (append == nullptr) return;
    const std::uint32_t record = index.add(*append, 4096);
    for (std::size_t i = 0; i < append->log_count; ++i) index.add_entry(append->log(i), record);
  });
  if (operations != header.operation_count) std::abort();
}

void read_segment(BytesView bytes) {
  const auto decoded = decode_segment_header(bytes);
  const std::uint32_t salt = decoded ? decoded->header.salt : 0;
  for (std::size_t at = kSegmentHeaderBytes; at < bytes.size();) {
    const auto verified = verify_frame(bytes.subspan(at), salt);
    const auto* header = std::get_if<FrameHeader>(&verified);
    if (header == nullptr) return;
    walk(bytes.subspan(at, header->frame_bytes), *header);
    at += header->frame_bytes;
  }
}

/// One frame whose own checksum is made right.
void read_frame(BytesView bytes) {
  const auto peeked = peek_frame_header(bytes);
  const auto* header = std::get_if<FrameHeader>(&peeked);
  if (header == nullptr || header->frame_bytes > bytes.size()) return;
  std::vector<std::byte> frame(bytes.begin(), bytes.begin() + header->frame_bytes);
  store_big_endian(frame.data() + 60, frame_crc(frame, header->operations_bytes, 0));
  const auto verified = verify_frame(frame, 0);
  if (const auto* whole = std::get_if<FrameHeader>(&verified)) walk(frame, *whole);
}

void read_operations(BytesView bytes) {
  while (const auto operation = decode_operation(bytes)) {
    if (const auto* append = std::get_if<AppendView>(&*operation)) {
      append->visit_index_keys([](std::string_view key) { static_cast<void>(hash_of_key(key)); });
    }
    bytes = bytes.subspan(load_big_endian<std::uint32_t>(bytes.data() + 4));
  }
  static_cast<void>(verify_append(bytes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const BytesView bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      read_segment(bytes);
      break;
    case 1:
      read_frame(bytes);
      break;
    default:
      read_operations(bytes);
      break;
  }
  return 0;
}
