#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sluice::bench {

/// \file Numbers in frames: big-endian integers, and decimal and hexadecimal digits of a fixed
/// width that are patched into a frame built before.

/// `bytes` holds the whole number at `at`.
[[nodiscard]] inline std::uint32_t load_u32(std::string_view bytes, std::size_t at = 0) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return __builtin_bswap32(value);
}

/// `bytes` holds the whole number at `at`.
[[nodiscard]] inline std::uint64_t load_u64(std::string_view bytes, std::size_t at = 0) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return __builtin_bswap64(value);
}

inline void store_u32(char* to, std::uint32_t value) {
  value = __builtin_bswap32(value);
  std::memcpy(to, &value, sizeof value);
}

inline void store_u64(char* to, std::uint64_t value) {
  value = __builtin_bswap64(value);
  std::memcpy(to, &value, sizeof value);
}

inline void append_u16(std::string& to, std::uint16_t value) {
  to.push_back(static_cast<char>(value >> 8));
  to.push_back(static_cast<char>(value & 0xFF));
}

inline void append_u32(std::string& to, std::uint32_t value) {
  char bytes[sizeof value];
  store_u32(bytes, value);
  to.append(bytes, sizeof bytes);
}

/// Writes `width` decimal digits; digits of `value` above that are lost.
inline void store_decimal(char* to, std::size_t width, std::uint64_t value) {
  for (std::size_t i = width; i > 0; --i) {
    to[i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

/// Writes 8 upper-case hexadecimal digits.
inline void store_hex(char* to, std::uint32_t value) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (int i = 7; i >= 0; --i) {
    to[i] = kDigits[value & 0xF];
    value >>= 4;
  }
}

}  // namespace sluice::bench
