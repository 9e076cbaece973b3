// Administration in the gateway: whom it asks, what the replies come to, and what it needs.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "gateway/admin/merge.hpp"
#include "gateway/pipeline/admin_rules.hpp"
#include "tests/support/printers.hpp"

namespace sluice::gateway {
namespace {

using Replies = std::vector<Result<model::AdminReply>>;

// --- merging ---------------------------------------------------------------------------------

TEST(Merge, AddsTheQueuesOfAllBrokers) {
  model::TopicStatsReply a;
  a.queues = {{.broker_name = "a", .topic = "t"}};
  a.put_rate = 1;
  model::TopicStatsReply b;
  b.queues = {{.broker_name = "b", .topic = "t"}};
  b.put_rate = 2;
  const auto merged = merge(model::QueryTopicStats{"t"}, Replies{a, b});
  ASSERT_TRUE(merged);
  const auto& stats = std::get<model::TopicStatsReply>(*merged);
  ASSERT_EQ(stats.queues.size(), 2U);
  EXPECT_EQ(stats.queues[1].broker_name, "b");
  EXPECT_EQ(stats.put_rate, 3);
}

TEST(Merge, TakesProgressInOneTopicTogether) {
  model::ProgressReply a;
  a.parts = {{.group = "g", .topic = "t", .get_rate = 1, .queues = {{.broker_name = "a"}}}};
  model::ProgressReply b;
  b.parts = {{.group = "g", .topic = "t", .get_rate = 2, .queues = {{.broker_name = "b"}}},
             {.group = "g", .topic = "u", .get_rate = 0, .queues = {}}};
  const auto merged = merge(model::QueryProgress{}, Replies{a, b});
  ASSERT_TRUE(merged);
  const auto& parts = std::get<model::ProgressReply>(*merged).parts;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].queues.size(), 2U);
  EXPECT_EQ(parts[0].get_rate, 3);
}

TEST(Merge, UnitesNames) {
  const auto merged = merge(model::QueryGroupsOfTopic{}, Replies{model::NameListReply{{"b", "c"}},
                                                                 model::NameListReply{{"a", "b"}}});
  EXPECT_EQ(std::get<model::NameListReply>(*merged).names,
            (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Merge, PassesOverBrokersThatFailIfOneAnswers) {
  const auto merged = merge(model::QueryTopicStats{"t"},
                            Replies{fail(Errc::topic_not_found, "not here"),
                                    model::TopicStatsReply{}, fail(Errc::unavailable, "down")});
  EXPECT_TRUE(merged);
  const auto failed = merge(model::QueryTopicStats{"t"},
                            Replies{fail(Errc::topic_not_found, "a"), fail(Errc::io_error, "b")});
  EXPECT_EQ(test::error_of(failed), Errc::topic_not_found);
}

TEST(Merge, IsNoSuccessOfAChangeThatOneBrokerRefused) {
  const auto merged =
      merge(model::DeleteGroup{}, Replies{model::Administered{}, fail(Errc::unavailable, "down")});
  EXPECT_EQ(test::error_of(merged), Errc::unavailable);
  EXPECT_TRUE(merge(model::DeleteGroup{}, Replies{model::Administered{}, model::Administered{}}));
}

TEST(Merge, IsNotForWhatIsAboutOneBroker) {
  EXPECT_TRUE(concerns_one_broker(model::QueryRuntime{}));
  EXPECT_TRUE(concerns_one_broker(model::QueryAllProgress{}));
  EXPECT_FALSE(concerns_one_broker(model::QueryProgress{}));
  EXPECT_FALSE(concerns_one_broker(model::ChangeBrokerSettings{}));
}

// --- accesses --------------------------------------------------------------------------------

/// One of each, by its default.
template <std::size_t... I>
std::vector<model::AdminCommand> all_commands(std::index_sequence<I...> /*indexes*/) {
  return {model::AdminCommand(std::in_place_index<I>)...};
}

std::vector<model::AdminCommand> all_commands() {
  return all_commands(std::make_index_sequence<std::variant_size_v<model::AdminCommand>>{});
}

TEST(AdminAccess, IsNeededForEverything) {
  for (const model::AdminCommand& command : all_commands()) {
    EXPECT_FALSE(accesses_of(command).empty()) << "alternative " << command.index();
  }
}

TEST(AdminAccess, ToChangeSomethingIsToManageIt) {
  const auto is_managing = [](const model::AdminCommand& command) {
    for (const Access& access : accesses_of(command)) {
      if (access.action == Action::manage) return true;
    }
    return false;
  };
  model::PutGroups put;
  put.groups.emplace_back().name = "g";
  EXPECT_TRUE(is_managing(put));
  EXPECT_TRUE(is_managing(model::PutGroups{}));
  EXPECT_TRUE(is_managing(model::DeleteGroup{.group = "g"}));
  EXPECT_TRUE(is_managing(model::CopyProgress{}));
  EXPECT_TRUE(is_managing(model::ChangeBrokerSettings{}));
  EXPECT_FALSE(is_managing(model::QueryGroups{}));
}

TEST(AdminAccess, NamesEveryGroupOfAList) {
  model::PutGroups put;
  put.groups.emplace_back().name = "a";
  put.groups.emplace_back().name = "b";
  const model::AdminCommand command = put;
  const auto accesses = accesses_of(command);
  ASSERT_EQ(accesses.size(), 2U);
  EXPECT_EQ(accesses[0].name, "a");
  EXPECT_EQ(accesses[1].name, "b");
}

// --- rules -----------------------------------------------------------------------------------

Errc code_of(model::AdminCommand command) {
  const auto valid = validate(command);
  return valid ? Errc{} : valid.error().code;
}

Errc code_of_group(void (*change)(model::GroupConfig& group)) {
  model::PutGroups put;
  put.groups.emplace_back().name = "g";
  change(put.groups.front());
  return code_of(std::move(put));
}

TEST(AdminRules, RefuseGroupsThatCannotBe) {
  EXPECT_EQ(code_of_group([](auto&) {}), Errc{});
  for (const char* name : {"", "../g", "a/b", "a b", "g.h"}) {
    model::PutGroups put;
    put.groups.emplace_back().name = name;
    EXPECT_EQ(code_of(std::move(put)), Errc::invalid_argument) << name;
    EXPECT_EQ(code_of(model::DeleteGroup{.group = name}), Errc::invalid_argument) << name;
  }
  model::PutGroups with_nul;
  with_nul.groups.emplace_back().name = std::string("a\0b", 3);
  EXPECT_EQ(code_of(std::move(with_nul)), Errc::invalid_argument);
  EXPECT_EQ(code_of_group([](auto& group) { group.name.assign(255, 'g'); }),
            Errc::invalid_argument);
  EXPECT_EQ(code_of_group([](auto& group) { group.retry_queues = -1; }), Errc::invalid_argument);
  EXPECT_EQ(code_of_group([](auto& group) { group.retry_queues = 1'000'000; }),
            Errc::invalid_argument);
  EXPECT_EQ(code_of_group([](auto& group) { group.retry_max = -2; }), Errc::invalid_argument);
  EXPECT_EQ(code_of_group([](auto& group) {
              group.retry_policy.assign(limits::kGroupTextBytesMax + 1, 'x');
            }),
            Errc::invalid_argument);
  EXPECT_EQ(code_of_group([](auto& group) {
              group.attributes["k"].assign(limits::kAttributeBytesMax + 1, 'x');
            }),
            Errc::invalid_argument);
}

TEST(AdminRules, BringNumbersIntoTheirRanges) {
  model::InspectQueue inspect;
  inspect.topic = "t";
  inspect.count = 2'000'000'000;
  model::AdminCommand command = inspect;
  ASSERT_TRUE(validate(command));
  EXPECT_EQ(std::get<model::InspectQueue>(command).count, limits::kInspectedEntriesMax);
  model::QueryGroups query;
  query.page.count_max = 2'000'000'000;
  command = query;
  ASSERT_TRUE(validate(command));
  EXPECT_EQ(std::get<model::QueryGroups>(command).page.count_max, limits::kNamesPerPageMax);
}

TEST(AdminRules, RefuseTopicsThatCannotBe) {
  EXPECT_EQ(code_of(model::QueryTopicStats{"../t"}), Errc::invalid_argument);
  EXPECT_EQ(code_of(model::InspectQueue{}), Errc::invalid_argument);
  EXPECT_EQ(code_of(model::QueryTimeSpans{.group = "g", .topic = "a/b"}), Errc::invalid_argument);
  model::QueryProgress query;
  query.topics.resize(limits::kTopicsPerProgressQueryMax + 1);
  EXPECT_EQ(code_of(std::move(query)), Errc::invalid_argument);
}

}  // namespace
}  // namespace sluice::gateway
