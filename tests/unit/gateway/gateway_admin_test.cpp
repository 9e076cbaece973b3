// Administration through the gateway: what the pipeline lets pass, and which brokers are asked.

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/gateway.hpp"
#include "gateway/pipeline/allow_all.hpp"
#include "tests/support/broker_calls.hpp"
#include "tests/support/printers.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/gateway/fake_broker.hpp"

namespace sluice::gateway {
namespace {

using test::FakeBroker;
using Calls = std::vector<std::string>;

/// The brokers that a test gives it, named a, b, …; none is of this process.
class FakeRouting final : public Routing {
 public:
  explicit FakeRouting(std::vector<BrokerApi*> all) : brokers_(std::move(all)) {}

  void start(std::function<void(BrokerApi&)> /*found*/) override {}
  [[nodiscard]] BrokerApi* known_broker(std::string_view /*topic*/,
                                        std::string_view /*broker_name*/) noexcept override {
    return nullptr;
  }
  Task<BrokerApi*> find_broker(std::string /*topic*/, std::string broker_name) override {
    const std::size_t index =
        broker_name.empty() ? 0 : static_cast<std::size_t>(broker_name[0] - 'a');
    if (index >= brokers_.size()) co_return fail(Errc::invalid_argument, "no such broker");
    co_return brokers_[index];
  }
  Task<std::vector<BrokerApi*>> brokers() override { co_return brokers_; }
  [[nodiscard]] std::vector<BrokerApi*> known_brokers() override { return brokers_; }
  [[nodiscard]] BrokerApi* local_broker() noexcept override { return nullptr; }
  Task<model::Route> route(std::string /*topic*/) override { co_return model::Route{}; }
  Task<std::vector<model::BrokerData>> cluster() override {
    co_return std::vector<model::BrokerData>{};
  }
  Task<std::vector<model::TopicConfig>> topics(std::string /*topic*/) override {
    std::vector<model::TopicConfig> topics(3);
    for (std::size_t i = 0; i < topics.size(); ++i)
      topics[i].name = std::string(1, static_cast<char>('z' - i));
    co_return topics;
  }
  void forget_topic(std::string_view /*topic*/) override {}
  Task<> stop() override { co_return Result<>{}; }

 private:
  std::vector<BrokerApi*> brokers_;
};

class DenyAll final : public Authorizer {
 public:
  Result<> authorize(const model::CallContext& /*context*/, const Access& /*access*/) override {
    return fail(Errc::permission_denied, "not for you");
  }
};

class GatewayAdminTest : public testing::Test {
 protected:
  ~GatewayAdminTest() override {
    if (gateway_) EXPECT_TRUE(test::run(*runtime_, gateway_->stop()));
  }

  void make(std::vector<BrokerApi*> brokers, Pipeline pipeline = Pipeline::allow_all()) {
    gateway_ = std::make_unique<Gateway>(
        *runtime_, std::make_unique<FakeRouting>(std::move(brokers)), std::move(pipeline));
  }

  Result<model::Reply> ask(model::Command command) {
    return test::run(*runtime_, gateway_->handle(test::caller(), std::move(command)));
  }

  Result<model::Reply> administer(model::AdminCommand command, std::string broker_name = {}) {
    return ask(model::Administer{std::move(command), std::move(broker_name)});
  }

  FakeBroker a_{1};
  FakeBroker b_{2};
  test::TestRuntime runtime_;
  std::unique_ptr<Gateway> gateway_;
};

template <std::size_t... I>
std::vector<model::AdminCommand> all_commands(std::index_sequence<I...> /*indexes*/) {
  return {model::AdminCommand(std::in_place_index<I>)...};
}

TEST_F(GatewayAdminTest, PassesNothingThatTheAuthorizerRefuses) {
  make({&a_}, Pipeline(std::make_unique<AllowAllAuthenticator>(), std::make_unique<DenyAll>(),
                       std::make_unique<AllowAllQuota>()));
  constexpr auto kCount = std::variant_size_v<model::AdminCommand>;
  for (auto& command : all_commands(std::make_index_sequence<kCount>{})) {
    const std::size_t index = command.index();
    EXPECT_EQ(test::error_of(administer(std::move(command))), Errc::permission_denied) << index;
  }
  model::CreateTopics create;
  create.topics.emplace_back().config.name = "t";
  EXPECT_EQ(test::error_of(ask(std::move(create))), Errc::permission_denied);
  EXPECT_EQ(test::error_of(ask(model::DeleteTopic{"t"})), Errc::permission_denied);
  EXPECT_EQ(a_.calls(), Calls{});
}

TEST_F(GatewayAdminTest, PassesNothingThatIsNotWellFormed) {
  make({&a_});
  EXPECT_EQ(test::error_of(administer(model::DeleteGroup{.group = "../g"})),
            Errc::invalid_argument);
  model::CreateTopics create;
  create.topics.emplace_back().config.name = "fine";
  create.topics.emplace_back().config.name = "a/b";
  EXPECT_EQ(test::error_of(ask(std::move(create))), Errc::invalid_argument);
  EXPECT_EQ(a_.calls(), Calls{});
}

TEST_F(GatewayAdminTest, AsksAllBrokersAndPutsTheirRepliesTogether) {
  make({&a_, &b_});
  a_.administer_with([](const auto&) { return model::NameListReply{{"x", "y"}}; });
  b_.administer_with([](const auto&) { return model::NameListReply{{"y", "z"}}; });
  const auto reply = administer(model::QueryGroupsOfTopic{"t"});
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<model::NameListReply>(std::get<model::AdminReply>(*reply)).names,
            (std::vector<std::string>{"x", "y", "z"}));
}

TEST_F(GatewayAdminTest, AsksOnlyTheBrokerThatIsNamed) {
  make({&a_, &b_});
  ASSERT_TRUE(administer(model::DeleteGroup{.group = "g"}, "b"));
  EXPECT_EQ(a_.calls(), Calls{});
  EXPECT_EQ(b_.calls(), Calls{"administer"});
}

TEST_F(GatewayAdminTest, AsksWhichBrokerIsMeantForWhatConcernsOne) {
  make({&a_, &b_});
  const auto refused = administer(model::QueryRuntime{});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_argument);
  EXPECT_EQ(a_.calls(), Calls{});
  EXPECT_TRUE(administer(model::QueryRuntime{}, "a"));
}

TEST_F(GatewayAdminTest, IsNotDoneUntilEveryBrokerHasChanged) {
  make({&a_, &b_});
  b_.fail_with(Errc::unavailable);
  EXPECT_EQ(test::error_of(administer(model::DeleteGroup{.group = "g"})), Errc::unavailable);
  EXPECT_EQ(a_.calls(), Calls{"administer"});
}

TEST_F(GatewayAdminTest, MakesTheTopicsOfAListInTurnAndEndsAtTheFirstRefusal) {
  make({&a_});
  model::CreateTopics create;
  create.topics.emplace_back().config.name = "t";
  create.topics.emplace_back().config.name = "u";
  ASSERT_TRUE(ask(create));
  EXPECT_EQ(a_.calls(), (Calls{"create_topic", "create_topic"}));
  a_.fail_with(Errc::quota_exceeded);
  EXPECT_EQ(test::error_of(ask(create)), Errc::quota_exceeded);
  EXPECT_EQ(a_.calls().size(), 3U);
}

TEST_F(GatewayAdminTest, GivesTopicsOfSeveralBrokersInPagesByName) {
  make({&a_, &b_});
  model::QueryTopics query;
  query.page.first = 1;
  query.page.count_max = 1;
  const auto reply = ask(std::move(query));
  ASSERT_TRUE(reply);
  const auto& topics = std::get<model::TopicsReply>(*reply);
  ASSERT_EQ(topics.topics.size(), 1U);
  EXPECT_EQ(topics.topics[0].name, "y");
  EXPECT_EQ(topics.total, 3);
}

}  // namespace
}  // namespace sluice::gateway
