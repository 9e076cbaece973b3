#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::append_log {

/// Bytes from lines of hex digits with a comment after two spaces, as docs/formats/ has them.
[[nodiscard]] inline std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  while (!text.empty()) {
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, line_end);
    text.remove_prefix(std::min(line_end + 1, text.size()));
    line = line.substr(0, line.find("  "));
    std::string digits;
    for (const char c : line) {
      if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
    }
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    }
  }
  return bytes;
}

}  // namespace sluice::append_log
