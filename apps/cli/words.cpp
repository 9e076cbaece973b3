#include "apps/cli/words.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "common/config/suggest.hpp"

namespace sluice::cli {

namespace {

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::vector<std::string> with_help_as_option(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

std::string describe_unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* level = &app;
  std::string path = "sluice";
  for (const std::string& word : words) {
    const auto commands = level->get_subcommands({});
    const bool is_command = !commands.empty() && !word.starts_with('-');
    if (!is_command) return {};
    const auto found = std::ranges::find_if(
        commands, [&](const CLI::App* command) { return command->get_name() == word; });
    if (found == commands.end()) {
      const std::vector<std::string> known = names_of(commands);
      const std::string like = config::closest_of(word, known);
      const std::string hint =
          like.empty() ? "it has " + joined(known) : "did you mean `" + path + " " + like + "`?";
      return fmt::format("`{}` has no command '{}': {}", path, word, hint);
    }
    level = *found;
    path += " " + word;
  }
  return {};
}

CLI::Validator at_least(std::uint64_t least) {
  const auto check = [least](std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    if (is_number && number >= least) return {};
    return fmt::format("'{}' is no number of at least {}", text, least);
  };
  return {check, "", ""};
}

}  // namespace sluice::cli
