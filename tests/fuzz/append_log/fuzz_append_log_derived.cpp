// What is derived from the log: index files and checkpoints. The first byte chooses; the checksums
// of index blocks are not asked, so that what is behind them is reached.

#include <algorithm>
#include <cstdint>

#include "storage-plugins/append-log/checkpoint_codec.hpp"
#include "storage-plugins/append-log/index_codec.hpp"

namespace {

using namespace sluice;              // NOLINT(google-build-using-namespace)
using namespace sluice::append_log;  // NOLINT(google-build-using-namespace)

void read_section(BytesView file, const IndexSection& section, void (*decode)(BytesView)) {
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(section.count, 10'000); ++i) {
    const std::size_t at =
        std::size_t{section.block_of(i)} * kIndexBlockBytes + section.offset_of(i);
    if (at + section.entry_bytes > file.size()) return;
    decode(file.subspan(at, section.entry_bytes));
  }
}

void read_index(BytesView file) {
  if (file.size() < kIndexBlockBytes) return;
  static_cast<void>(verify_index_block(file.first(kIndexBlockBytes), 1, 0));
  const auto header = decode_index_header(file.first(kIndexBlockBytes));
  if (!header) return;
  read_section(file, header->runs, [](BytesView it) { static_cast<void>(decode_run(it)); });
  read_section(file, header->run_entries,
               [](BytesView it) { static_cast<void>(decode_run_entry(it)); });
  read_section(file, header->records, [](BytesView it) { static_cast<void>(decode_record(it)); });
  read_section(file, header->keys, [](BytesView it) { static_cast<void>(decode_key(it)); });
}

void read_checkpoint(BytesView bytes) {
  CheckpointDecoder decoder;
  if (!decoder.header(bytes)) return;
  std::size_t seen = 0;
  const CheckpointDecoder::Visitor visitor{.on_key = [&](Bytes, Bytes) { ++seen; },
                                           .on_log = [&](const CheckpointLog&) { ++seen; }};
  bytes = bytes.subspan(kCheckpointHeaderBytes);
  while (!bytes.empty()) {
    const auto size = CheckpointDecoder::chunk_bytes(bytes);
    if (!size || *size > bytes.size()) return;
    if (!decoder.chunk(bytes.first(*size), visitor)) return;
    bytes = bytes.subspan(*size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const BytesView bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    read_index(bytes);
  } else {
    read_checkpoint(bytes);
  }
  return 0;
}
