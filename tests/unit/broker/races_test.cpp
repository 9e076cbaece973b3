// Calls that meet at one point of the broker: what each of them may rely on.

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broker/membership/notice_board.hpp"
#include "broker/queue/waiters.hpp"
#include "tests/unit/broker/broker_fixture.hpp"

namespace sluice::broker {

namespace {

using storage::WriteBatch;
using Verdict = GatedEngine::Verdict;

/// Longer than what should be at once takes on a busy machine, and shorter than what it may not
/// wait for.
constexpr std::chrono::seconds kAtOnce{20};
/// In which what should wait would have ended, most of the time.
constexpr std::chrono::milliseconds kMoment{50};

template <class T>
bool is_ready_at_once(const std::future<T>& future) {
  return future.wait_for(kAtOnce) == std::future_status::ready;
}

template <class Operation>
bool has(const WriteBatch& batch) {
  for (const WriteBatch::Operation& operation : batch.operations()) {
    if (std::holds_alternative<Operation>(operation)) return true;
  }
  return false;
}

bool stores_progress(const WriteBatch& batch) {
  const auto* const put = std::get_if<WriteBatch::Put>(&batch.operations()[0]);
  return put != nullptr && put->key.starts_with(keys::kOffsetPrefix);
}

/// Holds the first commit that `is_meant`.
GatedEngine::Judge hold_first(bool (*is_meant)(const WriteBatch&)) {
  return [is_meant, has_come = false](const WriteBatch& batch) mutable {
    const bool is_first = is_meant(batch) && !std::exchange(has_come, true);
    return is_first ? Verdict::hold : Verdict::pass;
  };
}

class BrokerRaces : public BrokerFixture {
 protected:
  void SetUp() override {
    ASSERT_TRUE(send(message("orders", "first")));
    ASSERT_TRUE(pull(pull_of("orders", 0)));  // Makes the group.
  }

  void hold(bool (*is_meant)(const WriteBatch&)) { engine_->judge_by(hold_first(is_meant)); }

  [[nodiscard]] bool holds_one() const {
    return test::wait_until([this] { return engine_->held() == 1; });
  }

  std::future<Result<>> update(std::int64_t offset, std::uint32_t loop = 0) {
    model::UpdateOffset update{"g", "orders", 0, offset, {}};
    return test::start(runtime_->loop(loop), broker_->update_offset(caller(), std::move(update)));
  }

  std::future<Result<model::PullReply>> wait_for_messages(model::CallContext context,
                                                          std::string group = "readers") {
    auto request = pull_of("orders", 1);
    request.group = std::move(group);
    request.wait = std::chrono::seconds(60);
    auto waiting =
        test::start(runtime_->loop(1), broker_->pull(std::move(context), std::move(request)));
    // It has begun once that loop does something else.
    auto begun = test::start(runtime_->loop(1), broker_->query_topics(caller(), {}));
    EXPECT_TRUE(test::wait_for_result(std::move(begun)));
    return waiting;
  }

  /// What the engine has of the one group's progress.
  std::vector<std::int64_t> stored_progress() {
    const Bytes first(1, keys::kOffsetPrefix);
    const Bytes last(1, keys::kOffsetPrefix + 1);
    std::vector<std::int64_t> offsets;
    const auto entries = test::run(*runtime_, engine_->scan(first, last, 100)).value();
    for (const storage::KeyValue& entry : entries) {
      offsets.push_back(static_cast<std::int64_t>(keys::decode_number(entry.value)));
    }
    return offsets;
  }
};

using Offsets = std::vector<std::int64_t>;

// --- progress --------------------------------------------------------------------------------

TEST_F(BrokerRaces, NeverStoresAnOlderOffsetAfterANewerOne) {
  hold(stores_progress);
  auto older = update(1);
  ASSERT_TRUE(holds_one());
  auto newer = update(2, 1);
  // Were they not one after the other, the newer would be stored by now.
  EXPECT_EQ(newer.wait_for(kMoment), std::future_status::timeout);
  engine_->release();
  EXPECT_TRUE(test::wait_for_result(std::move(older)));
  EXPECT_TRUE(test::wait_for_result(std::move(newer)));
  EXPECT_EQ(stored_progress(), Offsets{2});
}

TEST_F(BrokerRaces, AnswersTheSameOffsetOnlyOnceItIsStored) {
  hold(stores_progress);
  auto first = update(5);
  ASSERT_TRUE(holds_one());
  auto again = update(5, 1);
  EXPECT_EQ(again.wait_for(kMoment), std::future_status::timeout);
  engine_->release();
  EXPECT_TRUE(test::wait_for_result(std::move(first)));
  EXPECT_TRUE(test::wait_for_result(std::move(again)));
}

TEST_F(BrokerRaces, StoresAnOffsetAgainThatCouldNotBeStored) {
  ASSERT_TRUE(test::wait_for_result(update(4)));
  engine_->judge_by([](const WriteBatch&) { return Verdict::fail; });
  EXPECT_EQ(test::wait_for_result(update(5)).error().code, Errc::io_error);
  engine_->release();
  EXPECT_EQ(stored_progress(), Offsets{4});
  EXPECT_TRUE(test::wait_for_result(update(5)));
  EXPECT_EQ(stored_progress(), Offsets{5});
}

TEST_F(BrokerRaces, StoresTheOffsetThatItWentBackToWhileAnotherWasStored) {
  ASSERT_TRUE(test::wait_for_result(update(4)));
  hold(stores_progress);
  auto forth = update(5);
  ASSERT_TRUE(holds_one());
  auto back = update(4, 1);
  engine_->release();
  EXPECT_TRUE(test::wait_for_result(std::move(forth)));
  EXPECT_TRUE(test::wait_for_result(std::move(back)));
  EXPECT_EQ(stored_progress(), Offsets{4});
}

TEST_F(BrokerRaces, StopsAfterTheProgressThatAPullCarriedIsStored) {
  hold(stores_progress);
  auto request = pull_of("orders", 0);
  request.commit_offset = 1;
  ASSERT_TRUE(pull(request));
  ASSERT_TRUE(holds_one());
  auto stopped = test::start(runtime_->loop(0), broker_->stop());
  EXPECT_EQ(stopped.wait_for(kMoment), std::future_status::timeout);
  engine_->release();
  EXPECT_TRUE(test::wait_for_result(std::move(stopped)));
  EXPECT_EQ(stored_progress(), Offsets{1});
  EXPECT_EQ(test::wait_for_result(update(2)).error().code, Errc::draining);
  broker_.reset();
}

// --- topics ----------------------------------------------------------------------------------

TEST_F(BrokerRaces, DoesNotFindATopicThatIsBeingDeleted) {
  hold(has<WriteBatch::DropLog>);
  auto deleted = test::start(runtime_->loop(0), broker_->delete_topic(caller(), {"orders"}));
  ASSERT_TRUE(holds_one());
  EXPECT_EQ(pull(pull_of("orders", 0)).error().code, Errc::topic_not_found);
  engine_->release();
  EXPECT_TRUE(test::wait_for_result(std::move(deleted)));
}

TEST_F(BrokerRaces, KeepsATopicThatCouldNotBeDeleted) {
  engine_->judge_by([](const WriteBatch& batch) {
    return has<WriteBatch::DropLog>(batch) ? Verdict::fail : Verdict::pass;
  });
  auto deleted = test::run(*runtime_, broker_->delete_topic(caller(), {"orders"}));
  EXPECT_EQ(deleted.error().code, Errc::io_error);
  EXPECT_EQ(pull(pull_of("orders", 0))->records.size(), 1U);
}

TEST_F(BrokerRaces, ForgetsWhatWasSentToATopicWhileItWasDeleted) {
  const auto bounds_of_log = [this] {
    return test::run(*runtime_, engine_->bounds(storage::LogId{1})).value();
  };
  ASSERT_EQ(bounds_of_log().next, storage::Offset{1});
  std::atomic<int> drops{0};
  engine_->judge_by([&](const WriteBatch& batch) {
    if (has<WriteBatch::DropLog>(batch)) ++drops;
    return has<WriteBatch::Append>(batch) ? Verdict::hold : Verdict::pass;
  });
  std::vector<model::Send> sends;
  sends.push_back(message("orders", "late"));
  auto sent = test::start(runtime_->loop(1), broker_->send(caller(), std::move(sends)));
  ASSERT_TRUE(holds_one());
  auto deleted = test::start(runtime_->loop(0), broker_->delete_topic(caller(), {"orders"}));
  ASSERT_TRUE(test::wait_until([&] { return drops > 0; }));
  engine_->release();
  ASSERT_TRUE(test::wait_for_result(std::move(sent)));
  ASSERT_TRUE(test::wait_for_result(std::move(deleted)));
  EXPECT_EQ(bounds_of_log(), storage::LogBounds{});
}

TEST_F(BrokerRaces, ForgetsTheProgressInATopicThatWasBeingDeleted) {
  hold(stores_progress);
  auto updated = update(1, 1);
  ASSERT_TRUE(holds_one());
  auto deleted = test::start(runtime_->loop(0), broker_->delete_topic(caller(), {"orders"}));
  ASSERT_TRUE(test::wait_until(
      [&] { return pull(pull_of("orders", 0)).error().code == Errc::topic_not_found; }));
  engine_->release();
  ASSERT_TRUE(test::wait_for_result(std::move(updated)));
  ASSERT_TRUE(test::wait_for_result(std::move(deleted)));
  EXPECT_EQ(stored_progress(), Offsets{});
}

// --- waiting ---------------------------------------------------------------------------------

TEST_F(BrokerRaces, EndsTheWaitingPullsOfASessionThatIsGone) {
  auto gone = wait_for_messages(caller(7));
  auto other = wait_for_messages(caller(8));
  broker_->session_closed({7}, {});
  EXPECT_TRUE(is_ready_at_once(gone));
  EXPECT_EQ(other.wait_for(kMoment), std::future_status::timeout);
  ASSERT_TRUE(send(message("orders", "second")));
  EXPECT_EQ(test::wait_for_result(std::move(other))->records.size(), 1U);
}

TEST_F(BrokerRaces, EndsTheWaitingPullsOfAGatewayThatIsGone) {
  auto through = wait_for_messages(caller(7, 9));
  auto other = wait_for_messages(caller(7, 10));
  broker_->session_closed({9}, {});
  EXPECT_TRUE(is_ready_at_once(through));
  EXPECT_EQ(other.wait_for(kMoment), std::future_status::timeout);
  broker_->session_closed({7}, {10});
  EXPECT_TRUE(is_ready_at_once(other));
}

TEST_F(BrokerRaces, DoesNotLetAPullBeginToWaitForASessionThatIsGone) {
  hold([](const WriteBatch& batch) {
    const auto* const put = std::get_if<WriteBatch::Put>(&batch.operations()[0]);
    return put != nullptr && put->key.starts_with(keys::kGroupPrefix);
  });
  auto gone = wait_for_messages(caller(7), "new");
  ASSERT_TRUE(holds_one());
  broker_->session_closed({7}, {});
  engine_->release();
  EXPECT_TRUE(is_ready_at_once(gone));
}

Task<bool> begin_wait(Runtime* runtime, Waiters* waiters) {
  const std::atomic<bool> is_over{false};
  const bool has_come = co_await waiters->wait(*runtime, 0, {}, std::chrono::hours(1), &is_over, 0);
  co_return has_come;
}

TEST(Waiters, LetNobodyWaitAfterTheirRelease) {
  test::TestRuntime runtime;
  Waiters waiters{std::make_shared<WaiterCount>(1)};
  waiters.release();
  auto waiting = test::start(runtime->loop(0), begin_wait(&*runtime, &waiters));
  EXPECT_TRUE(is_ready_at_once(waiting));
  waiters.announce(1, {});
  EXPECT_EQ(test::wait_for_result(std::move(waiting)), false);
}

Task<std::vector<model::Notice>> take(NoticeBoard* board) {
  auto notices = co_await board->take({1}, std::chrono::hours(1));
  co_return notices;
}

TEST(NoticeBoard, LetsNobodyWaitAfterItsRelease) {
  test::TestRuntime runtime;
  NoticeBoard board(*runtime);
  board.release();
  auto taking = test::start(runtime->loop(0), take(&board));
  EXPECT_TRUE(is_ready_at_once(taking));
  board.forget({1});
  EXPECT_TRUE(test::wait_for_result(std::move(taking)));
}

TEST_F(BrokerRaces, AnswersAWatchAtOnceAfterItStopped) {
  ASSERT_TRUE(test::run(*runtime_, broker_->stop()));
  auto watching = test::start(runtime_->loop(0), broker_->watch(caller(0), {}));
  ASSERT_TRUE(is_ready_at_once(watching));
  EXPECT_EQ(test::wait_for_result(std::move(watching)).error().code, Errc::draining);
  broker_.reset();
}

// --- retention -------------------------------------------------------------------------------

TEST_F(BrokerRaces, KeepsAMessageThatComesWhileAllOthersTurnOutTooOld) {
  close();
  std::promise<storage::Position> came;
  std::promise<storage::Position> cut;
  bool is_cut = false;  // Later cuts are right to take it: it is old by then.
  engine_->judge_by([&](const WriteBatch& batch) {
    const auto* drop = std::get_if<WriteBatch::DropBefore>(&batch.operations()[0]);
    if (drop != nullptr && !std::exchange(is_cut, true)) cut.set_value(drop->position);
    return Verdict::pass;
  });
  bool has_come = false;
  engine_->after_position_at([&]() -> Task<> {
    if (std::exchange(has_come, true)) co_return Result<>{};
    WriteBatch batch;
    storage::NewRecord& record = batch.append();
    record.logs.push_back(storage::LogId{1});
    record.payload = Slice::copy_of("fresh");
    auto committed = co_await engine_->commit(std::move(batch), storage::Durability::synced);
    SLUICE_CO_TRY(committed);
    came.set_value(committed->appended[0].position);
    co_return Result<>{};
  });
  BrokerOptions options;
  options.retention_age = std::chrono::milliseconds(1);
  options.retention_interval = std::chrono::milliseconds(1);
  open(options);
  auto came_at = came.get_future();
  auto cut_at = cut.get_future();
  ASSERT_EQ(cut_at.wait_for(test::kPatience), std::future_status::ready);
  EXPECT_EQ(cut_at.get(), came_at.get());
  close();
}

}  // namespace

}  // namespace sluice::broker
