#include <gmock/gmock.h>

#include "common/base/metrics.hpp"
#include "storage-plugins/append-log/checkpoint_codec.hpp"
#include "storage-plugins/append-log/segment_codec.hpp"
#include "storage-plugins/spi/conformance/workload.hpp"
#include "tests/unit/append_log/log_store.hpp"

namespace sluice::append_log {

using fault_disk::Call;
using fault_disk::FaultDisk;
using fault_disk::PowerLoss;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Three commits of different sizes, one frame each.
void commit_three(Store& store, Durability durability) {
  must(store.commit(appending({kLog}, "first"), durability));
  storage::WriteBatch second = appending({kLog, kOther}, std::string(5000, '2'), 1, {"key"});
  second.put("k", "v");
  must(store.commit(std::move(second), durability));
  must(store.commit(appending({kLog}, std::string(300, '3')), durability));
}

std::uint64_t torn_tails() {
  return metrics::counter("sluice_log_torn_tails_total", "", "").value();
}

}  // namespace

TEST(LogRecovery, ATailTornAtAnyByteLeavesTheCommitsBeforeIt) {
  Store store(log_engine());
  commit_three(store, Durability::buffered);
  const auto base = store.disk().process_crash();
  const auto segment = bytes_of(*base, file_of_segment(1));
  const auto frames = frame_bounds(segment);
  ASSERT_EQ(frames.size(), 4U);
  for (std::uint64_t cut = frames.front(); cut < frames.back(); cut += 1 + cut % 7) {
    SCOPED_TRACE("cut at " + std::to_string(cut));
    store.continue_on(base->process_crash());
    overwrite(store.disk(), file_of_segment(1), cut,
              std::vector<std::byte>(frames.back() - cut, std::byte{0}));
    store.open();
    // A frame whose last bytes were zeros anyway is whole.
    const auto left = static_cast<std::uint64_t>(
        std::ranges::count_if(frames, [&](std::uint64_t end) { return end <= cut; }) - 1);
    ASSERT_GE(store.sequence().value, left);
    ASSERT_LE(store.sequence().value, left + 1);
    const auto survived = static_cast<std::int64_t>(store.sequence().value);
    EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{0}, Offset{survived}}));
    EXPECT_EQ(payloads(store, kLog).size(), static_cast<std::size_t>(survived));
    EXPECT_EQ(store.get("k").has_value(), survived >= 2);
  }
}

TEST(LogRecovery, ATornTailIsCounted) {
  Store store(log_engine());
  commit_three(store, Durability::buffered);
  store.process_crash();
  const auto frames = frame_bounds(bytes_of(store.disk(), file_of_segment(1)));
  store.disk().flip_byte(file_of_segment(1), frames[1] + 100);
  const std::uint64_t before = torn_tails();
  store.open();
  EXPECT_EQ(torn_tails(), before + 1);
  store.process_crash();
  store.open();
  EXPECT_EQ(torn_tails(), before + 1) << "it was cleaned up";
}

TEST(LogRecovery, WhatATornTailLeftBehindNeverComesBack) {
  Store store(log_engine());
  for (const char* text : {"a", "b", "c"}) must(store.commit(appending({kLog}, text)));
  store.process_crash();
  // The head of the second frame never reached the disk; the third did.
  const auto frames = frame_bounds(bytes_of(store.disk(), file_of_segment(1)));
  overwrite(store.disk(), file_of_segment(1), frames[1],
            std::vector<std::byte>(kFrameHeaderBytes, std::byte{0}));
  store.open();
  ASSERT_THAT(payloads(store, kLog), ElementsAre("a"));
  // The same commit at the same time: byte for byte the frame that was lost.
  must(store.commit(appending({kLog}, "b"), Durability::synced));
  for (int i = 0; i < 2; ++i) {
    store.process_crash();
    store.open();
    EXPECT_THAT(payloads(store, kLog), ElementsAre("a", "b"));
    EXPECT_EQ(store.sequence(), Sequence{2});
  }
}

TEST(LogRecovery, AnyFlippedByteOfTheSegmentThatWasOpenIsReported) {
  Store store(log_engine());
  commit_three(store, Durability::synced);
  must(store.close());
  const auto base = store.disk().process_crash();
  const auto frames = frame_bounds(bytes_of(*base, file_of_segment(1)));
  for (std::uint64_t at = 0; at < frames.back(); ++at) {
    store.continue_on(base->process_crash());
    store.disk().flip_byte(file_of_segment(1), at);
    const auto opened = store.try_open();
    ASSERT_FALSE(opened.has_value()) << at;
    ASSERT_EQ(opened.error().code, Errc::corrupt_record) << at;
    EXPECT_THAT(opened.error().text, HasSubstr(file_of_segment(1).string()));
    EXPECT_THAT(opened.error().text, HasSubstr("at offset "));
  }
}

TEST(LogRecovery, DamageToASyncedCommitIsToldFromATornTailAfterACrash) {
  Store store(log_engine());
  commit_three(store, Durability::synced);
  must(store.commit(appending({kLog}, "buffered")));
  store.process_crash();
  const auto frames = frame_bounds(bytes_of(store.disk(), file_of_segment(1)));
  store.disk().flip_byte(file_of_segment(1), frames[1] + 90);
  const auto files = store.disk().files();
  const auto opened = store.try_open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::corrupt_record);
  EXPECT_THAT(opened.error().text, HasSubstr("at offset " + std::to_string(frames[1])));
  EXPECT_EQ(store.disk().files(), files) << "a refused store is left alone";
}

TEST(LogRecovery, AFrameInsideAPayloadIsNotTakenForOne) {
  Store store(log_engine());
  must(store.commit(appending({kLog}, "a")));
  // What a client might send: a frame of this segment that claims that much was synced.
  std::vector<std::byte> forged(128);
  FrameEncoder frame(forged);
  frame.drop_log(LogId{1});
  frame.finish({.sequence = Sequence{1000}, .synced = Sequence{999}, .generation = 1}, 0);
  std::string payload(6000, '.');
  for (std::size_t i = 0; i < 8; ++i) {
    payload.replace(1000 + i * (forged.size() + 1), forged.size(), as_text(forged));
  }
  must(store.commit(appending({kLog}, payload)));
  store.process_crash();
  const auto frames = frame_bounds(bytes_of(store.disk(), file_of_segment(1)));
  overwrite(store.disk(), file_of_segment(1), frames[1], std::vector<std::byte>(512));
  store.open();
  EXPECT_THAT(payloads(store, kLog), ElementsAre("a"));
}

TEST(LogRecovery, ALaterVersionsOperationIsRefusedAndNotCutOff) {
  Store store(log_engine());
  must(store.commit(appending({kLog}, "a")));
  store.process_crash();
  auto segment = bytes_of(store.disk(), file_of_segment(1));
  const auto header = decode_segment_header(segment);
  const auto end = frame_bounds(segment).back();
  std::vector<std::byte> later(128);
  FrameEncoder frame(later);
  frame.drop_log(LogId{8});
  later[kFrameHeaderBytes] = static_cast<std::byte>(OperationCode::rewind);
  const auto last_crc = load_big_endian<std::uint32_t>(segment.data() + kSegmentHeaderBytes + 60);
  frame.finish({.sequence = Sequence{2}, .generation = 1, .previous_crc = last_crc},
               header->header.salt);
  overwrite(store.disk(), file_of_segment(1), end, later);
  const auto opened = store.try_open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().text, HasSubstr("later version"));
}

TEST(LogRecovery, AMissingSegmentThatWasSyncedIsReported) {
  Store store(log_engine());
  for (int i = 0; i < 60; ++i) {
    must(store.commit(appending({kLog}, std::string(5000, 'x')), Durability::synced));
  }
  must(store.close());
  std::uint64_t newest = 0;
  for (const auto& [path, size] : store.disk().files()) {
    const auto name = parse_file_name(path.filename());
    if (name && name->kind == FileKind::checkpoint) newest = name->number;
  }
  ASSERT_GT(newest, 1U);
  must(store.disk().remove(file_of_segment(newest)));
  const auto opened = store.try_open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::corrupt_record);
}

TEST(LogRecovery, AMissingSegmentBelowTheCheckpointIsReportedIfSomethingInItLives) {
  Store store(log_engine());
  for (int i = 0; i < 60; ++i) must(store.commit(appending({kLog}, std::string(5000, 'x'))));
  must(store.close());
  must(store.disk().remove(file_of_segment(2)));
  const auto opened = store.try_open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::corrupt_record);
  EXPECT_THAT(opened.error().text, HasSubstr(file_of_segment(2).string()));
}

TEST(LogRecovery, ReplayOfEverythingGivesWhatCheckpointAndIndexesGive) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Store store(log_engine({{"segment_bytes", "1048576"}}));
    storage::conformance::Promised promised;
    storage::conformance::Workload(seed).run(store, promised);
    must(store.close());
    // Without retirement the log alone says all.
    std::uint64_t removed = 0;
    for (const auto& [path, size] : store.disk().files()) {
      const auto name = parse_file_name(path.filename());
      const bool is_derived =
          name && (name->kind == FileKind::checkpoint || name->kind == FileKind::index);
      if (!is_derived) continue;
      must(store.disk().remove(path));
      ++removed;
    }
    EXPECT_GT(removed, 0U);
    store.open();
    EXPECT_EQ(storage::conformance::check_survivors(store, promised.reference,
                                                    promised.reference.sequence()),
              "");
  }
}

TEST(LogRecovery, ACheckpointMayListALogTwice) {
  // A log that is dropped and made again while a checkpoint is written can get a later slot.
  Store store(log_engine());
  for (const char* text : {"a", "b", "c"}) must(store.commit(appending({kLog}, text)));
  must(store.commit(storage::conformance::dropping(kLog)));
  must(store.commit(appending({kLog}, "d")));
  must(store.close());
  const auto path = checkpoint_path(Store::kDirectory, 1);
  const auto written = bytes_of(store.disk(), path);
  CheckpointDecoder decoder;
  const auto header = decoder.header(written);
  ASSERT_TRUE(header.has_value());
  std::vector<CheckpointLog> logs;
  const CheckpointDecoder::Visitor visitor{
      .on_key = [](Bytes, Bytes) {},
      .on_log = [&](const CheckpointLog& log) { logs.push_back(log); }};
  for (std::size_t at = kCheckpointHeaderBytes; !decoder.end();) {
    const BytesView rest = BytesView(written).subspan(at);
    const std::size_t size = CheckpointDecoder::chunk_bytes(rest).value();
    must(decoder.chunk(rest.first(size), visitor));
    at += size;
  }
  ASSERT_EQ(logs.size(), 1U);
  CheckpointLog old = logs[0];
  old.next = Offset{3};
  CheckpointEnd end = *decoder.end();
  end.log_count = 2;
  CheckpointEncoder encoder;
  std::string bytes = encoder.header(*header);
  bytes += encoder.logs({old});
  bytes += encoder.logs(logs);
  bytes += encoder.end(end);
  must(store.disk().remove(path));
  const auto file = must(store.disk().open(path, OpenMode::create));
  must(file->write_at(0, as_bytes(bytes)));
  store.open();
  EXPECT_THAT(payloads(store, kLog), ElementsAre("d"));
  must(store.commit(appending({kLog}, "e")));
  EXPECT_THAT(payloads(store, kLog), ElementsAre("d", "e"));
}

TEST(LogRecovery, AStoreThatNobodyWritesToIsNotWrittenTo) {
  Store store(log_engine({}));
  must(store.close());
  store.open();
  EXPECT_LE(store.disk().used_bytes(), 2 * 4096U) << "a lock and a mark";
  const std::uint64_t writes = store.disk().count_of(Call::write);
  must(store.close());
  EXPECT_EQ(store.disk().count_of(Call::write), writes);
}

}  // namespace sluice::append_log
