#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

namespace sluice::remoting {

/// Names and values of a server's configuration.
using ConfigTexts = std::map<std::string, std::string, std::less<>>;

/// Reads the body of requests that change a server's configuration, the text form of Java's
/// Properties: a line `name=value` each (`:` or blanks may stand for `=`), lines that begin with
/// `#` or `!` left out, a backslash at the end of a line joining the next to it, and escapes
/// (`\n`, `\t`, `\r`, `\f`, `\u` with four hex digits; any other character after a backslash is
/// itself). A name that comes twice has its last value. An empty body has no names.
///
/// \return malformed_packet for an escape that is none, over limits::kConfigTextEntriesMax names or
///         a name or value over limits::kConfigTextBytesMax.
[[nodiscard]] Result<ConfigTexts> decode_config_texts(BytesView body);

/// A line `name=value` each, in the order of the names. As RocketMQ's servers write it, nothing is
/// escaped but what would begin another line or be read as an escape.
void append_config_texts(std::string& out, const ConfigTexts& texts);

}  // namespace sluice::remoting
