#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "storage-plugins/append-log/format.hpp"
#include "storage-plugins/append-log/plugin.hpp"
#include "storage-plugins/append-log/segment.hpp"
#include "storage-plugins/spi/conformance/batches.hpp"
#include "storage-plugins/spi/conformance/store.hpp"

/// \file
/// An engine `log` on a disk that fails on demand, and hands to look into its files with.

namespace sluice::append_log {

using storage::Durability;
using storage::LogBounds;
using storage::LogId;
using storage::Offset;
using storage::Position;
using storage::Sequence;
using storage::conformance::appending;
using storage::conformance::EngineFactory;
using storage::conformance::kLog;
using storage::conformance::kOther;
using storage::conformance::must;
using storage::conformance::putting;
using storage::conformance::Store;

using EngineSettings = std::map<std::string, std::string, std::less<>>;

inline EngineFactory log_engine(EngineSettings settings = {{"segment_bytes", "65536"}}) {
  return {.name = "append_log",
          .make_plugin = make_plugin,
          .settings = std::move(settings),
          .persistence = EngineFactory::Persistence::on_disk};
}

inline std::filesystem::path file_of_segment(std::uint64_t number) {
  return segment_path(Store::kDirectory, number);
}

inline std::vector<std::byte> bytes_of(Disk& disk, const std::filesystem::path& path) {
  const auto file = must(disk.open(path, OpenMode::read));
  std::vector<std::byte> bytes(must(file->size()));
  must(file->read_at(0, bytes));
  return bytes;
}

inline void overwrite(Disk& disk, const std::filesystem::path& path, std::uint64_t at,
                      BytesView bytes) {
  const auto file = must(disk.open(path, OpenMode::read_write));
  must(file->write_at(at, bytes));
  must(file->sync());
}

/// Where the frames of a segment begin, and where the last one ends.
inline std::vector<std::uint64_t> frame_bounds(const std::vector<std::byte>& segment) {
  std::vector<std::uint64_t> bounds{kSegmentHeaderBytes};
  while (bounds.back() + kFrameHeaderBytes <= segment.size()) {
    const auto* at = segment.data() + bounds.back();
    if (load_big_endian<std::uint32_t>(at) != kFrameMagic) break;
    bounds.push_back(bounds.back() + load_big_endian<std::uint32_t>(at + 4));
  }
  return bounds;
}

inline std::vector<std::string> payloads(Store& store, LogId log) {
  std::vector<std::string> found;
  const LogBounds bounds = store.bounds(log);
  for (Offset from = bounds.first; from < bounds.next;) {
    const auto result = must(store.read(log, from));
    for (const auto& record : result.records) found.emplace_back(record.payload.text());
    from = result.next;
  }
  return found;
}

}  // namespace sluice::append_log
