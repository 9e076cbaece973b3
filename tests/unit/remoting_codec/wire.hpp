#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "common/base/types.hpp"

namespace sluice::remoting::test {

/// The bytes that `text` spells in hexadecimal; white space is for the reader.
inline std::string hex(std::string_view text) {
  std::string bytes;
  std::string digits;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    digits.push_back(c);
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<char>(std::strtol(digits.c_str(), nullptr, 16)));
    digits.clear();
  }
  return bytes;
}

/// `json` in a frame with `body`, the lengths as they should be.
inline std::string json_frame(std::string_view json, std::string_view body = {}) {
  const auto number = [](std::size_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
    return bytes;
  };
  std::string frame = number(4 + json.size() + body.size()) + number(json.size());
  return frame.append(json).append(body);
}

}  // namespace sluice::remoting::test
