#include "common/config/value.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace sluice::config {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

// Largest last: describe_allowed() takes the last that divides.
constexpr std::array kByteUnits = {Unit{"", 1}, Unit{"KiB", 1LL << 10}, Unit{"MiB", 1LL << 20},
                                   Unit{"GiB", 1LL << 30}, Unit{"TiB", 1LL << 40}};
constexpr std::array kTimeUnits = {Unit{"ms", 1}, Unit{"s", 1000}, Unit{"m", 60'000},
                                   Unit{"h", 3'600'000}, Unit{"d", 86'400'000}};

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

tl::unexpected<Error> wrong(std::string_view text, std::string_view expected) {
  return fail(Errc::invalid_argument, quoted(text) + " is not " + std::string(expected));
}

Result<std::int64_t> in_range(const Key& key, std::string_view text, std::int64_t number) {
  if (number >= key.range.min && number <= key.range.max) return number;
  return fail(Errc::invalid_argument, quoted(text) + " is out of range: " + describe_allowed(key));
}

// The digits that `text` begins with, and what follows them.
struct NumberAndUnit {
  std::int64_t number = 0;
  std::string_view unit;
};

std::optional<NumberAndUnit> split_number(std::string_view text) {
  NumberAndUnit parts;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts.number);
  if (error != std::errc{}) return std::nullopt;
  parts.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (parts.unit.starts_with(' ')) parts.unit.remove_prefix(1);
  return parts;
}

Result<std::int64_t> parse_quantity(const Key& key, std::string_view text,
                                    std::span<const Unit> units, std::string_view expected) {
  const auto parts = split_number(text);
  if (!parts || parts->number < 0) return wrong(text, expected);
  const bool is_zero = parts->number == 0 && parts->unit.empty();
  if (is_zero) return in_range(key, text, 0);
  const auto unit = std::ranges::find(units, parts->unit, &Unit::name);
  if (unit == units.end()) return wrong(text, expected);
  if (parts->number > kLargest / unit->factor) return wrong(text, expected);
  return in_range(key, text, parts->number * unit->factor);
}

Result<std::int64_t> parse_integer(const Key& key, std::string_view text) {
  const auto parts = split_number(text);
  if (!parts || !parts->unit.empty() || text.back() == ' ') return wrong(text, "a whole number");
  return in_range(key, text, parts->number);
}

Result<bool> parse_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return wrong(text, "true or false");
}

Result<> check_length(const Key& key, std::string_view text) {
  if (text.empty() && key.range.min > 0) return fail(Errc::invalid_argument, "has no value");
  const auto length = static_cast<std::int64_t>(text.size());
  if (length > key.range.max) {
    return fail(Errc::invalid_argument, "has " + std::to_string(length) + " bytes; the limit is " +
                                            std::to_string(key.range.max));
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(text, is_control)) {
    return fail(Errc::invalid_argument, "holds control characters");
  }
  return {};
}

bool is_ip_address(const std::string& text) {
  std::array<unsigned char, 16> address{};
  return ::inet_pton(AF_INET, text.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

bool is_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  std::uint16_t port = 0;
  const std::string_view port_text = text.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (error != std::errc{} || end != port_text.data() + port_text.size() || port == 0) return false;
  const std::string_view host = text.substr(0, colon);
  if (host.front() == '[') {
    return host.back() == ']' && is_ip_address(std::string(host.substr(1, host.size() - 2)));
  }
  // A name (RFC 1123 §2.1) or an IPv4 address.
  return std::ranges::all_of(host, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
  });
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    items.emplace_back(item);
  }
  return items;
}

Result<std::vector<std::string>> parse_host_ports(const Key& key, const RawValue& raw) {
  const auto items = raw.is_list ? raw.items : split_at_commas(raw.items.front());
  for (const std::string& item : items) {
    if (!is_host_port(item)) return wrong(item, "host:port");
  }
  const auto count = static_cast<std::int64_t>(items.size());
  if (count < key.range.min || count > key.range.max) {
    return fail(Errc::invalid_argument,
                "has " + std::to_string(count) + " items: " + describe_allowed(key));
  }
  return items;
}

template <class T>
Result<Value> to_value(Result<T> parsed) {
  SLUICE_TRY(parsed);
  return Value(std::move(*parsed));
}

// `number` in the largest unit that divides it.
std::string with_unit(std::int64_t number, std::span<const Unit> units) {
  if (number == 0) return "0";
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    if (number % unit.factor == 0) best = &unit;
  }
  return std::to_string(number / best->factor) + std::string(best->name);
}

std::string describe_range(const Range& range, std::span<const Unit> units) {
  const std::string first = with_unit(range.min, units);
  if (range.max == kLargest) return "at least " + first;
  return first + " to " + with_unit(range.max, units);
}

std::string joined(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text.append(separator);
    text.append(item);
  }
  return text;
}

Result<Value> parse_one(const Key& key, const std::string& text) {
  switch (key.type) {
    case Type::text:
    case Type::path: {
      const auto checked = check_length(key, text);
      SLUICE_TRY(checked);
      return Value(text);
    }
    case Type::word:
      if (std::ranges::find(key.words, text) == key.words.end()) {
        return wrong(text, describe_allowed(key));
      }
      return Value(text);
    case Type::ip_address: {
      const bool may_be_empty = key.range.min == 0;
      if (text.empty() && may_be_empty) return Value(text);
      if (!is_ip_address(text)) return wrong(text, "an IP address (names are not looked up)");
      return Value(text);
    }
    case Type::boolean:
      return to_value(parse_boolean(text));
    case Type::integer:
      return to_value(parse_integer(key, text));
    case Type::bytes:
      return to_value(parse_quantity(key, text, kByteUnits,
                                     "a size: write a number with KiB, MiB, GiB or TiB"));
    case Type::duration:
      return to_value(
          parse_quantity(key, text, kTimeUnits, "a time: write a number with ms, s, m, h or d"));
    case Type::host_ports:
      return to_value(parse_host_ports(key, RawValue{{text}, false}));
  }
  return wrong(text, "a value");
}

}  // namespace

Result<Value> parse_value(const Key& key, const RawValue& raw) {
  if (key.type == Type::host_ports) return to_value(parse_host_ports(key, raw));
  if (raw.is_list) return fail(Errc::invalid_argument, "is one value, not a list");
  return parse_one(key, raw.items.front());
}

std::string describe_allowed(const Key& key) {
  switch (key.type) {
    case Type::text:
    case Type::path:
      return "text of at most " + std::to_string(key.range.max) + " bytes";
    case Type::word:
      return "one of " + joined(key.words, ", ");
    case Type::ip_address:
      return "an IP address";
    case Type::boolean:
      return "true or false";
    case Type::integer: {
      constexpr std::array plain = {Unit{"", 1}};
      return describe_range(key.range, plain);
    }
    case Type::bytes:
      return describe_range(key.range, kByteUnits);
    case Type::duration:
      return describe_range(key.range, kTimeUnits);
    case Type::host_ports:
      return std::to_string(key.range.min) + " to " + std::to_string(key.range.max) +
             " of host:port";
  }
  return {};
}

std::string canonical_text(const Value& value) {
  struct Visitor {
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(const std::vector<std::string>& items) const {
      return joined(items, ",");
    }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace sluice::config
