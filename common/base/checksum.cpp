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
// The instruction takes three cycles but one can begin in each: three lanes run beside one another
// and are joined. A lane's crc is carried over the bytes of the next by what those would do to it
// if they were zeros, which is linear, so a table for each byte of it says.

using CarryTable = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr CarryTable make_carry_table(std::size_t zeros) {
  std::array<std::uint32_t, 32> bits{};
  for (std::size_t bit = 0; bit < 32; ++bit) {
    std::uint32_t crc = 1U << bit;
    for (std::size_t i = 0; i < zeros; ++i) crc = (crc >> 8) ^ kTable[crc & 0xFFU];
    bits[bit] = crc;
  }
  CarryTable table{};
  for (std::size_t i = 0; i < 4 * 256; ++i) {
    for (std::size_t bit = 0; bit < 8; ++bit) {
      if ((i >> bit & 1U) != 0) table[i / 256][i % 256] ^= bits[i / 256 * 8 + bit];
    }
  }
  return table;
}

template <std::size_t kLaneBytes>
constexpr CarryTable kCarry = make_carry_table(kLaneBytes);

template <std::size_t kLaneBytes>
std::uint64_t carry(std::uint64_t crc) noexcept {
  const CarryTable& table = kCarry<kLaneBytes>;
  return table[0][crc & 0xFFU] ^ table[1][crc >> 8 & 0xFFU] ^ table[2][crc >> 16 & 0xFFU] ^
         table[3][crc >> 24 & 0xFFU];
}

/// Takes as many times three lanes as `bytes` has from its front.
template <std::size_t kLaneBytes>
__attribute__((target("sse4.2"))) std::uint64_t crc32c_in_lanes(BytesView& bytes,
                                                                std::uint64_t crc) noexcept {
  while (bytes.size() >= 3 * kLaneBytes) {
    const std::byte* at = bytes.data();
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kLaneBytes; i += 8, at += 8) {
      crc = _mm_crc32_u64(crc, load_little_endian<std::uint64_t>(at));
      second = _mm_crc32_u64(second, load_little_endian<std::uint64_t>(at + kLaneBytes));
      third = _mm_crc32_u64(third, load_little_endian<std::uint64_t>(at + 2 * kLaneBytes));
    }
    crc = carry<kLaneBytes>(carry<kLaneBytes>(crc) ^ second) ^ third;
    bytes = bytes.subspan(3 * kLaneBytes);
  }
  return crc;
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(BytesView bytes,
                                                                      std::uint32_t seed) noexcept {
  std::uint64_t crc = crc32c_in_lanes<1024>(bytes, seed);
  crc = crc32c_in_lanes<256>(bytes, crc);
  crc = crc32c_in_lanes<64>(bytes, crc);
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
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
