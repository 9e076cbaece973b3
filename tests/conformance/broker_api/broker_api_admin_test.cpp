// The cases that define BrokerApi::administer (common/model/admin.hpp), run against every form of
// BrokerApi: groups, topics and connections.

#include "common/base/limits.hpp"
#include "tests/conformance/broker_api/broker_api_admin_fixture.hpp"

namespace sluice {
namespace {

// --- groups ----------------------------------------------------------------------------------

TEST_P(BrokerApiAdminTest, GivesAGroupBackAsItWasPut) {
  model::GroupConfig group = group_named("billing");
  group.may_consume = false;
  group.may_broadcast = false;
  group.consumes_from_first = false;
  group.consumes_orderly = true;
  group.tells_of_changes = false;
  group.retry_queues = 3;
  group.retry_max = 5;
  group.consume_timeout_minutes = 7;
  group.system_flag = 1;
  group.broker_id = 2;
  group.broker_id_when_slow = 3;
  group.retry_policy = R"({"customizedRetryPolicy":{"next":[1000]},"type":"CUSTOMIZED"})";
  group.subscriptions = R"([{"expression":"*","topic":"t"}])";
  group.attributes = {{"a", "b"}};
  put_group(group);
  EXPECT_EQ(groups("billing"), std::vector<model::GroupConfig>{group});
}

TEST_P(BrokerApiAdminTest, ChangesAGroupThatIsThere) {
  put_group(group_named("g"));
  model::GroupConfig changed = group_named("g");
  changed.retry_max = 1;
  put_group(changed);
  EXPECT_EQ(groups(), std::vector<model::GroupConfig>{changed});
}

TEST_P(BrokerApiAdminTest, PutsAllGroupsOfAListOrNone) {
  model::PutGroups put;
  put.groups = {group_named("b"), group_named("a")};
  ASSERT_TRUE(ask(put));
  const auto all = groups();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "a");
  put.groups = {group_named("c"), group_named("../d")};
  EXPECT_EQ(code_of(ask(put)), Errc::invalid_argument);
  EXPECT_EQ(groups().size(), 2U);
}

TEST_P(BrokerApiAdminTest, GivesGroupsInPagesAndBeginsAnewWhenTheyChange) {
  for (const char* name : {"a", "b", "c"}) put_group(group_named(name));
  model::QueryGroups query;
  query.page.first = 0;
  query.page.count_max = 2;
  const auto first = reply_to<model::GroupsReply>(query);
  ASSERT_EQ(first.groups.size(), 2U);
  EXPECT_EQ(first.total, 3);
  query.page.first = 2;
  query.page.version = first.version;
  const auto second = reply_to<model::GroupsReply>(query);
  ASSERT_EQ(second.groups.size(), 1U);
  EXPECT_EQ(second.groups[0].name, "c");
  put_group(group_named("d"));
  const auto anew = reply_to<model::GroupsReply>(query);
  ASSERT_EQ(anew.groups.size(), 2U);
  EXPECT_EQ(anew.groups[0].name, "a");
  EXPECT_EQ(anew.total, 4);
}

TEST_P(BrokerApiAdminTest, MakesAMissingGroupOnlyIfAsked) {
  model::QueryGroups query;
  query.group = "g";
  EXPECT_TRUE(reply_to<model::GroupsReply>(query).groups.empty());
  query.makes_missing = true;
  EXPECT_EQ(reply_to<model::GroupsReply>(query).groups.size(), 1U);
  EXPECT_EQ(groups().size(), 1U);
}

TEST_P(BrokerApiAdminTest, DeletesAGroupWithItsProgressOrWithout) {
  create_topic("orders");
  commit("orders", "g", 1, 5);
  ASSERT_TRUE(ask(model::DeleteGroup{.group = "g"}));
  EXPECT_TRUE(groups().empty());
  EXPECT_EQ(committed("orders", "g", 1)->offset, 5);
  ASSERT_TRUE(ask(model::DeleteGroup{.group = "g", .forgets_progress = true}));
  EXPECT_EQ(code_of(committed("orders", "g", 1)), Errc::not_found);
  EXPECT_TRUE(reply_to<model::NameListReply>(model::QueryTopicsOfGroup{"g"}).names.empty());
}

TEST_P(BrokerApiAdminTest, LetsNoGroupPullThatMayNotConsume) {
  ASSERT_TRUE(send(message("orders", "x")));
  model::GroupConfig group = group_named("readers");
  group.may_consume = false;
  put_group(group);
  EXPECT_EQ(code_of(pull(pull_of("orders", 0))), Errc::permission_denied);
  group.may_consume = true;
  put_group(group);
  EXPECT_TRUE(pull(pull_of("orders", 0)));
}

TEST_P(BrokerApiAdminTest, LetsNoGroupBroadcastThatMayNot) {
  ASSERT_TRUE(send(message("orders", "x")));
  auto client = consumer("c1", "readers", "orders");
  client.consumers[0].model = model::MessageModel::broadcasting;
  register_client(11, client);
  EXPECT_TRUE(pull(pull_of("orders", 0)));
  model::GroupConfig group = group_named("readers");
  group.may_broadcast = false;
  put_group(group);
  EXPECT_EQ(code_of(pull(pull_of("orders", 0))), Errc::permission_denied);
}

TEST_P(BrokerApiAdminTest, TellsNobodyOfChangesInAGroupThatDoesNotWantIt) {
  model::GroupConfig quiet = group_named("quiet");
  quiet.tells_of_changes = false;
  put_group(quiet);
  register_client(11, consumer("c1", "quiet", "orders"));
  register_client(11, consumer("c1", "loud", "orders"));
  const auto reply = run(api_->watch({}, {}));
  ASSERT_TRUE(reply);
  for (const model::Notice& notice : reply->notices) {
    EXPECT_EQ(std::get<model::GroupChanged>(notice.event).group, "loud");
  }
}

TEST_P(BrokerApiAdminTest, RefusesTheGroupsThatOneConnectionMakesBeyondItsLimit) {
  create_topic("orders", 1);
  for (std::size_t i = 0; i < limits::kGroupsMadePerSessionMax; ++i) {
    commit("orders", "g" + std::to_string(i), 0, 1);
  }
  model::UpdateOffset one_more;
  one_more.topic = "orders";
  one_more.group = "one-more";
  one_more.offset = 1;
  const auto refused = run(api_->update_offset(caller(), one_more));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::quota_exceeded);
  EXPECT_NE(refused.error().text.find(std::to_string(limits::kGroupsMadePerSessionMax)),
            std::string::npos)
      << refused.error().text;
  EXPECT_TRUE(run(api_->update_offset(caller(2), one_more))) << "others are not affected";
}

// --- topics ----------------------------------------------------------------------------------

TEST_P(BrokerApiAdminTest, KeepsTheAttributesThatARequestDoesNotName) {
  model::CreateTopic create;
  create.config.name = "orders";
  create.config.attributes = {{"message.type", "FIFO"}, {"queue.type", "SimpleCQ"}};
  ASSERT_TRUE(run(api_->create_topic(caller(), create)));
  create.config.attributes = {{"message.type", "NORMAL"}};
  create.config.write_queues = 2;
  ASSERT_TRUE(run(api_->create_topic(caller(), create)));
  EXPECT_EQ(
      topic_named("orders").attributes,
      (decltype(create.config.attributes){{"message.type", "NORMAL"}, {"queue.type", "SimpleCQ"}}));
  create.config.attributes.clear();
  create.removed_attributes = {"queue.type", "never there"};
  ASSERT_TRUE(run(api_->create_topic(caller(), create)));
  EXPECT_EQ(topic_named("orders").attributes,
            (decltype(create.config.attributes){{"message.type", "NORMAL"}}));
}

TEST_P(BrokerApiAdminTest, KeepsTheMessagesOfQueuesThatATopicLosesAndGetsBack) {
  create_topic("orders", 4);
  ASSERT_TRUE(send(message("orders", "x", {}, 3)));
  create_topic("orders", 1);
  model::Pull from_last = pull_of("orders", 0);
  from_last.queue = 3;
  EXPECT_EQ(code_of(pull(from_last)), Errc::invalid_argument);
  create_topic("orders", 4);
  EXPECT_EQ(pull(from_last)->records.size(), 1U);
}

TEST_P(BrokerApiAdminTest, GivesTopicsInPages) {
  for (const char* name : {"a", "b", "c"}) create_topic(name, 1);
  const auto all = run(api_->query_topics(caller(), {}));
  ASSERT_TRUE(all);
  EXPECT_EQ(static_cast<std::size_t>(all->total), all->topics.size());
  model::QueryTopics query;
  query.page.first = 1;
  query.page.count_max = 2;
  query.page.version = all->version;
  const auto page = run(api_->query_topics(caller(), query));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->topics.size(), 2U);
  EXPECT_EQ(page->topics[0], all->topics[1]);
  EXPECT_EQ(page->total, all->total);
  EXPECT_EQ(page->version, all->version);
}

TEST_P(BrokerApiAdminTest, KnowsTheBoundsAndTheLastTimeOfEveryQueue) {
  create_topic("orders", 2);
  ASSERT_TRUE(send(message("orders", "x", {}, 1)));
  ASSERT_TRUE(send(message("orders", "y", {}, 1)));
  const auto stats = reply_to<model::TopicStatsReply>(model::QueryTopicStats{"orders"});
  ASSERT_EQ(stats.queues.size(), 2U);
  EXPECT_EQ(stats.queues[0],
            (model::QueueStats{.broker_name = "broker-a", .topic = "orders", .queue = 0}));
  EXPECT_EQ(stats.queues[1].queue, 1);
  EXPECT_EQ(stats.queues[1].next, 2);
  model::Pull from_second = pull_of("orders", 1);
  from_second.queue = 1;
  EXPECT_EQ(stats.queues[1].updated_at_ms, pull(from_second)->records[0].stored_at_ms);
  EXPECT_EQ(code_of(ask(model::QueryTopicStats{"none"})), Errc::topic_not_found);
}

TEST_P(BrokerApiAdminTest, ShowsTheEntriesOfAQueue) {
  create_topic("orders", 1);
  const auto first = send(message("orders", "x", "TAGS\001a\002"));
  ASSERT_TRUE(send(message("orders", "y")));
  model::InspectQueue inspect;
  inspect.topic = "orders";
  inspect.count = 1;
  const auto one = reply_to<model::QueueEntriesReply>(inspect);
  EXPECT_EQ(one.first, 0);
  EXPECT_EQ(one.next, 2);
  ASSERT_EQ(one.entries.size(), 1U);
  EXPECT_EQ(one.entries[0].position, first->positions[0]);
  EXPECT_EQ(one.entries[0].tag_hash, 'a');
  EXPECT_GT(one.entries[0].bytes, 0);
  inspect.first = 1;
  inspect.count = 100;
  EXPECT_EQ(reply_to<model::QueueEntriesReply>(inspect).entries.size(), 1U);
  inspect.queue = 9;
  EXPECT_EQ(code_of(ask(inspect)), Errc::invalid_argument);
}

TEST_P(BrokerApiAdminTest, NamesTheTopicsOfTheSystem) {
  const auto names = reply_to<model::NameListReply>(model::QuerySystemTopics{}).names;
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_TRUE(std::ranges::count(names, "SCHEDULE_TOPIC_XXXX") == 1);
  EXPECT_TRUE(std::ranges::count(names, "TBW102") == 1);
}

// --- connections -----------------------------------------------------------------------------

TEST_P(BrokerApiAdminTest, ListsTheConsumersOfAGroup) {
  auto client = consumer("c1", "g", "orders", "a || b");
  client.consumers[0].type = model::ConsumeType::pull;
  client.consumers[0].consume_from_where = 4;
  register_client(11, client);
  const auto reply = reply_to<model::ConsumersReply>(model::QueryConsumers{"g"});
  ASSERT_EQ(reply.connections.size(), 1U);
  EXPECT_EQ(reply.connections[0].client_id, "c1");
  EXPECT_EQ(reply.connections[0].address, model::to_string(peer()));
  EXPECT_EQ(reply.connections[0].language, "JAVA");
  EXPECT_EQ(reply.connections[0].version, 513);
  EXPECT_EQ(reply.type, model::ConsumeType::pull);
  EXPECT_EQ(reply.model, model::MessageModel::clustering);
  EXPECT_EQ(reply.consume_from_where, 4);
  EXPECT_EQ(reply.subscriptions, client.consumers[0].subscriptions);
}

TEST_P(BrokerApiAdminTest, SaysThatAGroupIsOffline) {
  put_group(group_named("g"));
  EXPECT_EQ(code_of(ask(model::QueryConsumers{"g"})), Errc::group_offline);
  register_client(11, consumer("c1", "g", "orders"));
  api_->session_closed(model::SessionId{11}, model::SessionId{});
  EXPECT_TRUE(test::wait_until(
      [&] { return code_of(ask(model::QueryConsumers{"g"})) == Errc::group_offline; }));
}

TEST_P(BrokerApiAdminTest, ListsTheProducersOfAGroupAndOfAll) {
  register_client(11, producer("p1", "writers"));
  register_client(12, producer("p2", "writers"));
  register_client(12, producer("p2", "others"));
  const auto one = reply_to<model::ProducersReply>(model::QueryProducers{"writers"});
  ASSERT_EQ(one.groups.size(), 1U);
  EXPECT_EQ(one.groups[0].name, "writers");
  ASSERT_EQ(one.groups[0].connections.size(), 2U);
  EXPECT_EQ(one.groups[0].connections[0].client_id, "p1");
  EXPECT_EQ(one.groups[0].connections[0].language, "GO");
  EXPECT_EQ(one.groups[0].connections[0].version, 317);
  const auto all = reply_to<model::ProducersReply>(model::QueryProducers{});
  ASSERT_EQ(all.groups.size(), 2U);
  EXPECT_EQ(all.groups[0].name, "others");
  EXPECT_GT(all.groups[0].connections.at(0).last_seen_ms, 1'600'000'000'000);
  EXPECT_EQ(code_of(ask(model::QueryProducers{"nobody"})), Errc::group_has_no_members);
}

TEST_P(BrokerApiAdminTest, ForgetsAProducerThatLeavesOrWhoseSessionIsGone) {
  register_client(11, producer("p1", "writers"));
  register_client(12, producer("p2", "others"));
  model::UnregisterClient goodbye;
  goodbye.client_id = "p1";
  goodbye.producer_group = "writers";
  ASSERT_TRUE(run(api_->unregister_client(caller(11), goodbye)));
  EXPECT_EQ(code_of(ask(model::QueryProducers{"writers"})), Errc::group_has_no_members);
  api_->session_closed(model::SessionId{12}, model::SessionId{});
  EXPECT_TRUE(test::wait_until(
      [&] { return code_of(ask(model::QueryProducers{"others"})) == Errc::group_has_no_members; }));
}

INSTANTIATE_TEST_SUITE_P(InProcess, BrokerApiAdminTest, testing::Values(Form::in_process));
INSTANTIATE_TEST_SUITE_P(Remote, BrokerApiAdminTest, testing::Values(Form::remote));

}  // namespace
}  // namespace sluice
