#include "storage-plugins/append-log/segment.hpp"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace sluice::append_log {

namespace {

constexpr std::size_t kDigits = 20;
constexpr std::string_view kSegmentSuffix = ".seg";
constexpr std::string_view kIndexSuffix = ".idx";
constexpr std::string_view kCheckpointSuffix = ".ckp";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::string_view kFreePrefix = "free-";

std::string name_of(std::string_view prefix, std::uint64_t number, std::string_view suffix) {
  return fmt::format("{}{:020}{}", prefix, number, suffix);
}

std::optional<std::uint64_t> number_between(std::string_view name, std::string_view prefix,
                                            std::string_view suffix) {
  if (name.size() != prefix.size() + kDigits + suffix.size()) return std::nullopt;
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  const char* begin = name.data() + prefix.size();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(begin, begin + kDigits, number);
  if (error != std::errc{} || end != begin + kDigits) return std::nullopt;
  return number;
}

}  // namespace

std::filesystem::path segment_path(const std::filesystem::path& directory, std::uint64_t number) {
  return directory / name_of("", number, kSegmentSuffix);
}

std::filesystem::path index_path(const std::filesystem::path& directory, std::uint64_t number) {
  return directory / name_of("", number, kIndexSuffix);
}

std::filesystem::path checkpoint_path(const std::filesystem::path& directory,
                                      std::uint64_t number) {
  return directory / name_of("", number, kCheckpointSuffix);
}

std::filesystem::path free_path(const std::filesystem::path& directory, std::uint64_t number) {
  return directory / name_of(kFreePrefix, number, kSegmentSuffix);
}

std::optional<FileName> parse_file_name(const std::string& name) {
  struct Row {
    std::string_view prefix;
    std::string_view suffix;
    FileKind kind;
  };
  constexpr Row kRows[] = {{"", kSegmentSuffix, FileKind::segment},
                           {"", kIndexSuffix, FileKind::index},
                           {"", kCheckpointSuffix, FileKind::checkpoint},
                           {kFreePrefix, kSegmentSuffix, FileKind::free_segment}};
  for (const Row& row : kRows) {
    if (const auto number = number_between(name, row.prefix, row.suffix)) {
      return FileName{.kind = row.kind, .number = *number};
    }
  }
  if (name.ends_with(kTemporarySuffix)) return FileName{.kind = FileKind::temporary, .number = 0};
  return std::nullopt;
}

}  // namespace sluice::append_log
