#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace sluice {

/// Lets an unordered container of texts be searched by a view of one.
struct TextHash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};

}  // namespace sluice
