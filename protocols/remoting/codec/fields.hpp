#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/error.hpp"

namespace sluice::remoting {

/// One extension field of a header: every value is text on the wire.
struct Field {
  std::string_view key;
  std::string_view value;

  friend bool operator==(const Field&, const Field&) = default;
};

/// A whole decimal number as Java's parseInt/parseLong reads it (a leading `+` is allowed).
template <std::integral T>
[[nodiscard]] std::optional<T> parse_decimal(std::string_view text) noexcept {
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '9') return static_cast<T>(text[0] - '0');
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// As Java's Boolean.parseBoolean: `true` in any case is true, everything else is false.
[[nodiscard]] bool parse_boolean(std::string_view text) noexcept;

/// Errors about one field, for texts that go to the peer: protocol_error, which is remoting code 1.
[[nodiscard]] Error missing_field(std::string_view key);
[[nodiscard]] Error invalid_field(std::string_view key, std::string_view what,
                                  std::string_view value);

/// The extension fields of one header, in wire order. A view: it lives as long as what the header
/// was decoded from (see HeaderDecoder). A key that comes twice has its last value.
///
/// Lookup is linear: headers have 15 fields, and the hot headers (SendHeader, PullHeader) are
/// decoded in one pass instead.
class Fields {
 public:
  Fields() = default;
  explicit Fields(std::span<const Field> fields) noexcept : fields_(fields) {}

  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
  [[nodiscard]] auto end() const noexcept { return fields_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
  [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }

  [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const noexcept;

  /// Required fields. \return protocol_error, naming the field, if it is missing or not such a
  /// value. A present but empty text is a value.
  [[nodiscard]] Result<std::string_view> text(std::string_view key) const;
  [[nodiscard]] Result<std::int32_t> int32(std::string_view key) const;
  [[nodiscard]] Result<std::int64_t> int64(std::string_view key) const;

  /// Optional fields: `fallback` if missing, and for numbers also if empty (C++ clients send empty
  /// texts for what they do not set). \return protocol_error, naming the field, if the number is
  /// not one.
  [[nodiscard]] std::string_view text_or(std::string_view key,
                                         std::string_view fallback) const noexcept;
  [[nodiscard]] Result<std::int32_t> int32_or(std::string_view key, std::int32_t fallback) const;
  [[nodiscard]] Result<std::int64_t> int64_or(std::string_view key, std::int64_t fallback) const;
  [[nodiscard]] bool boolean_or(std::string_view key, bool fallback) const noexcept;

 private:
  std::span<const Field> fields_;
};

}  // namespace sluice::remoting
