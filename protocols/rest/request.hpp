#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/error.hpp"

namespace sluice::rest {

struct HeaderField {
  std::string_view name;  ///< In any case.
  std::string_view value;
};

/// The head of a request. The views lie in the caller's memory.
struct RequestHead {
  std::string_view method;
  std::string_view target;  ///< Origin form: `/path?query` (RFC 9112 §3.2.1).
  std::vector<HeaderField> fields;
};

/// Framing (Content-Length, Connection) and Date are added by whoever sends it.
struct Response {
  unsigned status = 200;
  std::string_view content_type;  ///< A literal; empty: no content.
  std::string body;
  std::vector<std::pair<std::string_view, std::string>> fields;
};

[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

/// `text` for an error's text: in quotes, cut, without what is not printable ASCII.
[[nodiscard]] std::string quoted(std::string_view text);

/// A target taken apart. Decoded: segments of `/a%2Fb/c` are `a/b` and `c`.
struct Target {
  std::vector<std::string> segments;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< In the order given.
};

/// \return invalid_argument if the target is not in origin form, holds a bad percent-encoding, or a
///         parameter twice.
[[nodiscard]] Result<Target> parse_target(std::string_view target);

/// A whole decimal number from `min` to `max`, both included.
/// \return invalid_argument, naming `what`.
[[nodiscard]] Result<std::int64_t> parse_number(std::string_view what, std::string_view text,
                                                std::int64_t min, std::int64_t max);

}  // namespace sluice::rest
