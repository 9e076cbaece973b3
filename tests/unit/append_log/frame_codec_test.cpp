#include "storage-plugins/append-log/frame_codec.hpp"

#include <gtest/gtest.h>

#include "common/base/checksum.hpp"
#include "storage-plugins/append-log/segment_codec.hpp"
#include "tests/unit/append_log/golden.hpp"
#include "tests/unit/append_log/hex.hpp"

namespace sluice::append_log {

using storage::LogId;
using storage::Offset;
using storage::Position;
using storage::Sequence;

namespace {

constexpr std::uint32_t kSalt = 0x5A175A17;
constexpr UnixMillis kTime{1'700'000'000'000};
constexpr std::uint32_t kHeaderCrc = 0x20D77617;

storage::WriteBatch golden_batch() {
  storage::NewRecord record;
  record.logs = {LogId{5}};
  record.tag_hash = 7;
  record.index_keys = {"k"};
  record.payload = Slice::copy_of("hi");
  storage::WriteBatch batch;
  batch.append(std::move(record));
  batch.put("a", "b");
  return batch;
}

std::vector<std::byte> encode_golden() {
  const storage::WriteBatch batch = golden_batch();
  std::vector<std::byte> bytes(frame_bytes_of(batch));
  FrameEncoder frame(bytes);
  const Offset offsets[] = {Offset{0}};
  const auto& append = std::get<storage::WriteBatch::Append>(batch.operations()[0]);
  frame.append(append.record, {.position = Position{1}, .stored_at = kTime, .offsets = offsets});
  frame.put("a", "b");
  frame.finish(
      {.sequence = Sequence{1}, .stored_at = kTime, .generation = 1, .previous_crc = kHeaderCrc},
      kSalt);
  return bytes;
}

/// A frame with every kind of operation.
std::vector<std::byte> every_operation() {
  std::vector<std::byte> bytes(1024);
  FrameEncoder frame(bytes);
  storage::NewRecord record;
  record.logs = {LogId{1}, LogId{2}};
  record.index_keys = {"", "key"};
  record.payload = Slice::copy_of("payload");
  const Offset offsets[] = {Offset{4}, Offset{9}};
  frame.append(record, {.position = Position{3}, .stored_at = kTime, .offsets = offsets});
  frame.put("key", "");
  frame.erase("gone");
  frame.erase_range("a", "");
  frame.truncate_before(LogId{1}, Offset{4});
  frame.drop_before(Position{2});
  frame.drop_log(LogId{8});
  const FrameHeader header =
      frame.finish({.sequence = Sequence{2}, .stored_at = kTime, .generation = 1}, kSalt);
  bytes.resize(header.frame_bytes);
  return bytes;
}

bool is_valid(BytesView bytes) {
  return std::holds_alternative<FrameHeader>(verify_frame(bytes, kSalt));
}

}  // namespace

// Long inputs are summed in several lanes at once; a byte at a time there is only one.
TEST(FrameCodec, TheChecksumOfAnyLengthIsThatOfItsBytesOneByOne) {
  std::vector<std::byte> bytes(8000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i >> 3U);
  std::uint32_t one_by_one = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_EQ(crc32c(BytesView(bytes).first(size)), one_by_one) << size;
    one_by_one = crc32c(BytesView(bytes).subspan(size, 1), one_by_one);
  }
}

TEST(FrameCodec, WritesTheExampleOfTheFormat) {
  EXPECT_EQ(encode_golden(), from_hex(kGoldenFrame));
}

TEST(FrameCodec, ReadsTheExampleOfTheFormat) {
  const auto bytes = from_hex(kGoldenFrame);
  const auto verified = verify_next_frame(
      bytes, {.sequence = Sequence{1}, .generation = 1, .previous_crc = kHeaderCrc, .salt = kSalt});
  ASSERT_TRUE(std::holds_alternative<FrameHeader>(verified));
  const auto& header = std::get<FrameHeader>(verified);
  EXPECT_EQ(header.frame_bytes, bytes.size());
  EXPECT_EQ(header.stored_at, kTime);
  EXPECT_EQ(header.operation_count, 2U);
  std::vector<OperationView> operations;
  visit_operations(bytes, header, [&](const OperationView& it) { operations.push_back(it); });
  ASSERT_EQ(operations.size(), 2U);
  const auto& append = std::get<AppendView>(operations[0]);
  EXPECT_EQ(append.position, Position{1});
  EXPECT_EQ(append.stored_at, kTime);
  EXPECT_EQ(append.tag_hash, 7U);
  ASSERT_EQ(append.log_count, 1U);
  EXPECT_EQ(append.log(0), (LogEntry{.log = LogId{5}, .offset = Offset{0}}));
  EXPECT_EQ(as_text(append.payload), "hi");
  EXPECT_EQ(append.begin, kFrameHeaderBytes);
  std::vector<std::string> keys;
  append.visit_index_keys([&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_EQ(keys, std::vector<std::string>{"k"});
  EXPECT_EQ(std::get<PutView>(operations[1]).key, "a");
  EXPECT_EQ(std::get<PutView>(operations[1]).value, "b");
}

TEST(FrameCodec, ReadsEveryOperationBack) {
  const auto bytes = every_operation();
  const auto verified = verify_frame(bytes, kSalt);
  ASSERT_TRUE(std::holds_alternative<FrameHeader>(verified));
  std::vector<OperationView> all;
  visit_operations(bytes, std::get<FrameHeader>(verified),
                   [&](const OperationView& it) { all.push_back(it); });
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(std::get<AppendView>(all[0]).log(1), (LogEntry{LogId{2}, Offset{9}}));
  EXPECT_EQ(std::get<AppendView>(all[0]).index_key_count, 2U);
  EXPECT_EQ(std::get<PutView>(all[1]).key, "key");
  EXPECT_EQ(std::get<EraseView>(all[2]).key, "gone");
  EXPECT_EQ(std::get<EraseRangeView>(all[3]).first, "a");
  EXPECT_EQ(std::get<EraseRangeView>(all[3]).last, "");
  EXPECT_EQ(std::get<TruncateBeforeView>(all[4]).keep_from, Offset{4});
  EXPECT_EQ(std::get<DropBeforeView>(all[5]).position, Position{2});
  EXPECT_EQ(std::get<DropLogView>(all[6]).log, LogId{8});
}

TEST(FrameCodec, NoticesAnyFlippedBit) {
  const auto frame = every_operation();
  for (std::size_t i = 0; i < frame.size() * 8; ++i) {
    auto damaged = frame;
    damaged[i / 8] ^= static_cast<std::byte>(1U << (i % 8));
    EXPECT_FALSE(is_valid(damaged)) << "bit " << i;
  }
}

TEST(FrameCodec, AsksForMoreOnEveryProperPrefix) {
  const auto frame = every_operation();
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const auto verified = verify_frame(BytesView(frame).first(size), kSalt);
    ASSERT_TRUE(std::holds_alternative<FrameError>(verified)) << size;
    EXPECT_EQ(std::get<FrameError>(verified), FrameError::incomplete) << size;
  }
}

TEST(FrameCodec, RefusesAFrameOfAnotherSaltSequenceGenerationOrChain) {
  const auto frame = from_hex(kGoldenFrame);
  const ExpectedFrame right{
      .sequence = Sequence{1}, .generation = 1, .previous_crc = kHeaderCrc, .salt = kSalt};
  const auto error_of = [&](ExpectedFrame expected) {
    const auto verified = verify_next_frame(frame, expected);
    const auto* error = std::get_if<FrameError>(&verified);
    return error == nullptr ? std::optional<FrameError>() : std::optional(*error);
  };
  EXPECT_EQ(error_of(right), std::nullopt);
  ExpectedFrame wrong = right;
  wrong.salt = 1;
  EXPECT_EQ(error_of(wrong), FrameError::damaged);
  wrong = right;
  wrong.sequence = Sequence{2};
  EXPECT_EQ(error_of(wrong), FrameError::not_next);
  wrong = right;
  wrong.generation = 2;
  EXPECT_EQ(error_of(wrong), FrameError::not_next);
  wrong = right;
  wrong.previous_crc = 0;
  EXPECT_EQ(error_of(wrong), FrameError::not_next);
}

TEST(FrameCodec, TellsAnUnknownOperationFromDamage) {
  std::vector<std::byte> bytes(256);
  FrameEncoder frame(bytes);
  frame.drop_log(LogId{8});
  bytes[kFrameHeaderBytes] = static_cast<std::byte>(OperationCode::forget);
  frame.finish({.sequence = Sequence{1}}, kSalt);
  const auto verified = verify_frame(bytes, kSalt);
  ASSERT_TRUE(std::holds_alternative<FrameError>(verified));
  EXPECT_EQ(std::get<FrameError>(verified), FrameError::unknown_code);
}

TEST(FrameCodec, RefusesSizesThatLie) {
  for (const std::uint32_t lie : {0U, 7U, 63U, 64U, 0x7FFF'FFFFU, 0xFFFF'FFFFU}) {
    for (const std::size_t at : {4U, 48U, 52U, 68U, 76U, 108U}) {
      auto frame = every_operation();
      if (load_big_endian<std::uint32_t>(frame.data() + at) == lie) continue;
      store_big_endian(frame.data() + at, lie);
      // As if its checksums were right: only the structure can tell.
      store_big_endian(frame.data() + 60,
                       frame_crc(frame,
                                 load_big_endian<std::uint32_t>(frame.data() + 52) <
                                         frame.size() - kFrameHeaderBytes
                                     ? load_big_endian<std::uint32_t>(frame.data() + 52)
                                     : 0,
                                 kSalt));
      EXPECT_FALSE(is_valid(frame)) << lie << " at " << at;
    }
  }
}

TEST(SegmentCodec, WritesTheExampleOfTheFormat) {
  const SegmentHeader header{.number = 1,
                             .previous_crc = 0,
                             .first_sequence = Sequence{1},
                             .created_at = kTime,
                             .salt = kSalt};
  std::vector<std::byte> page(kSegmentHeaderBytes);
  EXPECT_EQ(encode_segment_header(header, page), kHeaderCrc);
  const auto golden = from_hex(kGoldenSegmentHeader);
  ASSERT_EQ(golden.size(), 48U);
  std::vector<std::byte> half(kSegmentHeaderBytes / 2);
  std::copy_n(golden.begin(), 44, half.begin());
  std::copy_n(golden.begin() + 44, 4, half.end() - 4);
  EXPECT_TRUE(std::equal(half.begin(), half.end(), page.begin()));
  EXPECT_TRUE(std::equal(half.begin(), half.end(), page.begin() + kSegmentHeaderBytes / 2));
}

TEST(SegmentCodec, NoticesAnyFlippedByteAndStillKnowsTheHeader) {
  SegmentHeader header{.number = 3,
                       .previous_crc = 5,
                       .first_sequence = Sequence{77},
                       .created_at = kTime,
                       .salt = 9};
  std::vector<std::byte> page(kSegmentHeaderBytes);
  header.crc = encode_segment_header(header, page);
  const auto whole = decode_segment_header(page);
  ASSERT_TRUE(whole && whole->is_whole);
  EXPECT_EQ(whole->header, header);
  for (std::size_t i = 0; i < page.size(); ++i) {
    page[i] ^= std::byte{0x40};
    const auto decoded = decode_segment_header(page);
    ASSERT_TRUE(decoded) << i;
    EXPECT_FALSE(decoded->is_whole) << i;
    EXPECT_EQ(decoded->header, header) << i;
    page[i] ^= std::byte{0x40};
  }
}

TEST(SegmentCodec, APageOfZerosIsNoHeader) {
  EXPECT_FALSE(decode_segment_header(std::vector<std::byte>(kSegmentHeaderBytes)));
  EXPECT_FALSE(decode_segment_header({}));
}

}  // namespace sluice::append_log
