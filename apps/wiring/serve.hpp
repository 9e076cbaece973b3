#pragma once

#include "apps/cli/cli.hpp"

namespace sluice::apps {

/// `sluice serve`: runs a server until SIGTERM or SIGINT. Prints one line that begins with `ready`
/// to standard output when the first request would succeed.
/// \return the exit code.
[[nodiscard]] int serve(cli::ServeOptions options);

}  // namespace sluice::apps
