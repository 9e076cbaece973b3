#include "common/model/filter.hpp"

#include <algorithm>

namespace sluice::model {

namespace {

struct CodePoint {
  std::uint32_t value;
  std::size_t size;
};

constexpr CodePoint kReplacement{0xFFFD, 1};

// One code point of `text`, which is not empty (RFC 3629 §4, without the ranges it forbids for
// overlong forms: those too become U+FFFD).
CodePoint first_code_point(std::string_view text) noexcept {
  const auto byte_at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte_at(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return kReplacement;
  std::uint32_t value = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(i) & 0xC0) != 0x80) return kReplacement;
    value = value << 6 | (byte_at(i) & 0x3FU);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[size] || value > 0x10FFFF || is_surrogate) return kReplacement;
  return {value, size};
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::uint64_t tag_hash(std::string_view text) noexcept {
  std::uint32_t hash = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    text.remove_prefix(point.size);
    if (point.value < 0x10000) {
      hash = hash * 31 + point.value;
    } else {
      const std::uint32_t above = point.value - 0x10000;
      hash = hash * 31 + (0xD800 + (above >> 10));
      hash = hash * 31 + (0xDC00 + (above & 0x3FF));
    }
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(hash)));
}

Result<std::vector<std::uint64_t>> tag_hashes_of(const FilterExpression& filter) {
  if (!filter.type.empty() && filter.type != "TAG") {
    return fail(Errc::subscription_invalid,
                "expression type '" + filter.type + "' is not served: use TAG");
  }
  std::vector<std::uint64_t> hashes;
  std::string_view rest = trimmed(filter.expression);
  if (rest.empty() || rest == "*") return hashes;
  while (true) {
    const std::size_t bar = rest.find("||");
    const std::string_view tag = trimmed(rest.substr(0, bar));
    if (!tag.empty()) hashes.push_back(tag_hash(tag));
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 2);
  }
  std::ranges::sort(hashes);
  const auto repeats = std::ranges::unique(hashes);
  hashes.erase(repeats.begin(), repeats.end());
  return hashes;
}

}  // namespace sluice::model
