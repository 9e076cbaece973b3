#include "protocols/rest/encoding.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "protocols/rest/request.hpp"

namespace sluice::rest {

namespace {

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

Result<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c < ' ' || c > '~') {
      return fail(Errc::invalid_argument,
                  quoted(text) + " holds bytes that must be percent-encoded");
    }
    if (c != '%') {
      decoded.push_back(c);
      continue;
    }
    const bool is_complete = text.size() - i > 2;
    const int high = is_complete ? hex_value(text[i + 1]) : -1;
    const int low = is_complete ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return fail(Errc::invalid_argument,
                  quoted(text) + " holds a % without two hex digits: write % as %25");
    }
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return decoded;
}

std::string percent_encode(std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.push_back('%');
    encoded.push_back(digits[byte >> 4]);
    encoded.push_back(digits[byte & 0xF]);
  }
  return encoded;
}

bool is_text(BytesView bytes) noexcept {
  const auto is_control = [](std::byte byte) {
    const auto c = std::to_integer<char>(byte);
    const bool is_allowed = c == '\t' || c == '\n' || c == '\r';
    return byte < std::byte{' '} && !is_allowed;
  };
  return std::ranges::none_of(bytes, is_control) && is_utf8(bytes);
}

bool is_utf8(BytesView bytes) noexcept {
  return simdjson::validate_utf8(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace sluice::rest
