#include "common/config/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "common/config/schema.hpp"

namespace sluice::config {

namespace {

// Names longer than this are not compared: nobody mistypes them.
constexpr std::size_t kComparedBytesMax = 128;

// Insertions, deletions and replacements that turn `a` into `b` (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

std::set<std::string> all_names() {
  std::set<std::string> names;
  for (const Key& key : schema()) {
    names.insert(key.name);
    for (std::size_t dot = key.name.find('.'); dot != std::string::npos;
         dot = key.name.find('.', dot + 1)) {
      names.insert(key.name.substr(0, dot));
    }
  }
  return names;
}

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace

std::string closest_of(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > kComparedBytesMax) return {};
  std::string best;
  std::size_t best_distance = name.size() / 4 + 2;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string closest_name(std::string_view name) {
  if (name.size() > kComparedBytesMax) return {};
  const std::set<std::string> names = all_names();
  std::string best = closest_of(name, {names.begin(), names.end()});
  if (!best.empty()) return best;
  // The right word in the wrong place, such as `port` for `listeners.http.port`.
  for (const std::string& candidate : names) {
    if (last_part(candidate) == last_part(name)) return candidate;
  }
  return {};
}

}  // namespace sluice::config
