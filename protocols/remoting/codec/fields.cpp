#include "protocols/remoting/codec/fields.hpp"

#include <fmt/format.h>

namespace sluice::remoting {

namespace {

// A peer's value is quoted in our texts, but never at any length.
constexpr std::size_t kQuotedBytesMax = 64;

template <std::integral T>
constexpr std::string_view kNumberName = sizeof(T) == 4 ? "a 32-bit integer" : "a 64-bit integer";

template <std::integral T>
Result<T> to_number(std::string_view key, std::string_view value) {
  const auto number = parse_decimal<T>(value);
  if (!number) return fail(invalid_field(key, kNumberName<T>, value));
  return *number;
}

template <std::integral T>
Result<T> required_number(const Fields& fields, std::string_view key) {
  const auto value = fields.find(key);
  if (!value) return fail(missing_field(key));
  return to_number<T>(key, *value);
}

template <std::integral T>
Result<T> optional_number(const Fields& fields, std::string_view key, T fallback) {
  const auto value = fields.find(key);
  if (!value || value->empty()) return fallback;
  return to_number<T>(key, *value);
}

}  // namespace

bool parse_boolean(std::string_view text) noexcept {
  constexpr std::string_view kTrue = "true";
  if (text.size() != kTrue.size()) return false;
  for (std::size_t i = 0; i < kTrue.size(); ++i) {
    const bool is_letter = text[i] == kTrue[i] || text[i] == kTrue[i] - 'a' + 'A';
    if (!is_letter) return false;
  }
  return true;
}

Error missing_field(std::string_view key) {
  return {Errc::protocol_error, fmt::format("field \"{}\" is missing", key)};
}

Error invalid_field(std::string_view key, std::string_view what, std::string_view value) {
  return {Errc::protocol_error, fmt::format("field \"{}\" is not {}: \"{}\"", key, what,
                                            value.substr(0, kQuotedBytesMax))};
}

std::optional<std::string_view> Fields::find(std::string_view key) const noexcept {
  for (auto field = fields_.rbegin(); field != fields_.rend(); ++field) {
    if (field->key == key) return field->value;
  }
  return std::nullopt;
}

Result<std::string_view> Fields::text(std::string_view key) const {
  const auto value = find(key);
  if (!value) return fail(missing_field(key));
  return *value;
}

Result<std::int32_t> Fields::int32(std::string_view key) const {
  return required_number<std::int32_t>(*this, key);
}

Result<std::int64_t> Fields::int64(std::string_view key) const {
  return required_number<std::int64_t>(*this, key);
}

std::string_view Fields::text_or(std::string_view key, std::string_view fallback) const noexcept {
  return find(key).value_or(fallback);
}

Result<std::int32_t> Fields::int32_or(std::string_view key, std::int32_t fallback) const {
  return optional_number(*this, key, fallback);
}

Result<std::int64_t> Fields::int64_or(std::string_view key, std::int64_t fallback) const {
  return optional_number(*this, key, fallback);
}

bool Fields::boolean_or(std::string_view key, bool fallback) const noexcept {
  const auto value = find(key);
  return value ? parse_boolean(*value) : fallback;
}

}  // namespace sluice::remoting
