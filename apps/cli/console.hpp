#pragma once

#include <cstdint>
#include <iosfwd>

namespace sluice::cli {

/// Where a command reads and writes. The streams outlive the command.
struct Console {
  int input = 0;                ///< File descriptor of what is read.
  std::ostream& out;            ///< Results.
  std::ostream& err;            ///< What went wrong, and progress.
  bool shows_progress = false;  ///< `err` is a terminal.
};

enum class Format : std::uint8_t { text, json };

}  // namespace sluice::cli
