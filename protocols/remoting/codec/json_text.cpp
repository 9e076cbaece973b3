#include "protocols/remoting/codec/json_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "common/base/byte_reader.hpp"
#include "common/base/types.hpp"

namespace sluice::remoting {

namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";
constexpr char kFirstPrintable = ' ';

constexpr std::uint64_t repeat(std::uint8_t byte) {
  return 0x0101'0101'0101'0101ULL * byte;
}

/// High bit of each byte that is zero (exact for the lowest one, which is all that is asked).
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - repeat(1)) & ~word & repeat(0x80);
}

/// High bit of each byte that a JSON string cannot hold as it is, or that may be bad UTF-8.
constexpr std::uint64_t special_bytes(std::uint64_t word) {
  const std::uint64_t below_printable = (word - repeat(kFirstPrintable)) & ~word & repeat(0x80);
  return below_printable | zero_bytes(word ^ repeat('"')) | zero_bytes(word ^ repeat('\\')) |
         (word & repeat(0x80));
}

constexpr std::array<bool, 256> special_table() {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = special_bytes(byte | repeat('a') << 8) != 0;
  }
  return table;
}

bool is_special(char c) {
  static constexpr std::array<bool, 256> kTable = special_table();
  return kTable[static_cast<std::uint8_t>(c)];
}

/// How many bytes at the front of `text` need no thought.
std::size_t plain_prefix(std::string_view text) {
  constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
  const std::byte* const bytes = as_bytes(text).data();
  std::size_t i = 0;
  for (; i + kWordBytes <= text.size(); i += kWordBytes) {
    const std::uint64_t special = special_bytes(load_little_endian<std::uint64_t>(bytes + i));
    if (special != 0) return i + static_cast<std::size_t>(std::countr_zero(special)) / 8;
  }
  const bool has_last_word = i > 0;  // it overlaps what was looked at
  if (has_last_word &&
      special_bytes(load_little_endian<std::uint64_t>(bytes + text.size() - kWordBytes)) == 0) {
    return text.size();
  }
  while (i < text.size() && !is_special(text[i])) ++i;
  return i;
}

struct Utf8Form {
  std::size_t size;
  std::uint8_t second_min;  // of the second byte: refuses padded forms and surrogates
  std::uint8_t second_max;
};

/// RFC 3629 §4. Size 0: no sequence begins with this byte.
Utf8Form utf8_form(std::uint8_t first) {
  if (first >= 0xC2 && first <= 0xDF) return {2, 0x80, 0xBF};
  if (first == 0xE0) return {3, 0xA0, 0xBF};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {3, 0x80, 0xBF};
  if (first == 0xF0) return {4, 0x90, 0xBF};
  if (first >= 0xF1 && first <= 0xF3) return {4, 0x80, 0xBF};
  if (first == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

/// Bytes of the sequence of two to four bytes that `text` begins with, 0 if there is none.
std::size_t utf8_sequence_size(std::string_view text) {
  const Utf8Form form = utf8_form(static_cast<std::uint8_t>(text[0]));
  if (form.size == 0 || text.size() < form.size) return 0;
  const auto second = static_cast<std::uint8_t>(text[1]);
  if (second < form.second_min || second > form.second_max) return 0;
  for (std::size_t i = 2; i < form.size; ++i) {
    if ((static_cast<std::uint8_t>(text[i]) & 0xC0U) != 0x80U) return 0;
  }
  return form.size;
}

/// Appends the character that `text` begins with, which is not ASCII. Returns how much it took.
std::size_t append_character(std::string& out, std::string_view text) {
  const std::size_t size = utf8_sequence_size(text);
  if (size == 0) {
    out.append(kReplacementCharacter);
    return 1;
  }
  out.append(text.substr(0, size));
  return size;
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\r':
      out.append("\\r");
      return;
    case '\t':
      out.append("\\t");
      return;
    default: {
      const auto byte = static_cast<std::uint8_t>(c);
      out.append("\\u00");
      out.push_back(kHex[byte >> 4U]);
      out.push_back(kHex[byte & 0xFU]);
    }
  }
}

bool is_ascii(char c) {
  return (static_cast<std::uint8_t>(c) & 0x80U) == 0;
}

}  // namespace

void append_valid_utf8(std::string& out, std::string_view text) {
  while (!text.empty()) {
    std::size_t taken = 0;
    while (taken < text.size() && is_ascii(text[taken])) ++taken;
    out.append(text.substr(0, taken));
    text.remove_prefix(taken);
    if (!text.empty()) text.remove_prefix(append_character(out, text));
  }
}

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  while (true) {
    const std::size_t plain = plain_prefix(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (is_ascii(text[0])) {
      append_escape(out, text[0]);
      text.remove_prefix(1);
    } else {
      text.remove_prefix(append_character(out, text));
    }
  }
  out.push_back('"');
}

void append_json_member(std::string& out, std::string_view key, std::string_view value) {
  constexpr std::size_t kPunctuation = 5;
  if (plain_prefix(key) == key.size() && plain_prefix(value) == value.size()) {
    // The usual member: grow once, then only copy.
    const std::size_t begin = out.size();
    out.resize(begin + key.size() + value.size() + kPunctuation);
    char* to = out.data() + begin;
    *to++ = '"';
    to = std::copy(key.begin(), key.end(), to);
    *to++ = '"';
    *to++ = ':';
    *to++ = '"';
    to = std::copy(value.begin(), value.end(), to);
    *to = '"';
    return;
  }
  append_json_string(out, key);
  out.push_back(':');
  append_json_string(out, value);
}

void append_decimal(std::string& out, std::int64_t value) {
  std::array<char, 20> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end);
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_.push_back(':');
  needs_comma_ = false;
}

void JsonWriter::bare_key(std::int64_t number) {
  separate();
  append_decimal(out_, number);
  out_.push_back(':');
  needs_comma_ = false;
}

void JsonWriter::bare_key(std::string_view json_object) {
  separate();
  out_.append(json_object);
  out_.push_back(':');
  needs_comma_ = false;
}

void JsonWriter::text(std::string_view value) {
  separate();
  append_json_string(out_, value);
}

void JsonWriter::number(std::int64_t value) {
  separate();
  append_decimal(out_, value);
}

void JsonWriter::real(double value) {
  separate();
  if (!std::isfinite(value)) return static_cast<void>(out_.append("0.0"));
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  out_.append(text);
  if (text.find_first_of(".e") == std::string_view::npos) out_.append(".0");
}

void JsonWriter::boolean(bool value) {
  separate();
  out_.append(value ? "true" : "false");
}

void JsonWriter::json(std::string_view value) {
  separate();
  out_.append(value);
}

void JsonWriter::begin(char bracket) {
  separate();
  out_.push_back(bracket);
  needs_comma_ = false;
}

void JsonWriter::end(char bracket) {
  out_.push_back(bracket);
  needs_comma_ = true;
}

void JsonWriter::separate() {
  if (needs_comma_) out_.push_back(',');
  needs_comma_ = true;
}

}  // namespace sluice::remoting
