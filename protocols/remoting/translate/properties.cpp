// broker_bodies.hpp: settings as Java's Properties.

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/translate/broker_bodies.hpp"

namespace sluice::remoting {

namespace {

constexpr std::string_view kBlanks = " \t\f";

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// Cuts the next line off, without its end.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find_first_of("\r\n");
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return line;
}

std::optional<std::uint32_t> hex_number(std::string_view digits) {
  std::uint32_t number = 0;
  for (const char c : digits) {
    const bool is_digit = c >= '0' && c <= '9';
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!is_digit && (lower < 'a' || lower > 'f')) return std::nullopt;
    number = number * 16 + static_cast<std::uint32_t>(is_digit ? c - '0' : lower - 'a' + 10);
  }
  return number;
}

/// A character of the Basic Multilingual Plane as UTF-8.
void append_utf8(std::string& out, std::uint32_t character) {
  if (character < 0x80) return out.push_back(static_cast<char>(character));
  if (character < 0x800) {
    out.push_back(static_cast<char>(0xC0U | character >> 6U));
  } else {
    out.push_back(static_cast<char>(0xE0U | character >> 12U));
    out.push_back(static_cast<char>(0x80U | (character >> 6U & 0x3FU)));
  }
  out.push_back(static_cast<char>(0x80U | (character & 0x3FU)));
}

char meaning_of(char escaped) noexcept {
  switch (escaped) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'f':
      return '\f';
    default:
      return escaped;
  }
}

/// Takes what stands behind a backslash.
void take_escaped(std::string_view& rest, std::string& out) {
  constexpr std::size_t kHexDigits = 4;
  if (rest.empty()) return;
  const char escaped = rest.front();
  rest.remove_prefix(1);
  if (escaped == 'u' && rest.size() >= kHexDigits) {
    const auto character = hex_number(rest.substr(0, kHexDigits));
    if (character) {
      rest.remove_prefix(kHexDigits);
      return append_utf8(out, *character);
    }
  }
  out.push_back(meaning_of(escaped));
}

/// Takes text up to one of `ends` that no backslash stands before.
std::string take_text(std::string_view& rest, std::string_view ends) {
  std::string text;
  while (!rest.empty() && ends.find(rest.front()) == std::string_view::npos) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\\') {
      take_escaped(rest, text);
    } else {
      text.push_back(c);
    }
  }
  return text;
}

model::NameValue parse_line(std::string_view line) {
  std::string name = take_text(line, "=: \t\f");
  line = without_blanks(line);
  const bool has_sign = !line.empty() && (line.front() == '=' || line.front() == ':');
  if (has_sign) line = without_blanks(line.substr(1));
  return {std::move(name), take_text(line, {})};
}

/// `text` with a backslash before what has a meaning in it: `marks`, and before anything else a
/// blank.
void append_escaped(std::string& out, std::string_view text, std::string_view marks) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      out.append("\\n");
    } else if (c == '\r') {
      out.append("\\r");
    } else {
      const bool is_leading_blank = i == 0 && kBlanks.find(c) != std::string_view::npos;
      const bool has_meaning =
          c == '\\' || is_leading_blank || marks.find(c) != std::string_view::npos;
      if (has_meaning) out.push_back('\\');
      out.push_back(c);
    }
  }
}

}  // namespace

Result<std::vector<model::NameValue>> decode_properties(BytesView body) {
  if (body.size() > limits::kSettingsBytesMax) {
    return fail(Errc::malformed_packet,
                "settings have at most " + std::to_string(limits::kSettingsBytesMax) + " bytes");
  }
  std::vector<model::NameValue> settings;
  std::string_view rest = as_text(body);
  while (!rest.empty()) {
    const std::string_view line = without_blanks(take_line(rest));
    const bool is_comment = line.starts_with('#') || line.starts_with('!');
    if (line.empty() || is_comment) continue;
    if (settings.size() == limits::kSettingsPerRequestMax) {
      return fail(Errc::malformed_packet, "at most " +
                                              std::to_string(limits::kSettingsPerRequestMax) +
                                              " settings are changed at once");
    }
    settings.push_back(parse_line(line));
    if (settings.back().first.empty()) {
      return fail(Errc::malformed_packet, "a line of the settings has no name");
    }
  }
  return settings;
}

void append_properties(std::string& out, const std::vector<model::NameValue>& settings) {
  for (const auto& [name, value] : settings) {
    append_escaped(out, name, "=:#! \t\f");
    out.push_back('=');
    append_escaped(out, value, {});
    out.push_back('\n');
  }
}

}  // namespace sluice::remoting
