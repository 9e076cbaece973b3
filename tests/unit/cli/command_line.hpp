#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "apps/cli/cli.hpp"

namespace sluice::cli {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs the command line `sluice words...` in this process.
inline Outcome run_sluice(std::vector<std::string> words,
                          const std::function<int(ServeOptions)>& serve = nullptr, int input = -1) {
  words.insert(words.begin(), "sluice");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::ostringstream out;
  std::ostringstream err;
  const Console console{.input = input, .out = out, .err = err, .shows_progress = false};
  const int exit_code = run(static_cast<int>(words.size()), argv.data(), serve, console);
  return {exit_code, out.str(), err.str()};
}

}  // namespace sluice::cli
