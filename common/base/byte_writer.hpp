#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/byte_reader.hpp"
#include "common/base/types.hpp"

namespace sluice {

/// Appends big-endian numbers and bytes to a string that the caller owns.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) noexcept : out_(out) {}

  template <std::integral T>
  void write(T value) {
    value = detail::big_endian(value);
    out_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }

  void write_bytes(BytesView bytes) { out_.append(as_text(bytes)); }
  void write_text(std::string_view text) { out_.append(text); }

  /// Overwrites a number written before, at `position` bytes from the string's begin.
  template <std::integral T>
  void patch(std::size_t position, T value) {
    store_big_endian(reinterpret_cast<std::byte*>(out_.data()) + position, value);
  }

  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }

 private:
  std::string& out_;
};

}  // namespace sluice
