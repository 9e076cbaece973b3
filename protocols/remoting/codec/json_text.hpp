#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::remoting {

/// Appends `text`, with U+FFFD for every byte that is not part of a UTF-8 sequence, as Java's
/// decoder does.
void append_valid_utf8(std::string& out, std::string_view text);

/// Appends `text` as a JSON string, quotation marks included. What is appended is valid JSON for
/// any bytes: strict parsers (Go, simdjson) refuse a whole frame for one bad byte.
void append_json_string(std::string& out, std::string_view text);

/// Appends `"key":"value"`.
void append_json_member(std::string& out, std::string_view key, std::string_view value);

/// Appends a decimal number.
void append_decimal(std::string& out, std::int64_t value);

/// Appends one JSON value to a string, without white space: the Go client cuts route answers at
/// commas and colons and reads no other form. Members come out in the order of the calls; the
/// bodies here call in alphabetical order, as fastjson writes.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) noexcept : out_(out) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  /// The next value belongs to this member of the open object.
  void key(std::string_view name);
  /// An integer as key, not quoted: fastjson's form of a map with numbers as keys, which is not
  /// JSON (docs/formats/remoting.md, "Bare keys").
  void bare_key(std::int64_t number);
  /// A JSON object as key: fastjson's form of a map with objects as keys, which is not JSON either.
  void bare_key(std::string_view json_object);

  void text(std::string_view value);
  void number(std::int64_t value);
  /// As Java writes a double: with a decimal point or an exponent. Not a number: 0.0.
  void real(double value);
  void boolean(bool value);
  /// A JSON value that was serialized before.
  void json(std::string_view value);

 private:
  void begin(char bracket);
  void end(char bracket);
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace sluice::remoting
