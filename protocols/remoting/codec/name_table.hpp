#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::remoting {

/// Finds a name among N at compile-time known ones, comparing only with those of its length: names
/// of header fields differ in length, so that is one comparison or two.
template <std::size_t N>
class NameTable {
 public:
  /// Names of 1 to kLengthMax bytes, fewer than 256 of them.
  explicit consteval NameTable(const std::array<std::string_view, N>& names) : names_(names) {
    std::size_t sorted = 0;
    for (std::size_t length = 0; length <= kLengthMax; ++length) {
      begin_[length] = static_cast<std::uint8_t>(sorted);
      for (std::size_t i = 0; i < N; ++i) {
        if (names[i].size() == length) by_length_[sorted++] = static_cast<std::uint8_t>(i);
      }
    }
    begin_[kLengthMax + 1] = static_cast<std::uint8_t>(sorted);
    if (sorted != N) throw "a name is too long";  // stops the compilation
  }

  /// The index of `name` in the array given.
  [[nodiscard]] constexpr std::optional<std::size_t> find(std::string_view name) const noexcept {
    if (name.size() > kLengthMax) return std::nullopt;
    for (std::size_t i = begin_[name.size()]; i < begin_[name.size() + 1]; ++i) {
      if (names_[by_length_[i]] == name) return by_length_[i];
    }
    return std::nullopt;
  }

  [[nodiscard]] constexpr std::string_view name(std::size_t index) const noexcept {
    return names_[index];
  }

 private:
  static constexpr std::size_t kLengthMax = 31;

  std::array<std::string_view, N> names_;
  std::array<std::uint8_t, N> by_length_{};
  std::array<std::uint8_t, kLengthMax + 2> begin_{};
};

}  // namespace sluice::remoting
