#include "storage-plugins/append-log/settings.hpp"

#include <charconv>
#include <string_view>

#include "storage-plugins/append-log/format.hpp"

namespace sluice::append_log {

namespace {

constexpr std::uint64_t kKibi = 1024;
constexpr std::uint64_t kGibi = 1024 * kKibi * kKibi;

struct Row {
  std::string_view name;
  std::uint64_t Settings::* field;
  std::uint64_t min;
  std::uint64_t max;
};

constexpr Row kRows[] = {
    {"segment_bytes", &Settings::segment_bytes, 16 * kKibi, kGibi},
    {"tail_cache_bytes", &Settings::tail_cache_bytes, 0, 64 * kGibi},
    {"read_cache_bytes", &Settings::read_cache_bytes, 0, 64 * kGibi},
    {"index_cache_bytes", &Settings::index_cache_bytes, 64 * kKibi, 64 * kGibi},
    {"open_files_max", &Settings::open_files_max, 4, 100'000},
};

const Row* row_of_name(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string known_names() {
  std::string names;
  for (const Row& row : kRows) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace

Result<Settings> parse_settings(const std::map<std::string, std::string, std::less<>>& settings) {
  Settings parsed;
  for (const auto& [name, text] : settings) {
    const Row* row = row_of_name(name);
    if (row == nullptr) {
      return fail(Errc::invalid_argument, "'" + name +
                                              "' is no setting of the storage engine 'log', which "
                                              "has " +
                                              known_names());
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    if (!is_number || value < row->min || value > row->max) {
      return fail(Errc::invalid_argument,
                  "'" + name + "' is '" + text + "' and must be a number from " +
                      std::to_string(row->min) + " to " + std::to_string(row->max));
    }
    parsed.*(row->field) = value;
  }
  parsed.segment_bytes = round_up(parsed.segment_bytes, kPageBytes);
  return parsed;
}

}  // namespace sluice::append_log
