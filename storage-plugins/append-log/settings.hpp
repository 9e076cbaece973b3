#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/base/error.hpp"

namespace sluice::append_log {

/// The settings of the engine `log`, checked. Sizes are in bytes.
struct Settings {
  /// Size of a segment, rounded up to whole pages. 16 KiB to 1 GiB. Space is freed in segments.
  std::uint64_t segment_bytes = 64ULL * 1024 * 1024;
  /// What was written last and is read from memory. 0 to 64 GiB; 0: everything is read from files.
  std::uint64_t tail_cache_bytes = 32ULL * 1024 * 1024;
  /// Ranges of files read a short while ago. 0 to 64 GiB; 0: every record is read alone.
  std::uint64_t read_cache_bytes = 16ULL * 1024 * 1024;
  /// Blocks of the indexes of sealed segments. 64 KiB to 64 GiB.
  std::uint64_t index_cache_bytes = 16ULL * 1024 * 1024;
  /// Files of sealed segments and indexes kept open. 4 to 100,000.
  std::uint64_t open_files_max = 128;
};

/// \return invalid_argument, naming the setting, if one is unknown, no number or out of range.
[[nodiscard]] Result<Settings> parse_settings(
    const std::map<std::string, std::string, std::less<>>& settings);

}  // namespace sluice::append_log
