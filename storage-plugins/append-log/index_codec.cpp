#include "storage-plugins/append-log/index_codec.hpp"

#include <algorithm>
#include <functional>

#include <boost/sort/spreadsort/integer_sort.hpp>

#include "common/base/byte_reader.hpp"
#include "common/base/checksum.hpp"

namespace sluice::append_log {

namespace {

/// The sections' places follow from their counts.
void lay_out(IndexHeader& header) {
  header.runs.entry_bytes = kRunBytes;
  header.run_entries.entry_bytes = kRunEntryBytes;
  header.records.entry_bytes = kRecordBytes;
  header.keys.entry_bytes = kKeyEntryBytes;
  header.runs.first_block = 1;
  header.run_entries.first_block = header.runs.end_block();
  header.records.first_block = header.run_entries.end_block();
  header.keys.first_block = header.records.end_block();
}

std::uint32_t block_crc(BytesView data, std::uint32_t generation, std::uint32_t number) noexcept {
  std::byte tail[8];
  store_big_endian(tail, generation);
  store_big_endian(tail + 4, number);
  return crc32c(BytesView(tail), crc32c(data));
}

/// Writes entries one after another into a section.
class SectionWriter {
 public:
  SectionWriter(std::vector<std::byte>& file, const IndexSection& section) noexcept
      : file_(file), section_(section) {}

  [[nodiscard]] std::byte* next() noexcept {
    const std::uint32_t entry = count_++;
    return file_.data() + std::size_t{section_.block_of(entry)} * kIndexBlockBytes +
           section_.offset_of(entry);
  }

 private:
  std::vector<std::byte>& file_;
  const IndexSection& section_;
  std::uint32_t count_ = 0;
};

std::vector<const LogRun*> sorted_runs(const SegmentIndex& index) {
  std::vector<const LogRun*> runs;
  runs.reserve(index.run_count());
  index.visit_runs([&](const LogRun& run) { runs.push_back(&run); });
  std::ranges::sort(runs, {}, [](const LogRun* run) { return run->log; });
  return runs;
}

/// By hash, then by record. In digits of the hash: comparing took longer than all else of sealing.
std::vector<KeyEntry> sorted_keys(const SegmentIndex& index) {
  std::vector<KeyEntry> keys;
  keys.reserve(index.keys().size());
  for (std::size_t i = 0; i < index.keys().size(); ++i) keys.push_back(index.keys()[i]);
  const auto high_bits = [](const KeyEntry& key, unsigned shift) { return key.hash >> shift; };
  boost::sort::spreadsort::integer_sort(keys.begin(), keys.end(), high_bits, std::less<>{});
  // What has the same digits throughout is left as it came.
  for (auto first = keys.begin(); first != keys.end();) {
    const auto is_other = [&](const KeyEntry& key) { return key.hash != first->hash; };
    const auto last = std::find_if(first, keys.end(), is_other);
    if (last - first > 1) std::sort(first, last);
    first = last;
  }
  return keys;
}

void encode_header(const IndexHeader& header, std::byte* at) {
  const SegmentSummary& summary = header.summary;
  store_big_endian(at, kIndexMagic);
  store_big_endian(at + 4, kFormatVersion);
  store_big_endian(at + 8, header.number);
  store_big_endian(at + 16, static_cast<std::uint32_t>(header.number));
  store_big_endian(at + 20, summary.last_crc);
  store_big_endian(at + 24, summary.first_sequence.value);
  store_big_endian(at + 32, summary.last_sequence.value);
  store_big_endian(at + 40, summary.end);
  store_big_endian(at + 48, summary.first_position.value);
  store_big_endian(at + 56, summary.last_position.value);
  store_big_endian(at + 64, summary.first_stored_at.value);
  store_big_endian(at + 72, summary.last_stored_at.value);
  store_big_endian(at + 80, summary.payload_bytes);
  store_big_endian(at + 88, summary.record_count);
  store_big_endian(at + 92, header.runs.count);
  store_big_endian(at + 96, header.run_entries.count);
  store_big_endian(at + 100, header.keys.count);
}

void encode_run(const LogRun& run, std::uint32_t first_entry, std::byte* at) {
  store_big_endian(at, run.log.value);
  store_big_endian(at + 8, run.first.value);
  store_big_endian(at + 16, run.first_position.value);
  store_big_endian(at + 24, run.owned_bytes);
  store_big_endian(at + 32, static_cast<std::uint32_t>(run.records.size()));
  store_big_endian(at + 36, run.owned_count);
  store_big_endian(at + 40, first_entry);
  store_big_endian(at + 44, std::uint32_t{run.has_foreign ? 1U : 0U});
}

void encode_record(const RecordEntry& record, std::byte* at) {
  store_big_endian(at, record.position.value);
  store_big_endian(at + 8, record.stored_at.value);
  store_big_endian(at + 16, record.tag_hash);
  store_big_endian(at + 24, record.owner.value);
  store_big_endian(at + 32, record.owner_offset.value);
  store_big_endian(at + 40, record.append_at);
  store_big_endian(at + 44, record.append_bytes);
  store_big_endian(at + 48, record.payload_bytes);
  store_big_endian(at + 52, record.offset_count);
}

}  // namespace

std::vector<std::byte> encode_index(std::uint64_t number, const SegmentSummary& summary,
                                    const SegmentIndex& index) {
  const auto runs = sorted_runs(index);
  const auto keys = sorted_keys(index);
  std::size_t entry_count = 0;
  for (const LogRun* run : runs) entry_count += run->records.size();

  IndexHeader header{.number = number, .summary = summary};
  header.runs.count = static_cast<std::uint32_t>(runs.size());
  header.run_entries.count = static_cast<std::uint32_t>(entry_count);
  header.records.count = summary.record_count;
  header.keys.count = static_cast<std::uint32_t>(keys.size());
  lay_out(header);

  std::vector<std::byte> file(header.file_bytes());
  encode_header(header, file.data());
  SectionWriter run_writer(file, header.runs);
  SectionWriter entry_writer(file, header.run_entries);
  std::uint32_t first_entry = 0;
  for (const LogRun* run : runs) {
    encode_run(*run, first_entry, run_writer.next());
    for (const std::uint32_t record : run->records) store_big_endian(entry_writer.next(), record);
    first_entry += static_cast<std::uint32_t>(run->records.size());
  }
  SectionWriter record_writer(file, header.records);
  for (std::size_t i = 0; i < summary.record_count; ++i) {
    encode_record(index.records()[i], record_writer.next());
  }
  SectionWriter key_writer(file, header.keys);
  for (const KeyEntry& key : keys) {
    std::byte* const at = key_writer.next();
    store_big_endian(at, key.hash);
    store_big_endian(at + 8, key.record);
  }
  const auto generation = static_cast<std::uint32_t>(number);
  for (std::uint32_t block = 0; block < file.size() / kIndexBlockBytes; ++block) {
    std::byte* const at = file.data() + std::size_t{block} * kIndexBlockBytes;
    store_big_endian(at + kIndexBlockDataBytes,
                     block_crc(BytesView(at, kIndexBlockDataBytes), generation, block));
  }
  return file;
}

bool verify_index_block(BytesView block, std::uint32_t generation, std::uint32_t number) noexcept {
  if (block.size() != kIndexBlockBytes) return false;
  return load_big_endian<std::uint32_t>(block.data() + kIndexBlockDataBytes) ==
         block_crc(block.first(kIndexBlockDataBytes), generation, number);
}

std::optional<IndexHeader> decode_index_header(BytesView block) noexcept {
  ByteReader reader(block);
  const auto magic = reader.read<std::uint32_t>();
  const auto version = reader.read<std::uint32_t>();
  if (magic != kIndexMagic || version != kFormatVersion) return std::nullopt;
  IndexHeader header;
  header.number = reader.read<std::uint64_t>();
  const auto generation = reader.read<std::uint32_t>();
  SegmentSummary& summary = header.summary;
  summary.last_crc = reader.read<std::uint32_t>();
  summary.first_sequence.value = reader.read<std::uint64_t>();
  summary.last_sequence.value = reader.read<std::uint64_t>();
  summary.end = reader.read<std::uint64_t>();
  summary.first_position.value = reader.read<std::uint64_t>();
  summary.last_position.value = reader.read<std::uint64_t>();
  summary.first_stored_at.value = reader.read<std::int64_t>();
  summary.last_stored_at.value = reader.read<std::int64_t>();
  summary.payload_bytes = reader.read<std::uint64_t>();
  summary.record_count = reader.read<std::uint32_t>();
  header.records.count = summary.record_count;
  header.runs.count = reader.read<std::uint32_t>();
  header.run_entries.count = reader.read<std::uint32_t>();
  header.keys.count = reader.read<std::uint32_t>();
  if (!reader.ok() || generation != static_cast<std::uint32_t>(header.number)) return std::nullopt;
  lay_out(header);
  return header;
}

RunView decode_run(BytesView entry) noexcept {
  ByteReader reader(entry);
  RunView run;
  run.log.value = reader.read<std::uint64_t>();
  run.first.value = reader.read<std::int64_t>();
  run.first_position.value = reader.read<std::uint64_t>();
  run.owned_bytes = reader.read<std::uint64_t>();
  run.count = reader.read<std::uint32_t>();
  run.owned_count = reader.read<std::uint32_t>();
  run.first_entry = reader.read<std::uint32_t>();
  run.has_foreign = (reader.read<std::uint32_t>() & 1U) != 0;
  return run;
}

std::uint32_t decode_run_entry(BytesView entry) noexcept {
  return load_big_endian<std::uint32_t>(entry.data());
}

RecordEntry decode_record(BytesView entry) noexcept {
  ByteReader reader(entry);
  RecordEntry record;
  record.position.value = reader.read<std::uint64_t>();
  record.stored_at.value = reader.read<std::int64_t>();
  record.tag_hash = reader.read<std::uint64_t>();
  record.owner.value = reader.read<std::uint64_t>();
  record.owner_offset.value = reader.read<std::int64_t>();
  record.append_at = reader.read<std::uint32_t>();
  record.append_bytes = reader.read<std::uint32_t>();
  record.payload_bytes = reader.read<std::uint32_t>();
  record.offset_count = reader.read<std::uint32_t>();
  return record;
}

KeyEntry decode_key(BytesView entry) noexcept {
  return {.hash = load_big_endian<std::uint64_t>(entry.data()),
          .record = load_big_endian<std::uint32_t>(entry.data() + 8)};
}

}  // namespace sluice::append_log
