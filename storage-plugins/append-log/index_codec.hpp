#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/types.hpp"
#include "storage-plugins/append-log/segment_index.hpp"

/// \file
/// Index files as bytes (docs/formats/append-log.md, "Index file"). Pure functions.

namespace sluice::append_log {

inline constexpr std::size_t kIndexBlockBytes = 4096;
inline constexpr std::size_t kIndexBlockDataBytes = kIndexBlockBytes - 4;

inline constexpr std::size_t kRunBytes = 48;
inline constexpr std::size_t kRunEntryBytes = 4;
inline constexpr std::size_t kRecordBytes = 56;
inline constexpr std::size_t kKeyEntryBytes = 12;

/// Where the entries of one kind are in an index file.
struct IndexSection {
  std::uint32_t first_block = 0;
  std::uint32_t count = 0;
  std::uint32_t entry_bytes = 1;

  [[nodiscard]] std::uint32_t per_block() const noexcept {
    return static_cast<std::uint32_t>(kIndexBlockDataBytes) / entry_bytes;
  }
  [[nodiscard]] std::uint32_t block_count() const noexcept {
    return count / per_block() + (count % per_block() == 0 ? 0 : 1);
  }
  [[nodiscard]] std::uint32_t block_of(std::uint32_t entry) const noexcept {
    return first_block + entry / per_block();
  }
  [[nodiscard]] std::size_t offset_of(std::uint32_t entry) const noexcept {
    return std::size_t{entry % per_block()} * entry_bytes;
  }
  [[nodiscard]] std::uint32_t end_block() const noexcept { return first_block + block_count(); }
};

/// Block 0: what the segment holds, and where the sections are.
struct IndexHeader {
  std::uint64_t number = 0;
  SegmentSummary summary{};
  IndexSection runs{};
  IndexSection run_entries{};
  IndexSection records{};
  IndexSection keys{};

  [[nodiscard]] std::uint64_t file_bytes() const noexcept {
    return std::uint64_t{keys.end_block()} * kIndexBlockBytes;
  }
};

/// A run as it stands in the file.
struct RunView {
  storage::LogId log{};
  storage::Offset first{};
  storage::Position first_position{};
  std::uint64_t owned_bytes = 0;
  std::uint32_t count = 0;
  std::uint32_t owned_count = 0;
  std::uint32_t first_entry = 0;
  bool has_foreign = false;
};

/// The whole file.
[[nodiscard]] std::vector<std::byte> encode_index(std::uint64_t number,
                                                  const SegmentSummary& summary,
                                                  const SegmentIndex& index);

/// Whether the crc of a block is right. `block` is kIndexBlockBytes.
[[nodiscard]] bool verify_index_block(BytesView block, std::uint32_t generation,
                                      std::uint32_t number) noexcept;

/// Of a verified block 0. \return nullopt if it is none of a version this program knows.
[[nodiscard]] std::optional<IndexHeader> decode_index_header(BytesView block) noexcept;

// Entries of verified blocks.
[[nodiscard]] RunView decode_run(BytesView entry) noexcept;
[[nodiscard]] std::uint32_t decode_run_entry(BytesView entry) noexcept;
[[nodiscard]] RecordEntry decode_record(BytesView entry) noexcept;
[[nodiscard]] KeyEntry decode_key(BytesView entry) noexcept;

}  // namespace sluice::append_log
