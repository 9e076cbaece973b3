#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "common/base/types.hpp"

namespace sluice {

namespace detail {
template <std::integral T>
[[nodiscard]] constexpr T big_endian(T value) noexcept {
  using Raw = std::make_unsigned_t<T>;
  const auto raw = static_cast<Raw>(value);
  if constexpr (sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<T>(__builtin_bswap16(raw));
  } else if constexpr (sizeof(T) == 4) {
    return static_cast<T>(__builtin_bswap32(raw));
  } else {
    return static_cast<T>(__builtin_bswap64(raw));
  }
}
static_assert(std::endian::native == std::endian::little, "big_endian() swaps");
}  // namespace detail

/// Reads a big-endian number at `bytes`, which need not be aligned.
template <std::integral T>
[[nodiscard]] T load_big_endian(const std::byte* bytes) noexcept {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return detail::big_endian(value);
}

template <std::integral T>
void store_big_endian(std::byte* bytes, T value) noexcept {
  value = detail::big_endian(value);
  std::memcpy(bytes, &value, sizeof(T));
}

template <std::integral T>
[[nodiscard]] T load_little_endian(const std::byte* bytes) noexcept {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Reads from the front of a view and never past its end: a read that does not fit gives a zero or
/// an empty view and makes ok() false for good, so a decoder may read a whole structure and check
/// once.
class ByteReader {
 public:
  explicit ByteReader(BytesView bytes) noexcept : bytes_(bytes) {}

  template <std::integral T>
  [[nodiscard]] T read() noexcept {
    if (bytes_.size() - position_ < sizeof(T)) return static_cast<T>(failed());
    const T value = load_big_endian<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }

  /// `size` bytes; a negative or too large size fails.
  [[nodiscard]] BytesView read_bytes(std::int64_t size) noexcept {
    if (size < 0 || static_cast<std::uint64_t>(size) > remaining()) {
      failed();
      return {};
    }
    const BytesView part = bytes_.subspan(position_, static_cast<std::size_t>(size));
    position_ += part.size();
    return part;
  }

  [[nodiscard]] std::string_view read_text(std::int64_t size) noexcept {
    return as_text(read_bytes(size));
  }

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  [[nodiscard]] std::size_t remaining() const noexcept { return bytes_.size() - position_; }

 private:
  int failed() noexcept {
    ok_ = false;
    position_ = bytes_.size();
    return 0;
  }

  BytesView bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace sluice
