#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <set>

#include <boost/asio/post.hpp>

#include "storage-plugins/spi/conformance/suites.hpp"

namespace sluice::storage::conformance {

namespace {

constexpr int kCoroutines = 8;
constexpr int kCommitsEach = 40;

tl::unexpected<Error> violation(std::string text) {
  return fail(Errc::internal, std::move(text));
}

std::string name_of(int coroutine, int commit) {
  return std::to_string(coroutine) + "/" + std::to_string(commit);
}

/// Lets the others on this loop run: an engine need not suspend.
boost::asio::awaitable<void, Executor> let_others_run() {
  const Executor executor = co_await boost::asio::this_coro::executor;
  co_await boost::asio::post(executor, kAwait);
}

/// Receipts of all coroutines.
struct Receipts {
  void add(CommitReceipt receipt) {
    const std::lock_guard lock(mutex);
    all.push_back(std::move(receipt));
  }

  std::mutex mutex;
  std::vector<CommitReceipt> all;
};

/// Commits one record after another, and reads each back at once.
Task<> commit_and_read(StorageEngine* engine, Receipts* receipts, int id, Durability durability) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  Offset last{-1};
  for (int i = 0; i < kCommitsEach; ++i) {
    co_await let_others_run();
    WriteBatch batch = appending({kLog}, name_of(id, i));
    batch.put("last of " + std::to_string(id), std::to_string(i));
    auto receipt = co_await engine->commit(std::move(batch), durability);
    SLUICE_CO_TRY(receipt);
    if (!executor.running_in_this_thread()) co_return violation("resumed on another loop");
    const Offset offset = receipt->appended.at(0).offsets.at(0);
    if (offset <= last) co_return violation("offsets of one writer go back");
    last = offset;

    auto bounds = co_await engine->bounds(kLog);
    SLUICE_CO_TRY(bounds);
    if (bounds->next <= offset) co_return violation("a completed commit is not in the bounds");
    const ReadLimits one{.records_max = 1};
    auto read = co_await engine->read(kLog, offset, one, {});
    SLUICE_CO_TRY(read);
    if (read->records.at(0).payload.text() != name_of(id, i)) {
      co_return violation("another record stands at the offset of a completed commit");
    }
    auto value = co_await engine->get("last of " + std::to_string(id));
    SLUICE_CO_TRY(value);
    if (*value != std::to_string(i)) co_return violation("a completed put is not read");
    if (engine->sequence() < receipt->sequence) co_return violation("sequence() is behind");
    receipts->add(*std::move(receipt));
  }
  co_return Result<>{};
}

/// Puts one value under two keys and in two logs, again and again.
Task<> commit_pairs(StorageEngine* engine, std::atomic<bool>* is_over) {
  for (int i = 1; i <= 200; ++i) {
    co_await let_others_run();
    WriteBatch batch = appending({kLog, kOther}, std::to_string(i));
    batch.put("pair a", std::to_string(i));
    batch.put("pair b", std::to_string(i));
    const auto receipt = co_await engine->commit(std::move(batch), Durability::buffered);
    SLUICE_CO_TRY(receipt);
  }
  is_over->store(true);
  co_return Result<>{};
}

Task<> read_pairs(StorageEngine* engine, std::atomic<bool>* is_over) {
  int last = 0;
  while (!is_over->load()) {
    co_await let_others_run();
    const auto pair = co_await engine->scan("pair", "pais", 10);
    SLUICE_CO_TRY(pair);
    if (pair->empty()) continue;
    if (pair->size() != 2 || (*pair)[0].value != (*pair)[1].value) {
      co_return violation("half a batch");
    }
    const int seen = std::stoi((*pair)[0].value);
    if (seen < last) co_return violation("a later read sees an earlier state");
    last = seen;
    for (const LogId log : {kLog, kOther}) {
      const auto bounds = co_await engine->bounds(log);
      SLUICE_CO_TRY(bounds);
      if (bounds->next.value < seen) co_return violation("a record comes after its batch's key");
    }
  }
  co_return Result<>{};
}

Task<> read_without_gaps(StorageEngine* engine, std::atomic<bool>* is_over) {
  while (!is_over->load()) {
    co_await let_others_run();
    const auto bounds = co_await engine->bounds(kLog);
    SLUICE_CO_TRY(bounds);
    const ReadLimits all{.records_max = 1000};
    const auto read = co_await engine->read(kLog, Offset{0}, all, {});
    SLUICE_CO_TRY(read);
    if (read->next < bounds->next) co_return violation("a read has less than the bounds before it");
    for (std::size_t i = 0; i < read->records.size(); ++i) {
      const Record& it = read->records[i];
      const auto number = static_cast<std::int64_t>(i);
      if (it.offset != Offset{number}) co_return violation("a record without those below it");
      if (it.payload.text() != std::to_string(number + 1)) co_return violation("a wrong payload");
    }
  }
  co_return Result<>{};
}

/// Adds one to a number under `key`, as often as asked, against others who do the same.
Task<> count_up(StorageEngine* engine, int times) {
  for (int done = 0; done < times;) {
    const auto before = co_await engine->get("counter");
    SLUICE_CO_TRY(before);
    co_await let_others_run();
    const int number = *before ? std::stoi(**before) : 0;
    WriteBatch batch;
    batch.expect("counter", *before);
    batch.put("counter", std::to_string(number + 1));
    const auto receipt = co_await engine->commit(std::move(batch), Durability::buffered);
    if (receipt) {
      ++done;
    } else if (receipt.error().code != Errc::conflict) {
      co_return fail(receipt.error());
    }
  }
  co_return Result<>{};
}

/// Again and again while the engine says that too much waits.
Task<> commit_large(StorageEngine* engine, Slice payload, Durability durability) {
  while (true) {
    NewRecord it = record({kLog}, "");
    it.payload = payload;
    WriteBatch batch;
    batch.append(std::move(it));
    const auto receipt = co_await engine->commit(std::move(batch), durability);
    if (receipt) co_return Result<>{};
    if (receipt.error().code != Errc::quota_exceeded) co_return fail(receipt.error());
    co_await let_others_run();
  }
}

using Futures = std::vector<std::future<Result<>>>;

void expect_all_succeed(Futures futures) {
  for (auto& future : futures) {
    const auto result = test::wait_for_result(std::move(future));
    EXPECT_TRUE(result.has_value()) << describe(result.error());
  }
}

}  // namespace

TEST_P(EngineContract, ConcurrentCommitsAreReadAtOnceAndLeaveNoGap) {
  Receipts receipts;
  Futures futures;
  for (int id = 0; id < kCoroutines; ++id) {
    const auto durability = id % 4 == 0 ? Durability::synced : Durability::buffered;
    const auto loop = store.runtime().loop(static_cast<std::uint32_t>(id) % 2);
    futures.push_back(
        test::start(loop, commit_and_read(&store.engine(), &receipts, id, durability)));
  }
  expect_all_succeed(std::move(futures));

  // One order for all: as sequences grow, so do offsets, positions and times.
  std::ranges::sort(receipts.all, {}, &CommitReceipt::sequence);
  ASSERT_EQ(receipts.all.size(), std::size_t{kCoroutines * kCommitsEach});
  for (std::size_t i = 0; i < receipts.all.size(); ++i) {
    const CommitReceipt& receipt = receipts.all[i];
    EXPECT_EQ(receipt.sequence, Sequence{i + 1});
    EXPECT_EQ(receipt.appended[0].offsets[0], Offset{static_cast<std::int64_t>(i)});
    if (i == 0) continue;
    EXPECT_GT(receipt.appended[0].position, receipts.all[i - 1].appended[0].position);
    EXPECT_GE(receipt.appended[0].stored_at, receipts.all[i - 1].appended[0].stored_at);
  }
  const auto all = payloads(kLog);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), std::size_t{kCoroutines * kCommitsEach});
}

TEST_P(EngineContract, NoReaderSeesHalfABatch) {
  std::atomic<bool> is_over{false};
  Futures futures;
  for (const std::uint32_t loop : {0U, 1U}) {
    const auto executor = store.runtime().loop(loop);
    futures.push_back(test::start(executor, read_pairs(&store.engine(), &is_over)));
    futures.push_back(test::start(executor, read_without_gaps(&store.engine(), &is_over)));
  }
  futures.push_back(test::start(store.runtime().loop(0), commit_pairs(&store.engine(), &is_over)));
  expect_all_succeed(std::move(futures));
}

TEST_P(EngineContract, ExpectationsLetOneOfTwoWritersThrough) {
  Futures futures;
  for (std::uint32_t id = 0; id < 4; ++id) {
    futures.push_back(test::start(store.runtime().loop(id % 2), count_up(&store.engine(), 25)));
  }
  expect_all_succeed(std::move(futures));
  EXPECT_EQ(store.get("counter"), "100");
  EXPECT_EQ(store.sequence(), Sequence{100});
}

TEST_P(EngineContract, MoreBytesThanMayWaitAreAllCommittedInTime) {
  // 80 MiB at once, over limits::kPendingCommitBytesMax: an engine may refuse some for now, and
  // what it refused it has not done.
  const Slice payload = Slice::copy_of(std::string(1U << 20U, 'x'));
  Futures futures;
  for (std::uint32_t i = 0; i < 80; ++i) {
    const auto durability = i % 8 == 0 ? Durability::synced : Durability::buffered;
    futures.push_back(test::start(store.runtime().loop(i % 2),
                                  commit_large(&store.engine(), payload, durability)));
  }
  expect_all_succeed(std::move(futures));
  EXPECT_EQ(store.bounds(kLog), (LogBounds{Offset{0}, Offset{80}}));
  EXPECT_EQ(store.usage().payload_bytes, std::uint64_t{80} << 20U);
}

TEST_P(EngineContract, ManyMembersMayBeCalledAtOnce) {
  for (int i = 0; i < 50; ++i) append({kLog, kOther}, std::to_string(i), 0, {"key"});
  std::vector<std::future<Result<ReadResult>>> reads;
  std::vector<std::future<Result<std::vector<Position>>>> finds;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const auto loop = store.runtime().loop(i % 2);
    reads.push_back(test::start(loop, store.engine().read(kOther, Offset{i}, {}, {})));
    finds.push_back(test::start(
        loop, store.engine().find("key", UnixMillis{0}, UnixMillis{INT64_MAX}, i + 1, {})));
  }
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const auto read = must(test::wait_for_result(std::move(reads[i])));
    ASSERT_FALSE(read.records.empty());
    EXPECT_EQ(read.records[0].payload.text(), std::to_string(i));
    EXPECT_EQ(must(test::wait_for_result(std::move(finds[i]))).size(), i + 1);
  }
}

}  // namespace sluice::storage::conformance
