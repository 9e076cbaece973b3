#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace sluice::bench {

/// Ends the program with a line on standard error and exit code 1: a figure from a run in which
/// anything went wrong is no figure, so nothing here carries on after an error.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  fmt::print(stderr, "sluice_bench: {}\n", fmt::format(text, std::forward<Args>(args)...));
  std::exit(EXIT_FAILURE);  // NOLINT(concurrency-mt-unsafe): there is one thread
}

}  // namespace sluice::bench
