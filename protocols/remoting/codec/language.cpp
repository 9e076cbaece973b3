#include "protocols/remoting/codec/language.hpp"

#include <array>
#include <cstddef>

#include "protocols/remoting/codec/fields.hpp"

namespace sluice::remoting {

namespace {

constexpr std::array<std::string_view, 14> kNames = {"JAVA",   "CPP",  "DOTNET", "PYTHON", "DELPHI",
                                                     "ERLANG", "RUBY", "OTHER",  "HTTP",   "GO",
                                                     "PHP",    "OMS",  "RUST",   "NODE_JS"};

}  // namespace

std::string_view name_of(LanguageCode language) noexcept {
  return kNames[static_cast<std::size_t>(language)];
}

LanguageCode language_from_text(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<LanguageCode>(i);
  }
  const auto number = parse_decimal<std::int64_t>(text);
  return number ? language_from_number(*number) : LanguageCode::other;
}

LanguageCode language_from_number(std::int64_t number) noexcept {
  const bool is_known = number >= 0 && number < static_cast<std::int64_t>(kNames.size());
  return is_known ? static_cast<LanguageCode>(number) : LanguageCode::other;
}

}  // namespace sluice::remoting
