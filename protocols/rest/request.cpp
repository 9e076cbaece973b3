#include "protocols/rest/request.hpp"

#include <algorithm>
#include <charconv>

#include "protocols/rest/encoding.hpp"

namespace sluice::rest {

namespace {

constexpr std::size_t kQuotedBytesMax = 80;

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

Result<> parse_parameters(std::string_view query, Target& target) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view item = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (item.empty()) continue;
    const std::size_t equals = std::min(item.find('='), item.size());
    auto name = percent_decode(item.substr(0, equals));
    SLUICE_TRY(name);
    auto value = percent_decode(item.substr(std::min(equals + 1, item.size())));
    SLUICE_TRY(value);
    const bool is_repeated = std::ranges::any_of(
        target.parameters, [&](const auto& parameter) { return parameter.first == *name; });
    if (is_repeated) {
      return fail(Errc::invalid_argument, "parameter " + quoted(*name) + " is given twice");
    }
    target.parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return {};
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, kQuotedBytesMax)) {
    const bool is_printable = c >= ' ' && c <= '~';
    out.push_back(is_printable ? c : '?');
  }
  if (text.size() > kQuotedBytesMax) out.append("...");
  return out.append("'");
}

Result<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/')) {
    return fail(Errc::invalid_argument, "the request target must begin with '/'");
  }
  Target target;
  const std::size_t question = text.find('?');
  std::string_view path =
      text.substr(1, question == std::string_view::npos ? question : question - 1);
  while (true) {
    const std::size_t slash = path.find('/');
    auto segment = percent_decode(path.substr(0, slash));
    SLUICE_TRY(segment);
    target.segments.push_back(std::move(*segment));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  if (question == std::string_view::npos) return target;
  const auto parsed = parse_parameters(text.substr(question + 1), target);
  SLUICE_TRY(parsed);
  return target;
}

Result<std::int64_t> parse_number(std::string_view what, std::string_view text, std::int64_t min,
                                  std::int64_t max) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  if (is_whole && number >= min && number <= max) return number;
  return fail(Errc::invalid_argument, std::string(what) + " is " + quoted(text) +
                                          ", not a whole number from " + std::to_string(min) +
                                          " to " + std::to_string(max));
}

}  // namespace sluice::rest
