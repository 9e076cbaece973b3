#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/error.hpp"
#include "common/config/schema.hpp"

namespace sluice::config {

/// A setting's value: text, word, path and ip_address are strings; integer, bytes and duration (in
/// milliseconds) are numbers.
using Value = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;

/// What a file or command line gives for a setting, before it is understood. One item unless the
/// file has a list.
struct RawValue {
  std::vector<std::string> items;
  bool is_list = false;
};

/// \return invalid_argument, quoting what was given and saying what is expected. Without the name
///         of the setting: the caller knows where it came from.
[[nodiscard]] Result<Value> parse_value(const Key& key, const RawValue& raw);

/// What is allowed, for people: `0 to 65535`, `one of log, memory`, `100ms to 1d`.
[[nodiscard]] std::string describe_allowed(const Key& key);

/// The one spelling that plugins get: numbers in decimal (bytes, milliseconds), true or false, list
/// items separated by commas.
[[nodiscard]] std::string canonical_text(const Value& value);

}  // namespace sluice::config
