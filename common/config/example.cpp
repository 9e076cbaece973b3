#include "common/config/example.hpp"

#include <algorithm>
#include <vector>

#include "common/config/value.hpp"

namespace sluice::config {

namespace {

constexpr std::size_t kColumns = 100;

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dot = name.find('.');
    parts.emplace_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

// A comment of whole words, broken at kColumns.
void append_comment(std::string& out, std::string_view indent, std::string_view text) {
  std::string line = std::string(indent) + "#";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (line.size() + 1 + word.size() > kColumns) {
      out.append(line).append("\n");
      line = std::string(indent) + "#";
    }
    line.append(" ").append(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out.append(line).append("\n");
}

std::string default_of(const Key& key, Role role) {
  if (key.name == "role") return std::string(to_string(role));
  if (key.type == Type::host_ports) return "[" + key.default_text + "]";
  return key.default_text.empty() ? "\"\"" : key.default_text;
}

std::string comment_of(const Key& key) {
  const bool speaks_for_itself = key.type == Type::boolean || key.type == Type::path;
  if (speaks_for_itself) return key.doc;
  return key.doc + " [" + describe_allowed(key) + "]";
}

void append_notes(std::string& out, std::string_view section, Role role) {
  const bool translates = role == Role::standalone || role == Role::gateway;
  if (section == "listeners" && translates) {
    append_comment(out, "  ", "Coming, and not settings yet: MQTT (port 1883), CoAP (port 5683).");
  }
}

}  // namespace

std::string example_file(Role role) {
  std::string out;
  append_comment(
      out, "",
      "Sluice as " + std::string(to_string(role)) +
          ": every setting, with its default. Keep what you change and delete the rest.");
  append_comment(out, "",
                 "Start: sluice serve --config FILE. On the command line: --set listeners.admin."
                 "port=9091");
  append_comment(out, "",
                 "Sizes are numbers with KiB, MiB, GiB or TiB; times are numbers with ms, s, m, h "
                 "or d.");
  if (role != Role::standalone) {
    append_comment(out, "",
                   "Roles that share a machine need ports of their own: README.md shows one way.");
  }
  std::vector<std::string> open;  // The groups that the last line stands in.
  for (const Key& key : schema()) {
    if (!key.roles.contains(role)) continue;
    const std::vector<std::string> parts = parts_of(key.name);
    std::size_t depth = 0;
    while (depth < open.size() && depth + 1 < parts.size() && open[depth] == parts[depth]) ++depth;
    if (depth == 0) out.append("\n");
    open.resize(depth);
    for (; depth + 1 < parts.size(); ++depth) {
      out.append(2 * depth, ' ').append(parts[depth]).append(":\n");
      append_notes(out, parts[depth], role);
      open.push_back(parts[depth]);
    }
    const std::string indent(2 * depth, ' ');
    append_comment(out, indent, comment_of(key));
    out.append(indent).append(parts.back()).append(": ").append(default_of(key, role)).append("\n");
  }
  return out;
}

}  // namespace sluice::config
