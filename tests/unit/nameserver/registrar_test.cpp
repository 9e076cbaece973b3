#include "broker/cluster/registrar.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/runtime/one_shot.hpp"
#include "nameserver/name_server.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::broker {
namespace {

using test::run;
using test::TestRuntime;
using test::wait_until;

/// A name server that writes down what it is told, and may be held up or fail.
class FakeNameServer {
 public:
  std::vector<model::RegisterBroker> registrations() const {
    const std::lock_guard lock(mutex_);
    return registrations_;
  }
  std::size_t count() const { return registrations().size(); }
  std::size_t goodbyes() const { return goodbyes_; }
  void fail_from_now_on() { is_failing_ = true; }
  void recover() { is_failing_ = false; }
  void lose_connection() { is_in_touch_ = false; }
  bool is_in_touch() const { return is_in_touch_; }

  /// Registrations wait until release().
  void hold() { is_held_ = true; }
  bool is_holding_one() const {
    const std::lock_guard lock(mutex_);
    return static_cast<bool>(held_);
  }
  void release() {
    is_held_ = false;
    UniqueFunction<void(bool)> held;
    {
      const std::lock_guard lock(mutex_);
      held = std::move(held_);
    }
    if (held) held(true);
  }

  Task<> take(model::RegisterBroker registration) {
    {
      const std::lock_guard lock(mutex_);
      registrations_.push_back(std::move(registration));
    }
    if (is_held_) {
      auto start = [this](UniqueFunction<void(bool)> resume) {
        const std::lock_guard lock(mutex_);
        held_ = std::move(resume);
      };
      co_await wait_for_completion<bool>(start);
    }
    if (is_failing_) co_return fail(Errc::unavailable, "it is down");
    is_in_touch_ = true;
    co_return Result<>{};
  }

  Task<> take(model::UnregisterBroker /*broker*/) {
    ++goodbyes_;
    if (is_failing_) co_return fail(Errc::unavailable, "it is down");
    co_return Result<>{};
  }

 private:
  mutable std::mutex mutex_;
  std::vector<model::RegisterBroker> registrations_;
  UniqueFunction<void(bool)> held_;
  std::atomic<bool> is_held_{false};
  std::atomic<bool> is_failing_{false};
  std::atomic<bool> is_in_touch_{false};
  std::atomic<std::size_t> goodbyes_{0};
};

class FakeLink final : public NameServerLink {
 public:
  explicit FakeLink(FakeNameServer& server) : server_(server) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "fake"; }
  Task<> register_broker(model::RegisterBroker registration) override {
    return server_.take(std::move(registration));
  }
  Task<> unregister_broker(model::UnregisterBroker broker) override {
    return server_.take(std::move(broker));
  }
  [[nodiscard]] bool is_in_touch() const noexcept override { return server_.is_in_touch(); }

 private:
  FakeNameServer& server_;
};

class RegistrarTest : public ::testing::Test {
 protected:
  void make(std::vector<FakeNameServer*> servers,
            RegistrarOptions options = {.interval = std::chrono::hours(1),
                                        .retry_interval = std::chrono::hours(1)}) {
    std::vector<std::unique_ptr<NameServerLink>> links;
    for (FakeNameServer* server : servers) links.push_back(std::make_unique<FakeLink>(*server));
    registrar_ = std::make_unique<Registrar>(
        *runtime_, std::move(links), [this] { return current(); }, options);
  }

  model::RegisterBroker current() const {
    model::RegisterBroker registration;
    registration.cluster = "c";
    registration.broker_name = "broker-a";
    registration.address = "10.0.0.1:10911";
    registration.version.counter = version_;
    return registration;
  }

  ~RegistrarTest() override {
    first_.release();
    second_.release();
    if (registrar_) run(*runtime_, registrar_->stop());
  }

  std::atomic<std::int64_t> version_{1};
  FakeNameServer first_;
  FakeNameServer second_;
  TestRuntime runtime_;
  std::unique_ptr<Registrar> registrar_;
};

TEST_F(RegistrarTest, RegistersAtEveryNameServerBeforeTheStartCompletes) {
  make({&first_, &second_});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  EXPECT_EQ(first_.count(), 1U);
  EXPECT_EQ(second_.count(), 1U);
  EXPECT_EQ(first_.registrations()[0].broker_name, "broker-a");
}

TEST_F(RegistrarTest, StartsThoughANameServerIsDown) {
  first_.fail_from_now_on();
  make({&first_, &second_});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  EXPECT_EQ(second_.count(), 1U);
}

TEST_F(RegistrarTest, RepeatsTheRegistration) {
  make({&first_},
       {.interval = std::chrono::milliseconds(10), .retry_interval = std::chrono::hours(1)});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  EXPECT_TRUE(wait_until([&] { return first_.count() >= 3; }));
}

TEST_F(RegistrarTest, RegistersWhenTopicsChanged) {
  make({&first_});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  version_ = 2;
  registrar_->topics_changed();
  ASSERT_TRUE(wait_until([&] { return first_.count() == 2; }));
  EXPECT_EQ(first_.registrations()[1].version.counter, 2);
}

TEST_F(RegistrarTest, HasRegisteredWhatHoldsWhenRegisterNowCompletes) {
  make({&first_});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  version_ = 2;
  ASSERT_TRUE(run(*runtime_, registrar_->register_now()));
  EXPECT_EQ(first_.registrations().back().version.counter, 2);
}

// A registration under way may have been put together before the change.
TEST_F(RegistrarTest, RegistersAnewAfterOneThatBeganBeforeTheCall) {
  make({&first_});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  first_.hold();
  auto early = test::start(runtime_->loop(0), registrar_->register_now());
  ASSERT_TRUE(wait_until([&] { return first_.is_holding_one(); }));
  version_ = 2;
  auto late = test::start(runtime_->loop(0), registrar_->register_now());
  first_.release();
  ASSERT_TRUE(test::wait_for_result(std::move(early)));
  ASSERT_TRUE(test::wait_for_result(std::move(late)));
  EXPECT_EQ(first_.count(), 3U);
  EXPECT_EQ(first_.registrations().back().version.counter, 2);
}

TEST_F(RegistrarTest, SharesOneRegistrationAmongCallsThatComeTogether) {
  make({&first_});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  first_.hold();
  auto early = test::start(runtime_->loop(0), registrar_->register_now());
  ASSERT_TRUE(wait_until([&] { return first_.is_holding_one(); }));
  std::vector<std::future<Result<>>> waiting;
  for (int i = 0; i < 50; ++i) {
    waiting.push_back(test::start(runtime_->loop(0), registrar_->register_now()));
    registrar_->topics_changed();
  }
  // What was posted to the loop before this has run after it.
  auto nothing = []() -> Task<> { co_return Result<>{}; };
  run(*runtime_, nothing());
  first_.release();
  for (auto& one : waiting) ASSERT_TRUE(test::wait_for_result(std::move(one)));
  ASSERT_TRUE(test::wait_for_result(std::move(early)));
  EXPECT_EQ(first_.count(), 3U);
}

TEST_F(RegistrarTest, DoesNotWaitForANameServerThatFailedLastTime) {
  first_.fail_from_now_on();
  make({&first_, &second_});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  first_.hold();
  ASSERT_TRUE(run(*runtime_, registrar_->register_now()));
  EXPECT_EQ(second_.count(), 2U);
  EXPECT_TRUE(wait_until([&] { return first_.is_holding_one(); })) << "but it is tried";
}

TEST_F(RegistrarTest, TriesANameServerAgainSoonThatWasNotReached) {
  first_.fail_from_now_on();
  make({&first_},
       {.interval = std::chrono::hours(1), .retry_interval = std::chrono::milliseconds(10)});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  EXPECT_TRUE(wait_until([&] { return first_.count() >= 3; }));
  first_.recover();
  EXPECT_TRUE(wait_until([&] { return first_.is_in_touch(); }));
}

// The name server drops a broker with its connection.
TEST_F(RegistrarTest, RegistersAgainSoonWhenTheConnectionToANameServerIsGone) {
  make({&first_},
       {.interval = std::chrono::hours(1), .retry_interval = std::chrono::milliseconds(10)});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  first_.lose_connection();
  EXPECT_TRUE(wait_until([&] { return first_.is_in_touch(); }));
}

TEST_F(RegistrarTest, WaitsAgainForANameServerThatRecovered) {
  first_.fail_from_now_on();
  make({&first_});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  first_.recover();
  registrar_->topics_changed();
  ASSERT_TRUE(wait_until([&] { return first_.count() == 2; }));
  version_ = 2;
  ASSERT_TRUE(run(*runtime_, registrar_->register_now()));
  EXPECT_EQ(first_.registrations().back().version.counter, 2);
}

TEST_F(RegistrarTest, SaysGoodbyeEverywhereAndRegistersNoMore) {
  make({&first_, &second_},
       {.interval = std::chrono::milliseconds(10), .retry_interval = std::chrono::hours(1)});
  ASSERT_TRUE(run(*runtime_, registrar_->start()));
  ASSERT_TRUE(run(*runtime_, registrar_->stop()));
  EXPECT_EQ(first_.goodbyes(), 1U);
  EXPECT_EQ(second_.goodbyes(), 1U);
  const std::size_t before = first_.count();
  ASSERT_TRUE(run(*runtime_, registrar_->register_now()));
  EXPECT_EQ(first_.count(), before);
  registrar_.reset();
}

TEST_F(RegistrarTest, SaysNothingBeforeItStarted) {
  make({&first_});
  ASSERT_TRUE(run(*runtime_, registrar_->register_now()));
  ASSERT_TRUE(run(*runtime_, registrar_->stop()));
  EXPECT_EQ(first_.count(), 0U);
  EXPECT_EQ(first_.goodbyes(), 0U);
}

TEST_F(RegistrarTest, MakesARouteVisibleAtANameServerInTheSameProcess) {
  nameserver::NameServer name_server(*runtime_);
  std::vector<std::unique_ptr<NameServerLink>> links;
  links.push_back(make_local_link(name_server));
  auto registration = current();
  registration.topics.emplace_back().name = "orders";
  registration.replaces_topics = true;
  Registrar registrar(*runtime_, std::move(links), [registration] { return registration; });
  ASSERT_TRUE(run(*runtime_, registrar.start()));
  const model::Command query = model::QueryRoute{.topic = "orders"};
  EXPECT_TRUE(run(*runtime_, name_server.handle({}, query)));
  ASSERT_TRUE(run(*runtime_, registrar.stop()));
  EXPECT_FALSE(run(*runtime_, name_server.handle({}, query)));
}

}  // namespace
}  // namespace sluice::broker
