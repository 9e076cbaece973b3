#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/load/process.hpp"
#include "bench/load/socket.hpp"

namespace sluice::bench {

struct StartReport {
  double ready_ms;  ///< From before the fork.
  std::string ready_line;
  ResidentMemory idle_memory;  ///< After the settling time without any client.
  double idle_cpu_s;           ///< Spent by the server in the settling time.
  double stop_ms;
  int exit_code;
};

/// Starts a server, waits until it is ready, lets it idle and stops it with SIGTERM.
///
/// Ready is the first line on its standard output that begins with `ready`; or, if `probe` is
/// given, the first send there that is answered with success. Fails if it takes more than a minute.
[[nodiscard]] StartReport probe_start(const std::vector<std::string>& command,
                                      const std::optional<Address>& probe, double settle_s);

}  // namespace sluice::bench
