#pragma once

#include <optional>
#include <ostream>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

/// \file
/// How GoogleTest shows our types in a failure, and what tests ask of a Result.

namespace sluice {

template <class Number, class Tag>
void PrintTo(const Strong<Number, Tag>& strong, std::ostream* out) {
  *out << strong.value;
}

inline void PrintTo(Errc code, std::ostream* out) {
  *out << row_of(code).name;
}

inline void PrintTo(const Error& error, std::ostream* out) {
  *out << describe(error);
}

namespace test {

/// The error's code; nullopt if there is a value.
template <class T>
[[nodiscard]] std::optional<Errc> error_of(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error().code;
}

}  // namespace test

}  // namespace sluice
