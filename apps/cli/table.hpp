#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

/// A table for people: a header line, then rows; columns are as wide as their widest cell.
class Table {
 public:
  enum class Align : std::uint8_t { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell a column.
  void add(std::vector<std::string> row);

  void print(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// `text` as a terminal may show it: on one line, without control characters, at most
/// `characters_max` characters. Bytes that are no UTF-8 become `.`.
[[nodiscard]] std::string printable(std::string_view text, std::size_t characters_max);

/// 12,345,678.
[[nodiscard]] std::string grouped(std::uint64_t number);

/// 1.5 MiB.
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// 2026-11-30 06:56:32.123 in UTC; `-` for 0 and before.
[[nodiscard]] std::string human_time(std::int64_t unix_millis);

}  // namespace sluice::cli
