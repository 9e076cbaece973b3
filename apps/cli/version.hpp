#pragma once

#include <string_view>

namespace sluice::cli {

/// Such as `0.1.0`.
[[nodiscard]] std::string_view version() noexcept;

/// The commit that was built, abbreviated; empty if it is not known.
[[nodiscard]] std::string_view commit() noexcept;

}  // namespace sluice::cli
