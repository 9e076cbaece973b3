#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <boost/container/small_vector.hpp>

namespace sluice {

/// A number with a meaning of its own: an offset is not a size. Made with `Offset{3}`, read with
/// `.value`.
template <class Number, class Tag>
struct Strong {
  Number value{};

  friend constexpr auto operator<=>(const Strong&, const Strong&) = default;
  constexpr Strong& operator++() noexcept {
    ++value;
    return *this;
  }
  friend constexpr Strong operator+(Strong a, Number n) noexcept {
    return Strong{static_cast<Number>(a.value + n)};
  }
  friend constexpr Number operator-(Strong a, Strong b) noexcept {
    return static_cast<Number>(a.value - b.value);
  }
};

/// Milliseconds since 1970-01-01T00:00:00Z.
using UnixMillis = Strong<std::int64_t, struct UnixMillisTag>;

/// Owned bytes, any values. std::string compares as unsigned bytes, which is the order of keys.
using Bytes = std::string;

/// Somebody else's bytes.
using BytesView = std::span<const std::byte>;

template <class T, std::size_t N>
using SmallVector = boost::container::small_vector<T, N>;

[[nodiscard]] inline BytesView as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

[[nodiscard]] inline std::string_view as_text(BytesView bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace sluice

template <class Number, class Tag>
struct std::hash<sluice::Strong<Number, Tag>> {
  std::size_t operator()(sluice::Strong<Number, Tag> strong) const noexcept {
    return std::hash<Number>{}(strong.value);
  }
};
