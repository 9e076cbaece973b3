#include "common/base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 0xFF;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

}  // namespace

std::string encode_base64(BytesView bytes) {
  std::string encoded;
  encoded.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t size = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < size ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      encoded.push_back(j <= size ? kAlphabet[group >> (18 - 6 * j) & 0x3F] : '=');
    }
  }
  return encoded;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t digits = text.find_last_not_of('=') + 1;
  const std::size_t padding = text.size() - digits;
  if (padding > 2) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : text.substr(0, digits)) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kNone) return std::nullopt;
    group = group << 6 | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(group >> bits & 0xFF));
  }
  const bool has_rest = (group & ((1U << bits) - 1)) != 0;  // One text per value.
  if (has_rest) return std::nullopt;
  return bytes;
}

}  // namespace sluice
