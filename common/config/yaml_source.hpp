#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/config/value.hpp"

namespace sluice::config {

/// One name of a file: a setting with its value, or a group of settings.
struct Entry {
  std::string name;  ///< Dotted.
  int line = 0;      ///< 1 is the first.
  enum class Kind : std::uint8_t { value, group, nothing } kind = Kind::value;
  RawValue value;  ///< Only of Kind::value.
};

/// Calls `visit` for every name of the YAML document, groups before what is in them, until one
/// fails. Each name comes once; so a visitor that refuses unknown names bounds the walk, whatever
/// aliases the document holds.
///
/// \param file  Stands in error texts.
/// \return invalid_argument with file and line if the text is no YAML, or holds a name twice, or
///         something other than names and values; or what `visit` returned.
[[nodiscard]] Result<> walk_yaml(const std::string& text, std::string_view file,
                                 const std::function<Result<>(const Entry&)>& visit);

}  // namespace sluice::config
