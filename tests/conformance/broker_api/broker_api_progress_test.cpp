// As broker_api_admin_test.cpp: progress, and the broker itself.

#include "tests/conformance/broker_api/broker_api_admin_fixture.hpp"

namespace sluice {
namespace {

class BrokerApiProgressTest : public BrokerApiAdminTest {};

// --- progress --------------------------------------------------------------------------------

TEST_P(BrokerApiProgressTest, TellsHowFarAGroupIs) {
  create_topic("orders", 2);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(message("orders", "x", {}, 1)));
  commit("orders", "g", 1, 2);
  const auto reply = reply_to<model::ProgressReply>(progress_of("g"));
  ASSERT_EQ(reply.parts.size(), 1U);
  EXPECT_EQ(reply.parts[0].group, "g");
  EXPECT_EQ(reply.parts[0].topic, "orders");
  ASSERT_EQ(reply.parts[0].queues.size(), 2U);
  EXPECT_LE(reply.parts[0].queues[0].consumed, 0);
  const model::QueueProgress& second = reply.parts[0].queues[1];
  EXPECT_EQ(second.broker_name, "broker-a");
  EXPECT_EQ(second.next, 3);
  EXPECT_EQ(second.consumed, 2);
  model::Pull from_second = pull_of("orders", 1);
  from_second.queue = 1;
  EXPECT_EQ(second.time_ms, pull(from_second)->records[0].stored_at_ms);
}

TEST_P(BrokerApiProgressTest, TellsTheProgressInTheTopicsNamed) {
  for (const char* topic : {"a", "b", "c"}) {
    create_topic(topic, 1);
    commit(topic, "g", 0, 0);
  }
  const auto all = reply_to<model::ProgressReply>(progress_of("g"));
  EXPECT_EQ(all.parts.size(), 3U);
  const auto two = reply_to<model::ProgressReply>(progress_of("g", {"a", "c", "none"}));
  ASSERT_EQ(two.parts.size(), 2U);
  EXPECT_EQ(two.parts[0].topic, "a");
  EXPECT_EQ(two.parts[1].topic, "c");
}

TEST_P(BrokerApiProgressTest, TellsTheProgressOfAllGroups) {
  create_topic("orders", 1);
  create_topic("bills", 1);
  commit("orders", "g2", 0, 0);
  commit("orders", "g1", 0, 0);
  commit("bills", "g1", 0, 0);
  const auto reply = reply_to<model::ProgressReply>(model::QueryProgress{});
  Names parts;
  for (const auto& part : reply.parts) parts.push_back(part.group + " " + part.topic);
  EXPECT_EQ(parts, (Names{"g1 bills", "g1 orders", "g2 orders"}));
  EXPECT_EQ(reply.broker_address, model::to_string(advertised()));
}

TEST_P(BrokerApiProgressTest, KnowsWhoConsumesATopicAndWhatAGroupConsumes) {
  create_topic("orders", 1);
  create_topic("bills", 1);
  commit("orders", "offline", 0, 0);
  commit("bills", "online", 0, 0);
  register_client(11, consumer("c1", "online", "orders"));
  EXPECT_EQ(reply_to<model::NameListReply>(model::QueryGroupsOfTopic{"orders"}).names,
            (Names{"offline", "online"}));
  EXPECT_EQ(reply_to<model::NameListReply>(model::QueryTopicsOfGroup{"online"}).names,
            (Names{"bills", "orders"}));
  EXPECT_TRUE(reply_to<model::NameListReply>(model::QueryGroupsOfTopic{"none"}).names.empty());
}

TEST_P(BrokerApiProgressTest, KnowsWhatAGroupSubscribesTo) {
  register_client(11, consumer("c1", "g", "orders", "a || b"));
  model::QuerySubscription query{.group = "g", .topic = "orders"};
  const auto found = reply_to<model::SubscriptionReply>(query);
  ASSERT_TRUE(found.subscription);
  EXPECT_EQ(found.subscription->filter.expression, "a || b");
  EXPECT_EQ(found.group, "g");
  EXPECT_EQ(found.topic, "orders");
  query.topic = "bills";
  EXPECT_FALSE(reply_to<model::SubscriptionReply>(query).subscription);
}

TEST_P(BrokerApiProgressTest, TellsHowFarBehindAGroupIsInTime) {
  create_topic("orders", 2);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(message("orders", "x")));
  commit("orders", "g", 0, 1);
  const auto records = pull(pull_of("orders", 0))->records;
  const auto reply = reply_to<model::TimeSpansReply>(model::QueryTimeSpans{"g", "orders"});
  ASSERT_EQ(reply.spans.size(), 2U);
  EXPECT_EQ(reply.spans[0].topic, "orders");
  EXPECT_EQ(reply.spans[0].first_ms, records[0].stored_at_ms);
  EXPECT_EQ(reply.spans[0].last_ms, records[2].stored_at_ms);
  EXPECT_EQ(reply.spans[0].consumed_ms, records[0].stored_at_ms);
  EXPECT_GE(reply.spans[0].delay_ms, 0);
  EXPECT_EQ(reply.spans[1].first_ms, -1);
  EXPECT_EQ(reply.spans[1].delay_ms, 0);
  EXPECT_EQ(code_of(ask(model::QueryTimeSpans{"g", "none"})), Errc::topic_not_found);
}

TEST_P(BrokerApiProgressTest, GivesAllProgressAtOnce) {
  create_topic("orders", 2);
  commit("orders", "g", 1, 7);
  commit("orders", "g", 0, 3);
  commit("orders", "f", 0, 9);
  using Entry = model::AllProgressReply::Entry;
  EXPECT_EQ(
      reply_to<model::AllProgressReply>(model::QueryAllProgress{}).entries,
      (std::vector<Entry>{{"orders", "f", 0, 9}, {"orders", "g", 0, 3}, {"orders", "g", 1, 7}}));
}

TEST_P(BrokerApiProgressTest, CopiesProgressFromOneGroupToAnother) {
  create_topic("orders", 1);
  create_topic("bills", 1);
  commit("orders", "g", 0, 3);
  commit("bills", "g", 0, 4);
  ASSERT_TRUE(ask(copy_from_g_to_h("orders")));
  EXPECT_EQ(committed("orders", "h", 0)->offset, 3);
  EXPECT_EQ(code_of(committed("bills", "h", 0)), Errc::not_found);
  ASSERT_TRUE(ask(copy_from_g_to_h()));
  EXPECT_EQ(committed("bills", "h", 0)->offset, 4);
  EXPECT_EQ(code_of(ask(copy_from_g_to_h("none"))), Errc::topic_not_found);
}

TEST_P(BrokerApiProgressTest, CopiesNoProgressOfTopicsThatTheGroupHasLeftIfAsked) {
  create_topic("orders", 1);
  create_topic("bills", 1);
  commit("orders", "g", 0, 3);
  commit("bills", "g", 0, 4);
  register_client(11, consumer("c1", "g", "orders"));
  model::CopyProgress copy = copy_from_g_to_h();
  copy.only_subscribed = true;
  ASSERT_TRUE(ask(copy));
  EXPECT_EQ(committed("orders", "h", 0)->offset, 3);
  EXPECT_EQ(code_of(committed("bills", "h", 0)), Errc::not_found);
}

// --- the broker ------------------------------------------------------------------------------

std::string value_of(const model::SettingsReply& reply, std::string_view name) {
  const auto found = std::ranges::find(reply.settings, name, &model::NameValue::first);
  return found == reply.settings.end() ? "(absent)" : found->second;
}

// What tools read without asking whether it is there.
TEST_P(BrokerApiProgressTest, TellsHowItFaresInTheWordsThatToolsLookFor) {
  ASSERT_TRUE(send(message("orders", "x")));
  ASSERT_TRUE(pull(pull_of("orders", 0)));
  const auto info = reply_to<model::SettingsReply>(model::QueryRuntime{});
  for (const char* key : {"brokerVersionDesc",
                          "putTps",
                          "getTotalTps",
                          "getFoundTps",
                          "getMissTps",
                          "getTransferredTps",
                          "msgPutTotalYesterdayMorning",
                          "msgPutTotalTodayMorning",
                          "msgGetTotalYesterdayMorning",
                          "msgGetTotalTodayMorning",
                          "sendThreadPoolQueueSize",
                          "sendThreadPoolQueueHeadWaitTimeMills",
                          "pullThreadPoolQueueSize",
                          "pullThreadPoolQueueHeadWaitTimeMills",
                          "earliestMessageTimeStamp",
                          "commitLogDiskRatio",
                          "timerReadBehind",
                          "timerOffsetBehind",
                          "timerCongestNum",
                          "timerEnqueueTps",
                          "timerDequeueTps",
                          "bootTimestamp",
                          "runtime"}) {
    EXPECT_NE(value_of(info, key), "(absent)") << key;
  }
  EXPECT_EQ(value_of(info, "brokerActive"), "true");
  EXPECT_EQ(value_of(info, "msgPutTotalTodayNow"), "1");
  EXPECT_EQ(value_of(info, "msgGetTotalTodayNow"), "1");
  EXPECT_EQ(std::ranges::count(value_of(info, "putTps"), ' '), 2);
}

TEST_P(BrokerApiProgressTest, TellsItsSettings) {
  const auto settings = reply_to<model::SettingsReply>(model::QueryBrokerSettings{});
  EXPECT_EQ(value_of(settings, "brokerName"), "broker-a");
  EXPECT_EQ(value_of(settings, "brokerIP1"), "127.0.0.1");
  EXPECT_EQ(value_of(settings, "listenPort"), "10911");
  EXPECT_EQ(value_of(settings, "autoCreateTopicEnable"), "true");
  EXPECT_TRUE(std::ranges::is_sorted(settings.settings));
}

TEST_P(BrokerApiProgressTest, ChangesSettingsAtOnce) {
  const auto before = reply_to<model::SettingsReply>(model::QueryBrokerSettings{}).version;
  ASSERT_TRUE(ask(model::ChangeBrokerSettings{{{"autoCreateTopicEnable", "false"},
                                               {"defaultTopicQueueNums", "2"},
                                               {"brokerName", "broker-a"}}}));
  EXPECT_EQ(code_of(send(message("orders", "x"))), Errc::topic_not_found);
  ASSERT_TRUE(ask(model::ChangeBrokerSettings{{{"autoCreateTopicEnable", "true"}}}));
  ASSERT_TRUE(send(message("orders", "x")));
  EXPECT_EQ(topic_named("orders").write_queues, 2);
  EXPECT_GT(reply_to<model::SettingsReply>(model::QueryBrokerSettings{}).version.counter,
            before.counter);
}

TEST_P(BrokerApiProgressTest, RefusesSettingsThatCannotBeChanged) {
  for (const auto& [name, value] :
       {model::NameValue{"brokerName", "other"}, model::NameValue{"storePathRootDir", "/etc"},
        model::NameValue{"", "x"}, model::NameValue{"no such setting", "x"},
        model::NameValue{"../../x", "$(id)"}}) {
    if (name.empty()) continue;
    const auto refused =
        ask(model::ChangeBrokerSettings{{{"autoCreateTopicEnable", "false"}, {name, value}}});
    EXPECT_EQ(code_of(refused), Errc::permission_denied) << name;
  }
  for (const char* value : {"yes", "", "TRUE"}) {
    EXPECT_EQ(code_of(ask(model::ChangeBrokerSettings{{{"autoCreateTopicEnable", value}}})),
              Errc::invalid_argument)
        << value;
  }
  for (const char* value : {"0", "-1", "4097", "1e3", "99999999999999999999"}) {
    EXPECT_EQ(code_of(ask(model::ChangeBrokerSettings{{{"defaultTopicQueueNums", value}}})),
              Errc::invalid_argument)
        << value;
  }
  EXPECT_TRUE(send(message("orders", "x"))) << "all or none";
}

TEST_P(BrokerApiProgressTest, KnowsTheRatesOfWhatItHasCounted) {
  EXPECT_EQ(code_of(ask(model::QueryRates{"TOPIC_PUT_NUMS", "orders"})), Errc::not_found);
  ASSERT_TRUE(send(message("orders", "x")));
  ASSERT_TRUE(pull(pull_of("orders", 0)));
  for (const auto& [name, key] :
       {model::NameValue{"TOPIC_PUT_NUMS", "orders"}, model::NameValue{"TOPIC_PUT_SIZE", "orders"},
        model::NameValue{"GROUP_GET_NUMS", "orders@readers"},
        model::NameValue{"GROUP_GET_SIZE", "orders@readers"},
        model::NameValue{"BROKER_PUT_NUMS", "DefaultCluster"}}) {
    EXPECT_TRUE(ask(model::QueryRates{name, key})) << name;
  }
  EXPECT_EQ(code_of(ask(model::QueryRates{"NONE", "orders"})), Errc::not_found);
  ASSERT_TRUE(run(api_->delete_topic(caller(), {.topic = "orders"})));
  EXPECT_EQ(code_of(ask(model::QueryRates{"TOPIC_PUT_NUMS", "orders"})), Errc::not_found);
}

TEST_P(BrokerApiProgressTest, SaysThatTheDeadlineHasPassed) {
  model::CallContext late = caller();
  late.deadline = runtime_->environment().steady_now() - std::chrono::seconds(1);
  EXPECT_EQ(code_of(run(api_->administer(late, model::QueryRuntime{}))), Errc::deadline_exceeded);
}

INSTANTIATE_TEST_SUITE_P(InProcess, BrokerApiProgressTest, testing::Values(Form::in_process));
INSTANTIATE_TEST_SUITE_P(Remote, BrokerApiProgressTest, testing::Values(Form::remote));

}  // namespace
}  // namespace sluice
