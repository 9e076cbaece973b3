#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "apps/cli/cluster.hpp"
#include "apps/cli/console.hpp"

namespace sluice::cli {

enum class Boundary : std::uint8_t { first, last };

/// Where reading begins: an end of each queue, or one offset in each.
using StartAt = std::variant<Boundary, std::int64_t>;

/// \return invalid_argument for what is neither `first`, `last` nor an offset.
[[nodiscard]] Result<StartAt> parse_start(std::string_view text);

struct ConsumeOptions {
  std::string topic;
  std::string name_servers;
  std::string group;               ///< Empty: no progress is asked or kept.
  std::optional<StartAt> from;     ///< None: the group's progress, else the first.
  std::uint64_t messages_max = 0;  ///< 0: all.
  bool follows = false;            ///< Waits for more at the end.
  enum class Output : std::uint8_t { lines, table, json } output = Output::lines;
};

/// Prints the messages of a topic.
/// \return the exit code.
[[nodiscard]] int consume(ConsumeOptions options, const Console& console);

}  // namespace sluice::cli
