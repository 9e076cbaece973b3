#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sluice::cli {

/// `help COMMAND...` as `COMMAND... --help`; other words as they are.
[[nodiscard]] std::vector<std::string> with_help_as_option(std::vector<std::string> words);

/// What is wrong with the first word that should be a command of `app`, or of a command of it, and
/// is none, with the one that it is most like; empty if all are known.
[[nodiscard]] std::string describe_unknown_command(const CLI::App& app,
                                                   const std::vector<std::string>& words);

/// Refuses numbers below `least`, in words.
[[nodiscard]] CLI::Validator at_least(std::uint64_t least);

}  // namespace sluice::cli
