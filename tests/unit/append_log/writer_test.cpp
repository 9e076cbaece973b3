#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "storage-plugins/append-log/bounds.hpp"
#include "storage-plugins/append-log/settings.hpp"
#include "storage-plugins/append-log/write_block.hpp"
#include "storage-plugins/spi/conformance/workload.hpp"
#include "tests/unit/append_log/log_store.hpp"

namespace sluice::append_log {

using fault_disk::Call;
using fault_disk::PowerLoss;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Fails the next write after `percent` of it reached the file.
void fail_next_write(Store& store, std::size_t bytes_done, Errc error) {
  store.disk().inject(
      {.call = Call::write, .error = error, .bytes_done = bytes_done, .extension = ".seg"});
}

}  // namespace

TEST(LogWriter, ACommitThatCouldNotBeWrittenDoesNotComeToLife) {
  for (const Errc error : {Errc::storage_full, Errc::io_error}) {
    for (const std::size_t bytes_done : {0U, 100U, 3000U, 100'000U}) {
      SCOPED_TRACE(bytes_done);
      Store store(log_engine());
      must(store.commit(appending({kLog}, "before"), Durability::synced));
      fail_next_write(store, bytes_done, error);
      const auto failed = store.commit(appending({kLog}, std::string(3000, 'x')));
      ASSERT_EQ(test::error_of(failed), error);
      EXPECT_EQ(store.sequence(), Sequence{1});
      EXPECT_EQ(store.bounds(kLog).next, Offset{1});
      store.power_loss(bytes_done, PowerLoss::keep_some_sectors);
      store.open();
      EXPECT_THAT(payloads(store, kLog), ElementsAre("before"));
      must(store.commit(appending({kLog}, "after")));
      EXPECT_THAT(payloads(store, kLog), ElementsAre("before", "after"));
    }
  }
}

TEST(LogWriter, NothingOfARoundThatCouldNotBeWrittenStays) {
  Store store(log_engine());
  must(store.commit(appending({kLog}, "before")));
  const std::uint64_t end = frame_bounds(bytes_of(store.disk(), file_of_segment(1))).back();
  fail_next_write(store, 100'000, Errc::io_error);
  ASSERT_EQ(test::error_of(store.commit(appending({kLog}, std::string(3000, 'x')))),
            Errc::io_error);
  const auto segment = bytes_of(store.disk(), file_of_segment(1));
  EXPECT_TRUE(std::ranges::all_of(BytesView(segment).subspan(end),
                                  [](std::byte it) { return it == std::byte{0}; }));
}

TEST(LogWriter, TheFirstCommitOfASegmentMayFailToo) {
  Store store(log_engine());
  fail_next_write(store, 5000, Errc::storage_full);
  ASSERT_EQ(test::error_of(store.commit(appending({kLog}, std::string(3000, 'x')))),
            Errc::storage_full);
  store.process_crash();
  store.open();
  EXPECT_EQ(store.sequence(), Sequence{0});
  must(store.commit(appending({kLog}, "m")));
  EXPECT_THAT(payloads(store, kLog), ElementsAre("m"));
}

TEST(LogWriter, ASegmentWhoseFirstCommitFailedLeavesNoGapWhenTheNextIsTooLargeForIt) {
  Store store(log_engine({{"segment_bytes", "16384"}}));
  for (int i = 0; i < 6; ++i) must(store.commit(appending({kLog}, std::string(2000, 's'))));
  // The next one does not fit, and begins a segment.
  fail_next_write(store, 100, Errc::storage_full);
  ASSERT_EQ(test::error_of(store.commit(appending({kLog}, std::string(3000, 'x')))),
            Errc::storage_full);
  must(store.commit(appending({kLog}, std::string(100'000, 'L'))));
  for (int i = 0; i < 10; ++i) must(store.commit(appending({kLog}, std::string(3000, 's'))));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(payloads(store, kLog).size(), 17U);
    store.process_crash();
    store.open();
    store.reopen();
  }
}

TEST(LogWriter, LaterCommitsAreTriedAgainAfterAFailedOne) {
  Store store(log_engine());
  fail_next_write(store, 64, Errc::storage_full);
  EXPECT_EQ(test::error_of(store.commit(appending({kLog}, "lost"))), Errc::storage_full);
  const auto receipt = must(store.commit(appending({kLog}, "kept"), Durability::synced));
  EXPECT_EQ(receipt.sequence, Sequence{1});
  EXPECT_THAT(receipt.appended.at(0).offsets, ElementsAre(Offset{0}));
}

TEST(LogWriter, AFullDiskCanStillBeToldWhatToForget) {
  Store store(log_engine());
  for (int i = 0; i < 30; ++i) must(store.commit(appending({kLog}, std::string(5000, 'x'))));
  store.disk().set_capacity(store.disk().used_bytes());
  Offset next{30};
  for (; next.value < 1000; ++next) {
    const auto answer = store.commit(appending({kLog}, std::string(5000, 'x')));
    if (!answer) break;
  }
  ASSERT_EQ(test::error_of(store.commit(appending({kLog}, std::string(5000, 'x')))),
            Errc::storage_full);
  must(store.commit(storage::conformance::truncating(kLog, next)));
  // What is retired is used again: the disk is as full as before.
  ASSERT_TRUE(test::wait_until(
      [&] { return store.commit(appending({kLog}, std::string(5000, 'x'))).has_value(); }));
}

TEST(LogWriter, ExpectationsSeeTheCommitsBeforeThemInTheSameRound) {
  Store store(log_engine());
  // All are begun before the first is written: one loop, one round.
  constexpr int kCount = 50;
  std::vector<std::future<Result<storage::CommitReceipt>>> futures;
  store.disk().hold(Call::write);
  for (int i = 0; i < kCount; ++i) {
    storage::WriteBatch batch;
    batch.expect("counter", i == 0 ? std::nullopt : std::optional(std::to_string(i)));
    batch.put("counter", std::to_string(i + 1));
    futures.push_back(test::start(store.runtime().loop(0),
                                  store.engine().commit(std::move(batch), Durability::buffered)));
  }
  store.disk().release(Call::write);
  for (auto& future : futures) must(test::wait_for_result(std::move(future)));
  EXPECT_EQ(store.get("counter"), std::to_string(kCount));
}

TEST(LogWriter, OneRoundIsOneWrite) {
  Store store(log_engine({}));
  must(store.commit(putting("a", "b")));
  ASSERT_TRUE(test::wait_until([&] { return store.disk().count_of(Call::allocate) >= 2; }));
  const std::uint64_t before = store.disk().count_of(Call::write);
  store.disk().hold(Call::write);
  std::vector<std::future<Result<storage::CommitReceipt>>> futures;
  for (int i = 0; i < 40; ++i) {
    futures.push_back(
        test::start(store.runtime().loop(0),
                    store.engine().commit(appending({kLog}, "m"), Durability::buffered)));
  }
  store.disk().release(Call::write);
  for (auto& future : futures) must(test::wait_for_result(std::move(future)));
  EXPECT_LE(store.disk().count_of(Call::write) - before, 40U);
  EXPECT_EQ(store.bounds(kLog).next, Offset{40});
}

TEST(LogWriter, ALoopThatWritesForAnotherLetsItsOwnWorkIn) {
  Store store(log_engine({}));
  must(store.commit(appending({kLog}, "first")));
  store.disk().hold(Call::write);
  auto begun = test::start(store.runtime().loop(0),
                           store.engine().commit(appending({kLog}, "m"), Durability::buffered));
  ASSERT_TRUE(test::wait_until([&] { return store.disk().held_count(Call::write) == 1; }));
  // Loop 0 writes, and another commit of this size does not fit into a round.
  const std::string large(WriteBlock::kBytes, 'L');
  constexpr int kCount = 40;
  std::vector<std::future<Result<storage::CommitReceipt>>> futures;
  for (int i = 0; i < kCount; ++i) {
    futures.push_back(
        test::start(store.runtime().loop(1),
                    store.engine().commit(appending({kLog}, large), Durability::buffered)));
  }
  for (int i = 0; i < 3; ++i) {
    boost::asio::post(store.runtime().loop(1), boost::asio::use_future).get();
  }
  auto seen =
      boost::asio::post(store.runtime().loop(0),
                        boost::asio::use_future([&] { return store.engine().sequence().value; }));
  store.disk().release(Call::write);
  EXPECT_LE(seen.get(), 2 + kRoundsPerTurn);
  must(test::wait_for_result(std::move(begun)));
  for (auto& future : futures) must(test::wait_for_result(std::move(future)));
  EXPECT_EQ(store.bounds(kLog).next, Offset{2 + kCount});
}

TEST(LogWriter, ACommitThatWaitsForASyncHoldsNoPayload) {
  Store store(log_engine());
  must(store.commit(appending({kLog}, "first")));
  const Slice payload = Slice::copy_of(std::string(3000, 'x'));
  storage::NewRecord record = storage::conformance::record({kLog}, "");
  record.payload = payload;
  storage::WriteBatch batch;
  batch.append(std::move(record));
  store.disk().hold(Call::sync);
  auto waiting = test::start(store.runtime().loop(0),
                             store.engine().commit(std::move(batch), Durability::synced));
  EXPECT_TRUE(test::wait_until([&] { return store.sequence() == Sequence{2}; }));
  EXPECT_TRUE(
      test::wait_until([&] { return !payload.owner()->is_shared(); }, std::chrono::seconds(10)));
  store.disk().release(Call::sync);
  must(test::wait_for_result(std::move(waiting)));
}

TEST(LogWriter, CommitsAreRefusedWhileTooManyBytesWaitToBeWritten) {
  Store store(log_engine({}));
  must(store.commit(appending({kLog}, "first")));
  const auto& refused = metrics::counter("sluice_log_commits_refused_total", "", "");
  const std::uint64_t refused_before = refused.value();
  const Slice payload = Slice::copy_of(std::string(limits::kRecordBytesMax, 'x'));
  constexpr int kFit = limits::kPendingCommitBytesMax / limits::kRecordBytesMax - 1;
  store.disk().hold(Call::write);
  std::vector<std::future<Result<storage::CommitReceipt>>> futures;
  for (int i = 0; i < kFit + 3; ++i) {
    storage::NewRecord record = storage::conformance::record({kLog}, "");
    record.payload = payload;
    storage::WriteBatch batch;
    batch.append(std::move(record));
    // The other loop is the one that writes.
    const auto loop = store.runtime().loop(i == 0 ? 0 : 1);
    futures.push_back(
        test::start(loop, store.engine().commit(std::move(batch), Durability::buffered)));
    if (i > 0) continue;
    ASSERT_TRUE(test::wait_until([&] { return store.disk().held_count(Call::write) == 1; }));
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(test::error_of(test::wait_for_result(std::move(futures.back()))),
              Errc::quota_exceeded);
    futures.pop_back();
  }
  EXPECT_EQ(refused.value(), refused_before + 3);
  store.disk().release(Call::write);
  for (auto& future : futures) must(test::wait_for_result(std::move(future)));
  EXPECT_EQ(store.bounds(kLog).next, Offset{1 + kFit});
  // All room was given back.
  for (int i = 0; i < 2 * kFit; ++i) must(store.commit(appending({kLog}, payload.text())));
}

TEST(LogSettings, AreRefusedByName) {
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"segment_size", "1"},
                                          {"segment_bytes", "100"},
                                          {"segment_bytes", "99999999999"},
                                          {"segment_bytes", "64M"},
                                          {"open_files_max", "-1"},
                                          {"index_cache_bytes", ""}}) {
    Store store(log_engine({{name, value}}), Store::Start::closed);
    const auto opened = store.try_open();
    ASSERT_EQ(test::error_of(opened), Errc::invalid_argument);
    EXPECT_THAT(opened.error().text, HasSubstr("'" + name + "'"));
  }
}

TEST(LogSettings, SegmentsAreWholePages) {
  EXPECT_EQ(parse_settings({{"segment_bytes", "20000"}})->segment_bytes, 20480U);
  EXPECT_EQ(parse_settings({})->segment_bytes, 64U * 1024 * 1024);
}

}  // namespace sluice::append_log
