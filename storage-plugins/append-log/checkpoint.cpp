#include "storage-plugins/append-log/checkpoint.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "storage-plugins/append-log/bounds.hpp"

namespace sluice::append_log {

namespace {

/// Writes one checkpoint file from its begin to its end.
class CheckpointWriter {
 public:
  CheckpointWriter(Store& store, DiskFile& file) : store_(store), file_(file) {}

  Result<> write(const CheckpointHeader& header) {
    SLUICE_TRY(add(encoder_.header(header)));
    SLUICE_TRY(write_keys());
    SLUICE_TRY(write_logs());
    return write_end();
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return at_; }

 private:
  Result<> add(const std::string& bytes) {
    const auto written = file_.write_at(at_, as_bytes(bytes));
    at_ += bytes.size();
    return written;
  }

  Result<> write_keys() {
    std::optional<Bytes> after;
    while (true) {
      std::vector<storage::KeyValue> entries;
      {
        const std::lock_guard lock(store_.mutex);
        entries = store_.state.keys().next_entries(after, kSnapshotEntries, kSnapshotBytes);
      }
      if (entries.empty()) return {};
      after = entries.back().key;
      end_.key_count += entries.size();
      SLUICE_TRY(add(encoder_.keys(entries)));
    }
  }

  Result<> write_logs() {
    for (std::size_t slot = 0;;) {
      std::vector<CheckpointLog> logs;
      bool is_last = false;
      {
        const std::lock_guard lock(store_.mutex);
        const LogTable& table = store_.state.logs();
        const std::size_t stop = std::min(slot + kSnapshotEntries, table.slot_count());
        is_last = stop == table.slot_count();
        for (; slot < stop; ++slot) {
          const LogState* const log = table.slot(slot);
          if (log != nullptr) logs.push_back(entry_of(*log));
        }
      }
      end_.log_count += logs.size();
      if (!logs.empty()) SLUICE_TRY(add(encoder_.logs(logs)));
      if (is_last) return {};
    }
  }

  static CheckpointLog entry_of(const LogState& log) {
    return {.id = log.id,
            .floor = log.floor,
            .next = log.next,
            .live_from = log.live_from,
            .last_position = log.last_position};
  }

  /// The log must be durable as far as the snapshot has seen it before the checkpoint counts.
  Result<> write_end() {
    {
      const std::lock_guard lock(store_.mutex);
      const State& state = store_.state;
      end_.end = state.sequence();
      end_.drop_floor = state.drop_floor();
      end_.last_position = state.last_position();
      end_.last_stored_at = state.last_stored_at();
    }
    SLUICE_TRY(store_.syncer.sync_now());
    SLUICE_ASSERT(store_.syncer.synced() >= end_.end, "what is published was noted as written");
    return add(encoder_.end(end_));
  }

  Store& store_;
  DiskFile& file_;
  CheckpointEncoder encoder_;
  CheckpointEnd end_;
  std::uint64_t at_ = 0;
};

/// Replay begins with the first segment that has no index yet: below the checkpoint the indexes say
/// what the segments hold. Not before the last checkpoint, though: what stood below that one may
/// be gone. Under the mutex.
const Segment& first_to_replay(const Store& store) {
  const auto& segments = store.state.segments();
  SLUICE_ASSERT(!segments.empty(), "there is something to take a checkpoint of");
  const std::uint64_t last_start = store.checkpoint_segment;
  const auto first = std::ranges::find_if(segments, [&](const SegmentPtr& it) {
    return it->number >= last_start && !it->index_header;
  });
  return first == segments.end() ? *segments.back() : **first;
}

Result<> remove_older(Store& store, std::uint64_t newest) {
  const auto names = store.disk.list(store.directory);
  SLUICE_TRY(names);
  for (const std::string& name : *names) {
    const auto parsed = parse_file_name(name);
    const bool is_older = parsed && parsed->kind == FileKind::checkpoint && parsed->number < newest;
    if (is_older) SLUICE_TRY(store.disk.remove(store.directory / name));
  }
  return {};
}

}  // namespace

Result<std::uint64_t> write_checkpoint(Store& store) {
  CheckpointHeader header;
  header.created_at = store.environment().now();
  header.salt = static_cast<std::uint32_t>(store.environment().random());
  {
    const std::lock_guard lock(store.mutex);
    const Segment& first = first_to_replay(store);
    header.start_segment = first.number;
    header.start = first.summary.first_sequence;
  }
  const auto path = checkpoint_path(store.directory, header.start_segment);
  const auto temporary = std::filesystem::path(path).replace_extension(".ckp.tmp");
  auto file = store.disk.open(temporary, OpenMode::create_or_open);
  SLUICE_TRY(file);
  SLUICE_TRY((*file)->resize(0));
  CheckpointWriter writer(store, **file);
  SLUICE_TRY(writer.write(header));
  SLUICE_TRY((*file)->sync());
  SLUICE_TRY(store.disk.rename(temporary, path));
  SLUICE_TRY(store.disk.sync_directory(store.directory));
  store.checkpoint_bytes = writer.size();
  SLUICE_TRY(remove_older(store, header.start_segment));
  return header.start_segment;
}

Result<LoadedCheckpoint> load_checkpoint(Disk& disk, const std::filesystem::path& path) {
  const auto file = disk.open(path, OpenMode::read);
  SLUICE_TRY(file);
  const auto damaged = [&](std::string_view what) {
    return fail(Errc::corrupt_record, path.string() + " is damaged: " + std::string(what));
  };
  const auto size = (*file)->size();
  SLUICE_TRY(size);
  LoadedCheckpoint loaded;
  loaded.file_bytes = *size;
  CheckpointDecoder decoder;
  std::vector<std::byte> bytes(kCheckpointHeaderBytes);
  SLUICE_TRY(read_range(**file, 0, bytes, ReadMode::blocking));
  const auto header = decoder.header(bytes);
  if (!header) return damaged("its header does not match its checksum");
  loaded.header = *header;

  const CheckpointDecoder::Visitor visitor{
      .on_key = [&](Bytes key,
                    Bytes value) { loaded.keys.append_sorted(std::move(key), std::move(value)); },
      .on_log = [&](const CheckpointLog& log) { loaded.logs.push_back(log); }};
  std::uint64_t at = kCheckpointHeaderBytes;
  while (!decoder.end()) {
    bytes.resize(kChunkHeadBytes);
    SLUICE_TRY(read_range(**file, at, bytes, ReadMode::blocking));
    const auto chunk_bytes = CheckpointDecoder::chunk_bytes(bytes);
    if (!chunk_bytes) return damaged("a chunk is too large");
    bytes.resize(*chunk_bytes);
    SLUICE_TRY(read_range(**file, at, bytes, ReadMode::blocking));
    const auto read = decoder.chunk(bytes, visitor);
    if (!read) return damaged(read.error().text);
    at += *chunk_bytes;
  }
  loaded.end = *decoder.end();
  return loaded;
}

}  // namespace sluice::append_log
