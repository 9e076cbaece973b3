#include "storage-plugins/append-log/index_codec.hpp"

#include <gtest/gtest.h>

#include "storage-plugins/append-log/checkpoint_codec.hpp"

namespace sluice::append_log {

using storage::KeyValue;
using storage::LogId;
using storage::Offset;
using storage::Position;
using storage::Sequence;

namespace {

/// An append as a frame would have it, without its checksums.
class Append {
 public:
  Append(std::uint64_t position, std::vector<LogEntry> logs, std::string_view key) {
    for (const LogEntry& entry : logs) {
      logs_.resize(logs_.size() + kAppendLogBytes);
      store_big_endian(logs_.data() + logs_.size() - 16, entry.log.value);
      store_big_endian(logs_.data() + logs_.size() - 8, entry.offset.value);
    }
    if (!key.empty()) {
      keys_.resize(2 + key.size());
      store_big_endian(keys_.data(), static_cast<std::uint16_t>(key.size()));
      std::ranges::copy(as_bytes(key), keys_.begin() + 2);
      view_.index_key_count = 1;
    }
    view_.position = Position{position};
    view_.stored_at = UnixMillis{static_cast<std::int64_t>(position) * 10};
    view_.log_count = static_cast<std::uint16_t>(logs.size());
    view_.logs = logs_;
    view_.index_keys = keys_;
    view_.payload = as_bytes("payload");
    view_.begin = 64;
    view_.size = 100;
  }

  [[nodiscard]] const AppendView& view() const noexcept { return view_; }

 private:
  std::vector<std::byte> logs_;
  std::vector<std::byte> keys_;
  AppendView view_;
};

/// `count` records of logs 1 to 7 in turn; every fifth is listed in log 9 too.
struct Example {
  explicit Example(std::uint32_t count) {
    std::array<std::int64_t, 10> next{};
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<LogEntry> logs{{LogId{1 + i % 7}, Offset{next[i % 7]++}}};
      if (i % 5 == 0) logs.push_back({LogId{9}, Offset{next[9]++}});
      const std::string key = i % 3 == 0 ? "key " + std::to_string(i % 30) : "";
      const Append append(100 + i, logs, key);
      const std::uint32_t record = index.add(append.view(), 4096 + std::uint64_t{i} * 200);
      for (const LogEntry& entry : logs) index.add_entry(entry, record);
    }
    summary.first_sequence = Sequence{1};
    summary.last_sequence = Sequence{count};
    summary.record_count = count;
    summary.payload_bytes = std::uint64_t{count} * 7;
    summary.first_position = Position{100};
    summary.last_position = Position{99 + count};
  }

  SegmentIndex index;
  SegmentSummary summary;
};

BytesView block_at(const std::vector<std::byte>& file, std::uint32_t number) {
  return BytesView(file).subspan(std::size_t{number} * kIndexBlockBytes, kIndexBlockBytes);
}

BytesView entry_at(const std::vector<std::byte>& file, const IndexSection& section,
                   std::uint32_t i) {
  return block_at(file, section.block_of(i)).subspan(section.offset_of(i), section.entry_bytes);
}

}  // namespace

TEST(IndexCodec, SortsManyKeysByHashAndThoseOfOneHashByRecord) {
  // Enough that they are sorted by their digits; "often" is the key of every fourth record.
  constexpr std::uint32_t kRecords = 40'000;
  SegmentIndex index;
  for (std::uint32_t i = 0; i < kRecords; ++i) {
    const std::string key = i % 4 == 0 ? "often" : "key " + std::to_string(i);
    index.add(Append(1 + i, {{LogId{1}, Offset{i}}}, key).view(), 4096 + std::uint64_t{i} * 200);
    index.add_entry({LogId{1}, Offset{i}}, i);
  }
  const SegmentSummary summary{
      .first_sequence = Sequence{1}, .last_sequence = Sequence{kRecords}, .record_count = kRecords};
  const auto file = encode_index(12, summary, index);
  const auto header = decode_index_header(block_at(file, 0));
  ASSERT_TRUE(header);
  ASSERT_EQ(header->keys.count, kRecords);
  KeyEntry before = decode_key(entry_at(file, header->keys, 0));
  for (std::uint32_t i = 1; i < kRecords; ++i) {
    const KeyEntry key = decode_key(entry_at(file, header->keys, i));
    ASSERT_LT(before, key) << i;
    before = key;
  }
}

TEST(IndexCodec, ReadsBackAllThatItWrote) {
  const Example example(1000);
  const auto file = encode_index(12, example.summary, example.index);
  ASSERT_EQ(file.size() % kIndexBlockBytes, 0U);
  for (std::uint32_t i = 0; i < file.size() / kIndexBlockBytes; ++i) {
    EXPECT_TRUE(verify_index_block(block_at(file, i), 12, i)) << i;
  }
  const auto header = decode_index_header(block_at(file, 0));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->number, 12U);
  EXPECT_EQ(header->summary, example.summary);
  EXPECT_EQ(header->file_bytes(), file.size());
  ASSERT_EQ(header->records.count, 1000U);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(decode_record(entry_at(file, header->records, i)), example.index.records()[i]);
  }
  ASSERT_EQ(header->runs.count, 8U);
  std::uint32_t first_entry = 0;
  LogId before{};
  for (std::uint32_t i = 0; i < header->runs.count; ++i) {
    const RunView run = decode_run(entry_at(file, header->runs, i));
    const LogRun* const original = example.index.run_of(run.log);
    ASSERT_NE(original, nullptr);
    EXPECT_LT(before, run.log);
    before = run.log;
    EXPECT_EQ(run.first, original->first);
    EXPECT_EQ(run.count, original->records.size());
    EXPECT_EQ(run.owned_count, original->owned_count);
    EXPECT_EQ(run.owned_bytes, original->owned_bytes);
    EXPECT_EQ(run.has_foreign, run.log == LogId{9});
    EXPECT_EQ(run.first_entry, first_entry);
    for (std::uint32_t n = 0; n < run.count; ++n) {
      ASSERT_EQ(decode_run_entry(entry_at(file, header->run_entries, first_entry + n)),
                original->records[n]);
    }
    first_entry += run.count;
  }
}

TEST(IndexCodec, KeysAreSortedByHashAndRecord) {
  const Example example(900);
  const auto file = encode_index(1, example.summary, example.index);
  const auto header = decode_index_header(block_at(file, 0));
  ASSERT_TRUE(header);
  ASSERT_EQ(header->keys.count, 300U);
  std::size_t found = 0;
  KeyEntry before;
  for (std::uint32_t i = 0; i < header->keys.count; ++i) {
    const KeyEntry key = decode_key(entry_at(file, header->keys, i));
    EXPECT_LE(before, key);
    before = key;
    if (key.hash == hash_of_key("key 6")) ++found;
  }
  EXPECT_EQ(found, 30U);
}

TEST(IndexCodec, NoticesAnyFlippedByteOfABlock) {
  const Example example(20);
  auto file = encode_index(1, example.summary, example.index);
  for (std::size_t i = 0; i < file.size(); i += 3) {
    file[i] ^= std::byte{0x08};
    const auto block = static_cast<std::uint32_t>(i / kIndexBlockBytes);
    EXPECT_FALSE(verify_index_block(block_at(file, block), 1, block)) << i;
    file[i] ^= std::byte{0x08};
  }
}

TEST(IndexCodec, ABlockOfAnotherSegmentOrPlaceIsNoneOfThis) {
  const Example example(2000);
  const auto file = encode_index(1, example.summary, example.index);
  EXPECT_TRUE(verify_index_block(block_at(file, 2), 1, 2));
  EXPECT_FALSE(verify_index_block(block_at(file, 2), 2, 2));
  EXPECT_FALSE(verify_index_block(block_at(file, 2), 1, 3));
}

TEST(IndexCodec, ADroppedLogHasNoRun) {
  Example example(100);
  example.index.remove_run(LogId{3});
  const auto file = encode_index(1, example.summary, example.index);
  const auto header = decode_index_header(block_at(file, 0));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->runs.count, 7U);
  for (std::uint32_t i = 0; i < header->runs.count; ++i) {
    EXPECT_NE(decode_run(entry_at(file, header->runs, i)).log, LogId{3});
  }
}

TEST(IndexCodec, HashesKeysAsTheFormatSays) {
  // FNV-1a of nothing is its offset basis 0xCBF29CE484222325; the rest is fmix64 of that.
  EXPECT_EQ(hash_of_key(""), 0xEFD0'1F60'BA99'2926U);
}

// --- checkpoints ---------------------------------------------------------------------------------

namespace {

struct Collected {
  std::vector<KeyValue> keys;
  std::vector<CheckpointLog> logs;

  [[nodiscard]] CheckpointDecoder::Visitor visitor() {
    return {.on_key =
                [this](Bytes key, Bytes value) {
                  keys.push_back({.key = std::move(key), .value = std::move(value)});
                },
            .on_log = [this](const CheckpointLog& log) { logs.push_back(log); }};
  }
};

constexpr CheckpointHeader kHeader{
    .start_segment = 4, .start = Sequence{40}, .created_at = UnixMillis{5}, .salt = 6};
const std::vector<KeyValue> kKeys{{"a", ""}, {"b", std::string(1000, 'v')}};
constexpr CheckpointLog kLogEntry{.id = LogId{1},
                                  .floor = Offset{2},
                                  .next = Offset{3},
                                  .live_from = Position{4},
                                  .last_position = Position{5}};
constexpr CheckpointEnd kEnd{.end = Sequence{50},
                             .drop_floor = Position{2},
                             .last_position = Position{9},
                             .last_stored_at = UnixMillis{8},
                             .key_count = 2,
                             .log_count = 1};

/// Header, keys, logs, end.
std::vector<std::string> pieces() {
  CheckpointEncoder encoder;
  std::vector<std::string> all;
  all.push_back(encoder.header(kHeader));
  all.push_back(encoder.keys(kKeys));
  all.push_back(encoder.logs({kLogEntry}));
  all.push_back(encoder.end(kEnd));
  return all;
}

/// Whether all of it is right.
bool is_right(const std::vector<std::string>& all) {
  CheckpointDecoder decoder;
  Collected collected;
  if (!decoder.header(as_bytes(all.front()))) return false;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (!decoder.chunk(as_bytes(all[i]), collected.visitor())) return false;
  }
  return decoder.end().has_value();
}

}  // namespace

TEST(CheckpointCodec, ReadsBackAllThatItWrote) {
  const auto all = pieces();
  CheckpointDecoder decoder;
  Collected collected;
  EXPECT_EQ(decoder.header(as_bytes(all[0])), kHeader);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_FALSE(decoder.end());
    EXPECT_EQ(CheckpointDecoder::chunk_bytes(as_bytes(all[i]).first(kChunkHeadBytes)),
              all[i].size());
    ASSERT_TRUE(decoder.chunk(as_bytes(all[i]), collected.visitor()));
  }
  EXPECT_EQ(collected.keys, kKeys);
  EXPECT_EQ(collected.logs, std::vector<CheckpointLog>{kLogEntry});
  EXPECT_EQ(decoder.end(), kEnd);
}

TEST(CheckpointCodec, NoticesAnyFlippedByte) {
  const auto all = pieces();
  ASSERT_TRUE(is_right(all));
  for (std::size_t piece = 0; piece < all.size(); ++piece) {
    for (std::size_t i = 0; i < all[piece].size(); ++i) {
      auto damaged = all;
      damaged[piece][i] = static_cast<char>(damaged[piece][i] ^ 0x20);
      EXPECT_FALSE(is_right(damaged)) << piece << ", " << i;
    }
  }
}

TEST(CheckpointCodec, NoticesChunksThatAreMissingSwappedOrOfAnotherCheckpoint) {
  auto all = pieces();
  EXPECT_FALSE(is_right({all[0], all[2], all[3]}));
  EXPECT_FALSE(is_right({all[0], all[2], all[1], all[3]}));
  EXPECT_FALSE(is_right({all[0], all[1], all[2]}));
  CheckpointEncoder other;
  static_cast<void>(other.header(
      {.start_segment = 4, .start = Sequence{40}, .created_at = UnixMillis{5}, .salt = 7}));
  all[1] = other.keys(kKeys);
  EXPECT_FALSE(is_right(all));
}

}  // namespace sluice::append_log
