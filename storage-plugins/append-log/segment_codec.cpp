#include "storage-plugins/append-log/segment_codec.hpp"

#include <algorithm>

#include "common/base/assert.hpp"
#include "common/base/byte_reader.hpp"
#include "common/base/checksum.hpp"

namespace sluice::append_log {

namespace {

constexpr std::size_t kHalfBytes = kSegmentHeaderBytes / 2;
constexpr std::size_t kCrcAt = kHalfBytes - 4;

std::optional<SegmentHeader> decode_half(BytesView half) noexcept {
  ByteReader reader(half);
  const auto magic = reader.read<std::uint32_t>();
  const auto version = reader.read<std::uint32_t>();
  SegmentHeader header;
  header.number = reader.read<std::uint64_t>();
  const auto generation = reader.read<std::uint32_t>();
  header.previous_crc = reader.read<std::uint32_t>();
  header.first_sequence.value = reader.read<std::uint64_t>();
  header.created_at.value = reader.read<std::int64_t>();
  header.salt = reader.read<std::uint32_t>();
  header.crc = load_big_endian<std::uint32_t>(half.data() + kCrcAt);
  const bool is_known = magic == kSegmentMagic && version == kFormatVersion;
  const bool is_right = header.crc == crc32c(half.first(kCrcAt));
  if (!is_known || !is_right || generation != header.generation()) return std::nullopt;
  return header;
}

}  // namespace

std::uint32_t encode_segment_header(const SegmentHeader& header, std::span<std::byte> page) {
  SLUICE_ASSERT(page.size() == kSegmentHeaderBytes, "a segment header is one page");
  std::ranges::fill(page, std::byte{0});
  std::byte* at = page.data();
  store_big_endian(at, kSegmentMagic);
  store_big_endian(at + 4, kFormatVersion);
  store_big_endian(at + 8, header.number);
  store_big_endian(at + 16, header.generation());
  store_big_endian(at + 20, header.previous_crc);
  store_big_endian(at + 24, header.first_sequence.value);
  store_big_endian(at + 32, header.created_at.value);
  store_big_endian(at + 40, header.salt);
  const std::uint32_t crc = crc32c(page.first(kCrcAt));
  store_big_endian(at + kCrcAt, crc);
  std::ranges::copy(page.first(kHalfBytes), page.begin() + kHalfBytes);
  return crc;
}

std::optional<DecodedSegmentHeader> decode_segment_header(BytesView page) noexcept {
  if (page.size() < kSegmentHeaderBytes) return std::nullopt;
  const auto first = decode_half(page.first(kHalfBytes));
  const auto second = decode_half(page.subspan(kHalfBytes, kHalfBytes));
  if (!first && !second) return std::nullopt;
  return DecodedSegmentHeader{.header = first ? *first : *second,
                              .is_whole = first && second && *first == *second};
}

}  // namespace sluice::append_log
