#include "protocols/remoting/codec/config_text.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/base/limits.hpp"

namespace sluice::remoting {

namespace {

constexpr std::string_view kBlanks = " \t\f";
constexpr std::size_t kHexDigits = 4;

bool is_blank(char c) noexcept {
  return kBlanks.find(c) != std::string_view::npos;
}

tl::unexpected<Error> malformed(std::string what) {
  return fail(Errc::malformed_packet, "configuration: " + std::move(what));
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
  } else {
    out.push_back(static_cast<char>(0xE0U | (code >> 12U)));
    out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
  }
}

/// Reads one text form, character by character, joining lines where a backslash ends one.
class Reader {
 public:
  explicit Reader(std::string_view text) noexcept : rest_(text) {}

  Result<ConfigTexts> read() {
    ConfigTexts texts;
    while (skip_to_entry()) {
      auto name = read_part(Part::name);
      SLUICE_TRY(name);
      skip_separator();
      auto value = read_part(Part::value);
      SLUICE_TRY(value);
      texts.insert_or_assign(*std::move(name), *std::move(value));
      if (texts.size() > limits::kConfigTextEntriesMax) {
        return malformed(fmt::format("more than {} names", limits::kConfigTextEntriesMax));
      }
    }
    return texts;
  }

 private:
  enum class Part : std::uint8_t { name, value };

  [[nodiscard]] bool is_at_line_end() const noexcept {
    return rest_.empty() || rest_.front() == '\n' || rest_.front() == '\r';
  }

  void skip_blanks() noexcept {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  void skip_line() noexcept {
    while (!is_at_line_end()) rest_.remove_prefix(1);
  }

  /// False at the end.
  bool skip_to_entry() noexcept {
    while (true) {
      skip_blanks();
      if (rest_.empty()) return false;
      if (rest_.front() == '#' || rest_.front() == '!') skip_line();
      if (!is_at_line_end()) return true;
      if (!rest_.empty()) rest_.remove_prefix(1);
    }
  }

  void skip_separator() noexcept {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '=' && rest_.front() != ':')) return;
    rest_.remove_prefix(1);
    skip_blanks();
  }

  Result<std::string> read_part(Part part) {
    std::string out;
    while (!is_at_line_end()) {
      const char c = rest_.front();
      const bool is_separator = c == '=' || c == ':' || is_blank(c);
      if (part == Part::name && is_separator) break;
      rest_.remove_prefix(1);
      if (c != '\\') {
        out.push_back(c);
      } else {
        SLUICE_TRY(read_escape(out));
      }
      if (out.size() > limits::kConfigTextBytesMax) {
        return malformed(
            fmt::format("a name or value has more than {} bytes", limits::kConfigTextBytesMax));
      }
    }
    return out;
  }

  /// What follows a backslash.
  Result<> read_escape(std::string& out) {
    if (rest_.empty()) return {};
    const char c = rest_.front();
    rest_.remove_prefix(1);
    switch (c) {
      case 'n':
        out.push_back('\n');
        return {};
      case 't':
        out.push_back('\t');
        return {};
      case 'r':
        out.push_back('\r');
        return {};
      case 'f':
        out.push_back('\f');
        return {};
      case 'u':
        return read_code(out);
      case '\r':
        if (rest_.starts_with('\n')) rest_.remove_prefix(1);
        skip_blanks();
        return {};
      case '\n':
        skip_blanks();
        return {};
      default:
        out.push_back(c);
        return {};
    }
  }

  Result<> read_code(std::string& out) {
    const std::string_view digits = rest_.substr(0, kHexDigits);
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    const bool is_whole = digits.size() == kHexDigits && end == digits.data() + digits.size();
    if (error != std::errc{} || !is_whole) return malformed("\\u is not followed by 4 hex digits");
    constexpr std::uint32_t kSurrogateFirst = 0xD800;
    constexpr std::uint32_t kSurrogateLast = 0xDFFF;
    constexpr std::uint32_t kReplacement = 0xFFFD;
    const bool is_surrogate = code >= kSurrogateFirst && code <= kSurrogateLast;
    append_utf8(out, is_surrogate ? kReplacement : code);
    rest_.remove_prefix(kHexDigits);
    return {};
  }

  std::string_view rest_;
};

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\\':
        out.append("\\\\");
        break;
      default:
        out.push_back(c);
    }
  }
}

void append_escaped_name(std::string& out, std::string_view name) {
  for (const char c : name) {
    const bool is_special = c == '=' || c == ':' || c == '#' || c == '!' || is_blank(c);
    if (is_special) out.push_back('\\');
    append_escaped(out, std::string_view(&c, 1));
  }
}

}  // namespace

Result<ConfigTexts> decode_config_texts(BytesView body) {
  return Reader(as_text(body)).read();
}

void append_config_texts(std::string& out, const ConfigTexts& texts) {
  for (const auto& [name, value] : texts) {
    append_escaped_name(out, name);
    out.push_back('=');
    // Blanks before a value are not part of it.
    if (!value.empty() && is_blank(value.front())) out.push_back('\\');
    append_escaped(out, value);
    out.push_back('\n');
  }
}

}  // namespace sluice::remoting
