#include <gmock/gmock.h>

#include <atomic>
#include <set>

#include "tests/unit/append_log/log_store.hpp"

namespace sluice::append_log {

namespace {

/// Lets others run on this loop: what is served from memory does not.
boost::asio::awaitable<void, Executor> yield() {
  const Executor executor = co_await boost::asio::this_coro::executor;
  co_await boost::asio::post(executor, kAwait);
}

constexpr int kWriters = 16;
constexpr int kCommits = 120;

Task<> write(storage::StorageEngine* engine, int id) {
  for (int i = 0; i < kCommits; ++i) {
    storage::WriteBatch batch =
        appending({LogId{1 + static_cast<std::uint64_t>(id % 4)}, LogId{9}},
                  std::to_string(id) + "/" + std::to_string(i) + std::string(700, '.'));
    batch.put("writer " + std::to_string(id), std::to_string(i));
    if (i % 25 == 24) batch.truncate_before(LogId{20}, Offset{0});
    const auto durability = i % 10 == 0 ? Durability::synced : Durability::buffered;
    const auto receipt = co_await engine->commit(std::move(batch), durability);
    SLUICE_CO_TRY(receipt);
    // Read what was just acknowledged, from whatever loop.
    const Offset offset = receipt->appended.at(0).offsets.at(0);
    const auto read = co_await engine->read(LogId{1 + static_cast<std::uint64_t>(id % 4)}, offset,
                                            {.records_max = 1}, {});
    SLUICE_CO_TRY(read);
    if (read->records.at(0).position != receipt->appended.at(0).position) {
      co_return fail(Errc::internal, "another record than the one that was appended");
    }
  }
  co_return Result<>{};
}

/// Reads log 9 from its begin to its end until all is there.
Task<> follow(storage::StorageEngine* engine) {
  Offset from{0};
  while (from < Offset{kWriters * kCommits}) {
    const auto result = co_await engine->read(LogId{9}, from, {.records_max = 100}, {});
    SLUICE_CO_TRY(result);
    for (const auto& record : result->records) {
      if (record.offset != from) co_return fail(Errc::internal, "a gap");
      ++from;
    }
    const auto bounds = co_await engine->bounds(LogId{9});
    SLUICE_CO_TRY(bounds);
    if (bounds->next < from) co_return fail(Errc::internal, "next is behind what was read");
    const auto usage = co_await engine->usage();
    SLUICE_CO_TRY(usage);
    co_await yield();
  }
  co_return Result<>{};
}

}  // namespace

TEST(LogConcurrency, WritersAndReadersOnTwoLoopsSeeOneHistory) {
  Store store(log_engine({{"segment_bytes", "131072"}, {"tail_cache_bytes", "2097152"}}));
  std::vector<std::future<Result<>>> futures;
  for (int id = 0; id < kWriters; ++id) {
    futures.push_back(test::start(store.runtime().loop(static_cast<std::uint32_t>(id) % 2),
                                  write(&store.engine(), id)));
  }
  for (std::uint32_t loop = 0; loop < 2; ++loop) {
    futures.push_back(test::start(store.runtime().loop(loop), follow(&store.engine())));
  }
  for (auto& future : futures) must(test::wait_for_result(std::move(future)));

  EXPECT_EQ(store.sequence(), Sequence{kWriters * kCommits});
  for (int i = 0; i < 2; ++i) {
    const auto all = payloads(store, LogId{9});
    ASSERT_EQ(all.size(), static_cast<std::size_t>(kWriters * kCommits));
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
    std::map<int, int> next;
    for (const std::string& text : all) {
      const int id = std::stoi(text);
      EXPECT_EQ(std::stoi(text.substr(text.find('/') + 1)), next[id]++);
    }
    store.process_crash();
    store.open();
  }
}

TEST(LogConcurrency, ForgettingWhileReadingGivesRecordsOrOutOfRange) {
  Store store(log_engine({{"segment_bytes", "65536"}, {"tail_cache_bytes", "0"}}));
  std::atomic<bool> is_over{false};
  const auto reader = [](storage::StorageEngine* engine, std::atomic<bool>* over) -> Task<> {
    while (!*over) {
      co_await yield();
      const auto bounds = co_await engine->bounds(kLog);
      SLUICE_CO_TRY(bounds);
      const auto read = co_await engine->read(kLog, bounds->first, {.records_max = 20}, {});
      if (!read && read.error().code != Errc::offset_out_of_range) co_return fail(read.error());
      if (!read) continue;
      Offset expected = bounds->first;
      for (const auto& record : read->records) {
        if (record.offset != expected) co_return fail(Errc::internal, "a hole in a plain log");
        if (record.payload.text() != std::to_string(expected.value) + std::string(2000, 'x')) {
          co_return fail(Errc::internal, "another record's bytes");
        }
        ++expected;
      }
    }
    co_return Result<>{};
  };
  std::vector<std::future<Result<>>> readers;
  for (std::uint32_t loop = 0; loop < 2; ++loop) {
    readers.push_back(test::start(store.runtime().loop(loop), reader(&store.engine(), &is_over)));
  }
  for (std::int64_t i = 0; i < 600; ++i) {
    storage::WriteBatch batch = appending({kLog}, std::to_string(i) + std::string(2000, 'x'));
    batch.truncate_before(kLog, Offset{std::max<std::int64_t>(i - 60, 0)});
    must(store.commit(std::move(batch)));
  }
  is_over = true;
  for (auto& future : readers) must(test::wait_for_result(std::move(future)));
}

}  // namespace sluice::append_log
