#include "storage-plugins/append-log/index_rebuild.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/log.hpp"
#include "storage-plugins/append-log/segment_reader.hpp"

namespace sluice::append_log {

namespace {

constexpr std::size_t kWriteBytes = 1024UL * 1024;

tl::unexpected<Error> damaged(const std::filesystem::path& path, std::uint64_t at,
                              std::string_view what) {
  return fail(Errc::corrupt_record, path.string() + " is damaged at offset " + std::to_string(at) +
                                        ": " + std::string(what) +
                                        "; restore the file from a copy, or move the data "
                                        "directory away and start with an empty one");
}

/// Puts the frames of one segment into an index as State does, without the store's other state.
class SegmentScan {
 public:
  explicit SegmentScan(const SegmentHeader& header) {
    summary_.first_sequence = header.first_sequence;
    summary_.last_sequence.value = header.first_sequence.value - 1;
    summary_.end = kSegmentHeaderBytes;
    summary_.last_crc = header.crc;
  }

  void apply(BytesView frame, const FrameHeader& header, std::uint64_t at) {
    visit_operations(frame, header, [&](const OperationView& operation) {
      if (const auto* append = std::get_if<AppendView>(&operation)) add(*append, at);
      if (const auto* drop = std::get_if<DropLogView>(&operation)) index_->remove_run(drop->log);
    });
    summary_.last_sequence = header.sequence;
    summary_.last_crc = header.crc;
    summary_.end = at + header.frame_bytes;
  }

  [[nodiscard]] const SegmentSummary& summary() const noexcept { return summary_; }
  [[nodiscard]] ScannedSegment take() { return {.summary = summary_, .index = std::move(index_)}; }

 private:
  void add(const AppendView& append, std::uint64_t at) {
    const std::uint32_t record = index_->add(append, at);
    for (std::size_t i = 0; i < append.log_count; ++i) index_->add_entry(append.log(i), record);
    if (summary_.record_count == 0) {
      summary_.first_position = append.position;
      summary_.first_stored_at = append.stored_at;
    }
    summary_.last_position = append.position;
    summary_.last_stored_at = append.stored_at;
    summary_.payload_bytes += append.payload.size();
    ++summary_.record_count;
  }

  SegmentSummary summary_;
  std::shared_ptr<SegmentIndex> index_ = std::make_shared<SegmentIndex>();
};

}  // namespace

Result<ScannedSegment> scan_segment(Store& store, std::uint64_t number) {
  const auto path = segment_path(store.directory, number);
  const auto file = store.disk.open(path, OpenMode::read);
  SLUICE_TRY(file);
  const auto size = (*file)->size();
  SLUICE_TRY(size);
  SegmentReader reader(**file, *size);
  const auto page = reader.bytes_at(0, kSegmentHeaderBytes);
  SLUICE_TRY(page);
  const auto decoded = decode_segment_header(*page);
  if (!decoded || !decoded->is_whole || decoded->header.number != number) {
    return damaged(path, 0, "its header does not match its checksum");
  }
  const SegmentHeader& header = decoded->header;
  SegmentScan scan(header);
  while (true) {
    const SegmentSummary& so_far = scan.summary();
    const ExpectedFrame expected{.sequence = so_far.last_sequence + 1,
                                 .generation = header.generation(),
                                 .previous_crc = so_far.last_crc,
                                 .salt = header.salt};
    const auto outcome = reader.next_frame(so_far.end, expected);
    SLUICE_TRY(outcome);
    if (const auto* frame = std::get_if<SegmentReader::Frame>(&*outcome)) {
      scan.apply(frame->bytes, frame->header, so_far.end);
      continue;
    }
    bool has_more = false;
    SLUICE_TRY(reader.search(so_far.end, header, [&](std::uint64_t, const FrameHeader& later) {
      has_more = has_more || later.sequence > so_far.last_sequence;
    }));
    if (has_more) return damaged(path, so_far.end, describe(std::get<FrameError>(*outcome)));
    return scan.take();
  }
}

Result<> rebuild_index(Store& store, const SegmentPtr& segment) {
  log::warn("log: the index of segment {} is damaged and is made anew", segment->number);
  auto scanned = scan_segment(store, segment->number);
  SLUICE_TRY(scanned);
  store.metrics.indexes_rebuilt.add();
  const std::lock_guard lock(store.mutex);
  if (scanned->summary != segment->summary) {
    return damaged(segment_path(store.directory, segment->number), scanned->summary.end,
                   "it does not hold what it held before");
  }
  segment->index = std::move(scanned->index);
  segment->index_header.reset();
  ++store.index_rebuilds;
  return {};
}

Result<IndexHeader> write_index_file(Store& store, std::uint64_t number,
                                     const SegmentSummary& summary, const SegmentIndex& index) {
  const auto path = index_path(store.directory, number);
  const auto temporary = std::filesystem::path(path).replace_extension(".idx.tmp");
  const auto bytes = encode_index(number, summary, index);
  auto file = store.disk.open(temporary, OpenMode::create_or_open);
  SLUICE_TRY(file);
  SLUICE_TRY((*file)->resize(0));
  for (std::size_t at = 0; at < bytes.size(); at += kWriteBytes) {
    const std::size_t size = std::min(kWriteBytes, bytes.size() - at);
    SLUICE_TRY((*file)->write_at(at, BytesView(bytes).subspan(at, size)));
  }
  SLUICE_TRY((*file)->sync());
  SLUICE_TRY(store.disk.rename(temporary, path));
  store.files.forget(FileKind::index, number);
  store.index_blocks.forget(number);
  const auto header = decode_index_header(BytesView(bytes).first(kIndexBlockBytes));
  SLUICE_ASSERT(header.has_value(), "an index that was just written can be read");
  return *header;
}

Result<LoadedIndex> load_index_file(Store& store, std::uint64_t number) {
  const auto path = index_path(store.directory, number);
  const auto broken = [&] { return fail(Errc::corrupt_record, path.string() + " is damaged"); };
  const auto file = store.disk.open(path, OpenMode::read);
  SLUICE_TRY(file);
  const auto size = (*file)->size();
  SLUICE_TRY(size);
  std::vector<std::byte> bytes(kIndexBlockBytes);
  SLUICE_TRY(read_range(**file, 0, bytes, ReadMode::blocking));
  const auto generation = static_cast<std::uint32_t>(number);
  if (!verify_index_block(bytes, generation, 0)) return broken();
  const auto header = decode_index_header(bytes);
  if (!header || header->number != number || header->file_bytes() != *size) return broken();

  LoadedIndex loaded{.header = *header, .runs = {}};
  const IndexSection& section = header->runs;
  bytes.resize(std::size_t{section.block_count()} * kIndexBlockBytes);
  SLUICE_TRY(read_range(**file, std::uint64_t{section.first_block} * kIndexBlockBytes, bytes,
                        ReadMode::blocking));
  for (std::uint32_t i = 0; i < section.block_count(); ++i) {
    const BytesView block =
        BytesView(bytes).subspan(std::size_t{i} * kIndexBlockBytes, kIndexBlockBytes);
    if (!verify_index_block(block, generation, section.first_block + i)) return broken();
  }
  loaded.runs.reserve(section.count);
  for (std::uint32_t i = 0; i < section.count; ++i) {
    const std::size_t at =
        std::size_t{i / section.per_block()} * kIndexBlockBytes + section.offset_of(i);
    loaded.runs.push_back(decode_run(BytesView(bytes).subspan(at, kRunBytes)));
  }
  return loaded;
}

}  // namespace sluice::append_log
