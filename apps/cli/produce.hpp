#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/cli/batch.hpp"
#include "apps/cli/cluster.hpp"
#include "apps/cli/console.hpp"

namespace sluice::cli {

struct ProduceOptions {
  MessageOptions message;
  std::string name_servers;
  std::optional<std::string> body;  ///< One message; else lines.
  std::string file;                 ///< Of lines; empty: the console's input.
  std::optional<std::int32_t> queue;
  bool is_spread = false;
  Format format = Format::text;
};

/// Sends lines, each a message, and prints what became of them.
/// \return the exit code.
[[nodiscard]] int produce(ProduceOptions options, const Console& console);

/// The queues that messages go to, one after the other: all with `is_spread`, else one.
/// \return invalid_argument if there is no such queue; permission_denied if there is none at all.
[[nodiscard]] Result<std::vector<QueuePlace>> choose_queues(const ProduceOptions& options,
                                                            std::vector<QueuePlace> queues);

}  // namespace sluice::cli
