#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/console.hpp"
#include "common/base/error.hpp"
#include "common/config/config.hpp"

namespace sluice::cli {

/// What `sluice serve` was asked for.
struct ServeOptions {
  std::optional<config::Role> role;           ///< --role
  std::optional<std::filesystem::path> file;  ///< --config
  std::vector<std::string> overrides;         ///< --set, and --data as `data=DIR`
};

/// The settings that `options` come to.
[[nodiscard]] Result<config::Config> load_config(const ServeOptions& options);

/// Exit codes of every command.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// The whole command line. `serve` runs a server until it is told to stop and returns the exit
/// code; the other commands are in here.
[[nodiscard]] int run(int argc, char** argv, const std::function<int(ServeOptions)>& serve);

/// The same on other streams than the process's.
[[nodiscard]] int run(int argc, char** argv, const std::function<int(ServeOptions)>& serve,
                      const Console& console);

}  // namespace sluice::cli
