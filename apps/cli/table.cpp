#include "apps/cli/table.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ostream>

#include <fmt/format.h>

#include "common/base/assert.hpp"

namespace sluice::cli {

namespace {

// Bytes of the UTF-8 character that `text` begins with, as its first byte says; 0 if that is none
// or the character is cut (RFC 3629 §4).
std::size_t character_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first < 0x80                    ? 1
                           : first >= 0xC2 && first < 0xE0 ? 2
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xF0 && first < 0xF5 ? 4
                                                           : 0;
  if (size == 0 || size > text.size()) return 0;
  const bool continues = std::ranges::all_of(text.substr(1, size - 1), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  });
  return continues ? size : 0;
}

// Columns on a terminal, taking every character for one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  // C1 controls are U+0080 to U+009F: some terminals act on them.
  const bool is_c1 =
      character.size() == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  return first < 0x20 || first == 0x7F || is_c1;
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  SLUICE_ASSERT(row.size() == columns_.size(), "a row has one cell a column");
  rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = width_of(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, width_of(row[i]));
    widths.push_back(width);
    titles.push_back(columns_[i].title);
  }
  const auto print_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - width_of(cells[i]), ' ');
      if (i > 0) line.append("  ");
      line.append(columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row(titles);
  for (const auto& row : rows_) print_row(row);
}

std::string printable(std::string_view text, std::size_t characters_max) {
  std::string shown;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == characters_max) return shown.append("...");
    const std::size_t size = character_size(text);
    const bool is_shown = size > 0 && !is_control(text.substr(0, size));
    shown.append(is_shown ? text.substr(0, size) : ".");
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return shown;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes);
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

std::string human_time(std::int64_t unix_millis) {
  constexpr std::int64_t year_10000 = 253'402'300'800'000;
  if (unix_millis <= 0 || unix_millis >= year_10000) return "-";
  using std::chrono::days;
  const std::chrono::sys_time<std::chrono::milliseconds> instant{
      std::chrono::milliseconds(unix_millis)};
  const auto midnight = std::chrono::floor<days>(instant);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss clock(instant - midnight);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

}  // namespace sluice::cli
