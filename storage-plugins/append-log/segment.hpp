#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "storage-plugins/append-log/index_codec.hpp"
#include "storage-plugins/append-log/segment_index.hpp"

namespace sluice::append_log {

/// How many records of a segment can still be read.
struct LiveCount {
  std::uint64_t epoch = 0;         ///< State::epoch() when it was counted.
  std::uint32_t records_seen = 0;  ///< Records in the segment then.
  std::uint64_t record_count = 0;
  std::uint64_t payload_bytes = 0;
};

/// One segment that holds frames. Shared: whoever reads from it holds a share, and its file is not
/// used for anything else before all are gone. Members are guarded by the store's mutex, but
/// constant once the segment is sealed, except `index`, `index_header` and `live`.
struct Segment {
  std::uint64_t number = 0;
  std::uint64_t file_bytes = 0;
  SegmentSummary summary;
  std::shared_ptr<SegmentIndex> index;      ///< nullptr: only in the index file.
  std::optional<IndexHeader> index_header;  ///< nullopt: there is no index file yet.
  std::optional<LiveCount> live;

  [[nodiscard]] std::uint32_t generation() const noexcept {
    return static_cast<std::uint32_t>(number);
  }
};
using SegmentPtr = std::shared_ptr<Segment>;

[[nodiscard]] std::filesystem::path segment_path(const std::filesystem::path& directory,
                                                 std::uint64_t number);
[[nodiscard]] std::filesystem::path index_path(const std::filesystem::path& directory,
                                               std::uint64_t number);
[[nodiscard]] std::filesystem::path checkpoint_path(const std::filesystem::path& directory,
                                                    std::uint64_t number);
[[nodiscard]] std::filesystem::path free_path(const std::filesystem::path& directory,
                                              std::uint64_t number);

/// There while a store is open, and after a crash: without it there is nothing behind the end of
/// the log.
inline constexpr std::string_view kOpenMark = "OPEN";

enum class FileKind : std::uint8_t { segment, index, checkpoint, free_segment, temporary };

struct FileName {
  FileKind kind;
  std::uint64_t number = 0;  ///< 0 of a temporary file.
};

/// \return nullopt if the store makes no file of such a name.
[[nodiscard]] std::optional<FileName> parse_file_name(const std::string& name);

}  // namespace sluice::append_log
