#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"

namespace sluice::model {

/// What a consumer asks for, as it says it.
struct FilterExpression {
  std::string expression = "*";  ///< `*`, empty, or `a || b`.
  std::string type = "TAG";      ///< TAG; SQL92 is refused until it is built.

  friend bool operator==(const FilterExpression&, const FilterExpression&) = default;
};

/// Java's String.hashCode over the UTF-16 code units of `text`, sign-extended: RocketMQ's tagsCode.
/// 0 for an empty text. Bytes that are no UTF-8 count as U+FFFD.
[[nodiscard]] std::uint64_t tag_hash(std::string_view text) noexcept;

/// The hashes that a record's tag must be among; empty: all records.
/// \return subscription_invalid for a type other than TAG.
[[nodiscard]] Result<std::vector<std::uint64_t>> tag_hashes_of(const FilterExpression& filter);

}  // namespace sluice::model
