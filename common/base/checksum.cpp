#include "common/base/checksum.hpp"

#include <array>
#include <cstddef>

#include <libdeflate.h>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include "common/base/byte_reader.hpp"

namespace sluice {

namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}
constexpr auto kTable = make_table();

std::uint32_t crc32c_by_table(BytesView bytes, std::uint32_t crc) noexcept {
  for (const std::byte byte : bytes) {
    crc = (crc >> 8) ^ kTable[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  }
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(BytesView bytes,
                                                                      std::uint32_t seed) noexcept {
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t crc = seed;
  for (; left >= 8; left -= 8, at += 8) {
    crc = _mm_crc32_u64(crc, load_little_endian<std::uint64_t>(at));
  }
  auto crc_32 = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++at) {
    crc_32 = _mm_crc32_u8(crc_32, std::to_integer<std::uint8_t>(*at));
  }
  return crc_32;
}
#endif

}  // namespace

std::uint32_t crc32c(BytesView bytes, std::uint32_t seed) noexcept {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ~crc32c_by_instruction(bytes, ~seed);
#endif
  return ~crc32c_by_table(bytes, ~seed);
}

std::uint32_t crc32(BytesView bytes) noexcept {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace sluice
