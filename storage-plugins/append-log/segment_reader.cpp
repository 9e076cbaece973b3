#include "storage-plugins/append-log/segment_reader.hpp"

#include <algorithm>

#include "storage-plugins/append-log/bounds.hpp"

namespace sluice::append_log {

Result<SegmentReader::Outcome> SegmentReader::next_frame(std::uint64_t at,
                                                         const ExpectedFrame& expected) {
  const auto head = bytes_at(at, kFrameHeaderBytes);
  SLUICE_TRY(head);
  const auto peeked = peek_frame_header(*head);
  if (const auto* error = std::get_if<FrameError>(&peeked)) return *error;
  const std::uint32_t frame_bytes = std::get<FrameHeader>(peeked).frame_bytes;
  if (at + frame_bytes > file_bytes_) return FrameError::incomplete;
  const auto bytes = bytes_at(at, frame_bytes);
  SLUICE_TRY(bytes);
  const auto verified = verify_next_frame(*bytes, expected);
  if (const auto* error = std::get_if<FrameError>(&verified)) return *error;
  return Frame{.header = std::get<FrameHeader>(verified), .bytes = bytes->first(frame_bytes)};
}

Result<BytesView> SegmentReader::bytes_at(std::uint64_t at, std::size_t size) {
  const std::uint64_t end = std::min(file_bytes_, at + size);
  if (at >= end) return BytesView{};
  const bool is_there = at >= window_begin_ && end <= window_begin_ + window_bytes_;
  if (!is_there) {
    const std::uint64_t wanted = std::max<std::uint64_t>(end - at, kScanBytes);
    window_.resize(std::min(wanted, file_bytes_ - at));
    const auto read = file_.read_at(at, window_);
    SLUICE_TRY(read);
    window_begin_ = at;
    window_bytes_ = *read;
  }
  const std::size_t begin = at - window_begin_;
  const std::size_t available = std::min<std::size_t>(end - at, window_bytes_ - begin);
  return BytesView(window_).subspan(begin, available);
}

Result<std::uint64_t> SegmentReader::find_magic(std::uint64_t at) {
  while (at + kFrameHeaderBytes <= file_bytes_) {
    const auto first = bytes_at(at, kFrameAlignment);
    SLUICE_TRY(first);
    if (first->size() < kFrameAlignment) break;
    const std::size_t in_window = at - window_begin_;
    const BytesView bytes = BytesView(window_).subspan(in_window, window_bytes_ - in_window);
    std::size_t i = 0;
    for (; i + kFrameAlignment <= bytes.size(); i += kFrameAlignment) {
      if (load_big_endian<std::uint32_t>(bytes.data() + i) == kFrameMagic) return at + i;
    }
    at += i;
  }
  return file_bytes_;
}

}  // namespace sluice::append_log
