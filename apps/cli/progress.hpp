#pragma once

#include <cstdint>

#include "apps/cli/console.hpp"
#include "common/base/environment.hpp"

namespace sluice::cli {

/// A line on a terminal that says how far a long command is: drawn anew in place, at most ten times
/// a second, and wiped at the end. Silent if the work is done before it would be drawn.
class Progress {
 public:
  /// \param total  Bytes that will be worked off; 0: not known, and then no bar is drawn.
  Progress(const Console& console, Environment& environment, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// So much is worked off now.
  void update(std::uint64_t bytes, std::uint64_t messages);

  [[nodiscard]] double seconds() const;

 private:
  void draw(std::uint64_t bytes, std::uint64_t messages);

  const Console& console_;
  Environment& environment_;
  std::uint64_t total_;
  Environment::Instant start_;
  Environment::Instant next_draw_;
  bool is_drawn_ = false;
};

}  // namespace sluice::cli
