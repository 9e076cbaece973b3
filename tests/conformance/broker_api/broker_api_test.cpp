// The cases that define BrokerApi (common/broker_api/broker_api.hpp), run against every form of it.

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "common/base/limits.hpp"
#include "common/model/properties.hpp"
#include "common/model/stored_message.hpp"
#include "tests/conformance/broker_api/broker_api_fixture.hpp"

namespace sluice {
namespace {

using model::PullStatus;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kTagA = "TAGS\001a\002";
constexpr std::string_view kTagB = "TAGS\001b\002";

template <class T>
Errc code_of(const Result<T>& result) {
  return result ? Errc{} : result.error().code;
}

model::StoredMessageView view_of(const model::StoredRecord& record) {
  return model::StoredMessageView::parse(record.payload.bytes()).value();
}

std::vector<std::string> bodies_of(const model::PullReply& reply) {
  std::vector<std::string> bodies;
  for (const model::StoredRecord& record : reply.records) {
    bodies.emplace_back(as_text(view_of(record).body()));
  }
  return bodies;
}

using Bodies = std::vector<std::string>;

model::QueryBounds bounds_query(std::int32_t queue = 0) {
  model::QueryBounds query;
  query.topic = "orders";
  query.queue = queue;
  return query;
}

// --- sending ---------------------------------------------------------------------------------

TEST_P(BrokerApiTest, GivesOffsetsWithoutGapAndPositionsThatGrow) {
  std::uint64_t position = 0;
  for (std::int64_t i = 0; i < 5; ++i) {
    const auto reply = send(message("orders", "x"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->offset, i);
    ASSERT_EQ(reply->positions.size(), 1U);
    EXPECT_GT(reply->positions[0], position);
    position = reply->positions[0];
  }
}

TEST_P(BrokerApiTest, SaysWhereTheMessageIdPointsAndWhichQueueItTook) {
  const auto reply = send(message("orders", "x", {}, 2));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->store_host, advertised());
  EXPECT_EQ(reply->queue, 2);
}

TEST_P(BrokerApiTest, ChoosesAQueueIfTheSenderDoesNot) {
  const auto reply = send(message("orders", "x", {}, -1));
  ASSERT_TRUE(reply);
  EXPECT_GE(reply->queue, 0);
  EXPECT_LT(reply->queue, 4);
}

TEST_P(BrokerApiTest, KeepsTheUniqueKeyThatAMessageHas) {
  EXPECT_EQ(send(message("orders", "x", "UNIQ_KEY\001MINE\002"))->unique_key, "MINE");
}

TEST_P(BrokerApiTest, MakesAUniqueKeyForAMessageWithoutOne) {
  const auto first = send(message("orders", "x"));
  const auto second = send(message("orders", "x"));
  EXPECT_FALSE(first->unique_key.empty());
  EXPECT_NE(first->unique_key, second->unique_key);
}

TEST_P(BrokerApiTest, AnswersEachSendOfACallOnItsOwnAndInOrder) {
  std::vector<model::Send> sends;
  sends.push_back(message("orders", "first"));
  sends.push_back(message("orders", "bad queue", {}, 99));
  sends.push_back(message("orders", "second"));
  const auto replies = run(api_->send(caller(), std::move(sends)));
  ASSERT_TRUE(replies);
  ASSERT_EQ(replies->size(), 3U);
  EXPECT_EQ((*replies)[0]->offset, 0);
  EXPECT_EQ(code_of((*replies)[1]), Errc::invalid_argument);
  EXPECT_EQ((*replies)[2]->offset, 1);
  EXPECT_EQ(bodies_of(*pull(pull_of("orders", 0))), (Bodies{"first", "second"}));
}

TEST_P(BrokerApiTest, AnswersACallWithoutSends) {
  const auto replies = run(api_->send(caller(), {}));
  ASSERT_TRUE(replies);
  EXPECT_TRUE(replies->empty());
}

TEST_P(BrokerApiTest, StoresABatchAtConsecutiveOffsetsWithAPositionEach) {
  ASSERT_TRUE(send(message("orders", "one")));
  const std::string_view bodies[] = {"two", "three", "four"};
  model::Send batch = message("orders", bodies[0]);
  batch.messages.clear();
  for (const std::string_view body : bodies) {
    batch.messages.push_back({.body = as_bytes(body), .properties = kTagA, .flag = 7});
  }
  batch.is_batch = true;
  const auto reply = send(std::move(batch));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->offset, 1);
  EXPECT_EQ(reply->positions.size(), 3U);
  EXPECT_TRUE(reply->unique_key.empty());
  const auto pulled = pull(pull_of("orders", 1));
  EXPECT_EQ(bodies_of(*pulled), (Bodies{"two", "three", "four"}));
  EXPECT_EQ(view_of(pulled->records[1]).flag(), 7);
  EXPECT_EQ(model::find_property(view_of(pulled->records[2]).properties(), "TAGS"), "a");
}

TEST_P(BrokerApiTest, CreatesAnUnknownTopicFromTheTemplate) {
  ASSERT_TRUE(send(message("orders", "x")));
  model::QueryTopics query;
  query.topic = "orders";
  const auto topics = run(api_->query_topics(caller(), query));
  ASSERT_TRUE(topics);
  const auto orders = std::ranges::find(topics->topics, "orders", &model::TopicConfig::name);
  ASSERT_NE(orders, topics->topics.end());
  EXPECT_EQ(orders->write_queues, 4);
}

TEST_P(BrokerApiTest, RefusesAnUnknownTopicWithoutATemplate) {
  model::Send untemplated = message("orders", "x");
  untemplated.template_topic = "no such template";
  EXPECT_EQ(code_of(send(std::move(untemplated))), Errc::topic_not_found);
}

TEST_P(BrokerApiTest, RefusesATopicThatTakesNoMessages) {
  model::CreateTopic create;
  create.config.name = "orders";
  create.config.permission = model::permission::kRead;
  ASSERT_TRUE(run(api_->create_topic(caller(), create)));
  EXPECT_EQ(code_of(send(message("orders", "x"))), Errc::permission_denied);
}

TEST_P(BrokerApiTest, TakesABodyOfTheLargestSizeWholeAndRefusesOneByteMore) {
  std::string body(limits::kMessageBodyBytesMax, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 7 >> 2);
  ASSERT_TRUE(send(message("orders", body)));
  const auto pulled = pull(pull_of("orders", 0));
  ASSERT_EQ(pulled->records.size(), 1U);
  EXPECT_TRUE(as_text(view_of(pulled->records[0]).body()) == body);
  const auto refused = send(message("orders", body + "x"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(row_of(refused.error().code).remoting, row_of(Errc::payload_too_large).remoting);
  EXPECT_NE(refused.error().text.find(std::to_string(limits::kMessageBodyBytesMax)),
            std::string::npos)
      << refused.error().text;
}

// --- pulling ---------------------------------------------------------------------------------

TEST_P(BrokerApiTest, GivesAMessageBackWithAllThatItCameWith) {
  model::Send sent = message("orders", "the body", "KEYS\001k\002colour\001blue\002");
  sent.messages[0].flag = 42;
  sent.system_flag = model::system_flag::kMultiTags;
  sent.reconsume_times = 2;
  const auto reply = send(std::move(sent));
  ASSERT_TRUE(reply);
  const auto pulled = pull(pull_of("orders", 0));
  ASSERT_TRUE(pulled);
  ASSERT_EQ(pulled->records.size(), 1U);
  const model::StoredRecord& record = pulled->records[0];
  EXPECT_EQ(record.offset, 0);
  EXPECT_EQ(record.position, reply->positions[0]);
  EXPECT_GT(record.stored_at_ms, 1'600'000'000'000);
  const auto view = view_of(record);
  EXPECT_EQ(as_text(view.body()), "the body");
  EXPECT_EQ(view.topic(), "orders");
  EXPECT_EQ(view.queue(), 0);
  EXPECT_EQ(view.flag(), 42);
  EXPECT_NE(view.system_flag() & model::system_flag::kMultiTags, 0);
  EXPECT_EQ(view.reconsume_times(), 2);
  EXPECT_EQ(view.born_at_ms(), 1'600'000'000'000);
  EXPECT_EQ(view.born_host(), peer()) << "the client's, not the gateway's";
  EXPECT_EQ(model::find_property(view.properties(), "KEYS"), "k");
  EXPECT_EQ(model::find_property(view.properties(), "colour"), "blue");
  EXPECT_EQ(model::find_property(view.properties(), "UNIQ_KEY"), reply->unique_key);
  EXPECT_EQ(pulled->store_host, advertised());
}

TEST_P(BrokerApiTest, SaysWhereToReadOnAndWhatTheQueueHolds) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(send(message("orders", std::to_string(i))));
  model::Pull two = pull_of("orders", 1);
  two.messages_max = 2;
  const auto reply = pull(two);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, PullStatus::found);
  EXPECT_EQ(bodies_of(*reply), (Bodies{"1", "2"}));
  EXPECT_EQ(reply->next_offset, 3);
  EXPECT_EQ(reply->first_offset, 0);
  EXPECT_EQ(reply->end_offset, 5);
}

TEST_P(BrokerApiTest, GivesTheFirstMessageThoughItIsLargerThanAsked) {
  ASSERT_TRUE(send(message("orders", std::string(5000, 'x'))));
  ASSERT_TRUE(send(message("orders", "y")));
  model::Pull small = pull_of("orders", 0);
  small.bytes_max = 100;
  EXPECT_EQ(pull(small)->records.size(), 1U);
}

TEST_P(BrokerApiTest, SaysThatThereIsNothingNewAtTheEnd) {
  ASSERT_TRUE(send(message("orders", "x")));
  const auto reply = pull(pull_of("orders", 1));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, PullStatus::nothing_new);
  EXPECT_EQ(reply->next_offset, 1);
  EXPECT_TRUE(reply->records.empty());
}

TEST_P(BrokerApiTest, SaysWhereToGoFromAnOffsetOutsideTheQueue) {
  ASSERT_TRUE(send(message("orders", "x")));
  const auto beyond = pull(pull_of("orders", 9));
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->status, PullStatus::offset_moved);
  EXPECT_EQ(beyond->next_offset, 1);
  const auto before = pull(pull_of("orders", -3));
  ASSERT_TRUE(before);
  EXPECT_EQ(before->status, PullStatus::offset_moved);
  EXPECT_EQ(before->next_offset, 0);
}

TEST_P(BrokerApiTest, GivesOnlyMessagesWithTheTagsAskedFor) {
  ASSERT_TRUE(send(message("orders", "1", kTagA)));
  ASSERT_TRUE(send(message("orders", "2", kTagB)));
  ASSERT_TRUE(send(message("orders", "3", kTagA)));
  model::Pull only_a = pull_of("orders", 0);
  only_a.filter->expression = "a";
  EXPECT_EQ(bodies_of(*pull(only_a)), (Bodies{"1", "3"}));
  model::Pull both = pull_of("orders", 0);
  both.filter->expression = "a || b";
  EXPECT_EQ(bodies_of(*pull(both)), (Bodies{"1", "2", "3"}));
}

TEST_P(BrokerApiTest, GoesOnBehindMessagesThatDoNotMatch) {
  ASSERT_TRUE(send(message("orders", "1", kTagB)));
  model::Pull only_a = pull_of("orders", 0);
  only_a.filter->expression = "a";
  const auto reply = pull(only_a);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, PullStatus::nothing_matched);
  EXPECT_EQ(reply->next_offset, 1);
}

TEST_P(BrokerApiTest, UsesTheFilterOfTheGroupsHeartbeatIfThePullHasNone) {
  ASSERT_TRUE(send(message("orders", "1", kTagA)));
  ASSERT_TRUE(send(message("orders", "2", kTagB)));
  model::Pull unfiltered = pull_of("orders", 0);
  unfiltered.filter.reset();
  EXPECT_EQ(code_of(pull(unfiltered)), Errc::subscription_missing);
  ASSERT_TRUE(run(api_->register_client(caller(), consumer("c1", "readers", "orders", "b"))));
  EXPECT_EQ(bodies_of(*pull(unfiltered)), (Bodies{"2"}));
}

TEST_P(BrokerApiTest, RefusesAFilterThatIsNotBuilt) {
  ASSERT_TRUE(send(message("orders", "1")));
  model::Pull sql = pull_of("orders", 0);
  sql.filter = model::FilterExpression{.expression = "a > 1", .type = "SQL92"};
  EXPECT_EQ(code_of(pull(sql)), Errc::subscription_invalid);
}

TEST_P(BrokerApiTest, RefusesAPullFromATopicOrAQueueThatIsNotThere) {
  EXPECT_EQ(code_of(pull(pull_of("orders", 0))), Errc::topic_not_found);
  ASSERT_TRUE(send(message("orders", "1")));
  model::Pull elsewhere = pull_of("orders", 0);
  elsewhere.queue = 4;
  EXPECT_EQ(code_of(pull(elsewhere)), Errc::invalid_argument);
}

TEST_P(BrokerApiTest, WakesAWaitingPullWithTheMessageThatComes) {
  ASSERT_TRUE(send(message("orders", "1")));
  model::Pull waiting = pull_of("orders", 1);
  waiting.wait = seconds(60);
  auto pulled = test::start(runtime_->loop(0), api_->pull(caller(), waiting));
  EXPECT_EQ(pulled.wait_for(milliseconds(50)), std::future_status::timeout);
  ASSERT_TRUE(send(message("orders", "2")));
  const auto reply = test::wait_for_result(std::move(pulled));
  ASSERT_TRUE(reply);
  EXPECT_EQ(bodies_of(*reply), (Bodies{"2"}));
}

TEST_P(BrokerApiTest, EndsTheWaitingPullOfAClientWhoseSessionIsGone) {
  ASSERT_TRUE(send(message("orders", "a")));
  ASSERT_TRUE(run(api_->register_client(caller(7), consumer("c1", "readers", "orders"))));
  auto request = pull_of("orders", 1);
  request.wait = std::chrono::seconds(60);
  auto waiting = test::start(runtime_->loop(0), api_->pull(caller(7), std::move(request)));
  // Behind the pull, however it goes there.
  EXPECT_TRUE(run(api_->list_members(caller(), {"readers"})));
  api_->session_closed(model::SessionId{7}, model::SessionId{});
  EXPECT_EQ(waiting.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(test::wait_for_result(std::move(waiting))->status, model::PullStatus::nothing_new);
}

TEST_P(BrokerApiTest, EndsAWaitingPullWithNothingNewWhenItsTimeIsOver) {
  ASSERT_TRUE(send(message("orders", "1")));
  model::Pull waiting = pull_of("orders", 1);
  waiting.wait = milliseconds(100);
  const auto begun = std::chrono::steady_clock::now();
  const auto reply = pull(waiting);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, milliseconds(90));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, PullStatus::nothing_new);
}

TEST_P(BrokerApiTest, KeepsManyPullsWaitingWithoutHoldingUpOtherCalls) {
  ASSERT_TRUE(send(message("orders", "1")));
  std::vector<std::future<Result<model::PullReply>>> pulls;
  for (int i = 0; i < 200; ++i) {
    model::Pull waiting = pull_of("orders", 1);
    waiting.wait = seconds(60);
    pulls.push_back(test::start(runtime_->loop(i % 2), api_->pull(caller(), waiting)));
  }
  EXPECT_TRUE(run(api_->query_bounds(caller(), bounds_query())));
  ASSERT_TRUE(send(message("orders", "2")));
  for (auto& one : pulls) EXPECT_EQ(test::wait_for_result(std::move(one))->records.size(), 1U);
}

// --- offsets ---------------------------------------------------------------------------------

model::UpdateOffset progress(std::int64_t offset) {
  model::UpdateOffset update;
  update.group = "readers";
  update.topic = "orders";
  update.offset = offset;
  return update;
}

model::QueryOffset progress_query() {
  model::QueryOffset query;
  query.group = "readers";
  query.topic = "orders";
  query.zero_if_not_found = false;
  return query;
}

TEST_P(BrokerApiTest, RemembersTheProgressOfAGroup) {
  ASSERT_TRUE(send(message("orders", "1")));
  EXPECT_EQ(code_of(run(api_->query_offset(caller(), progress_query()))), Errc::not_found);
  ASSERT_TRUE(run(api_->update_offset(caller(), progress(5))));
  EXPECT_EQ(run(api_->query_offset(caller(), progress_query()))->offset, 5);
  ASSERT_TRUE(run(api_->update_offset(caller(), progress(3))));
  EXPECT_EQ(run(api_->query_offset(caller(), progress_query()))->offset, 3) << "backwards too";
}

TEST_P(BrokerApiTest, KeepsTheProgressOfQueuesApart) {
  ASSERT_TRUE(send(message("orders", "1")));
  model::UpdateOffset other = progress(9);
  other.queue = 1;
  ASSERT_TRUE(run(api_->update_offset(caller(), progress(5))));
  ASSERT_TRUE(run(api_->update_offset(caller(), other)));
  EXPECT_EQ(run(api_->query_offset(caller(), progress_query()))->offset, 5);
}

// The rule that lets a new group read a young topic from its beginning.
TEST_P(BrokerApiTest, SaysZeroForANewGroupAtAQueueThatHasItsFirstMessage) {
  ASSERT_TRUE(send(message("orders", "1")));
  model::QueryOffset query = progress_query();
  query.zero_if_not_found = true;
  EXPECT_EQ(run(api_->query_offset(caller(), query))->offset, 0);
  query.queue = 1;
  EXPECT_EQ(code_of(run(api_->query_offset(caller(), query))), Errc::not_found)
      << "an empty queue has no first message";
}

TEST_P(BrokerApiTest, TakesTheProgressThatAPullCarries) {
  ASSERT_TRUE(send(message("orders", "1")));
  model::Pull carrying = pull_of("orders", 0);
  carrying.commit_offset = 1;
  ASSERT_TRUE(pull(carrying));
  EXPECT_TRUE(test::wait_until([&] {
    const auto known = run(api_->query_offset(caller(), progress_query()));
    return known && known->offset == 1;
  }));
}

TEST_P(BrokerApiTest, RefusesProgressInATopicThatIsNotThere) {
  EXPECT_EQ(code_of(run(api_->update_offset(caller(), progress(1)))), Errc::topic_not_found);
}

TEST_P(BrokerApiTest, KnowsTheBoundsOfAQueue) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(message("orders", "x")));
  const auto bounds = run(api_->query_bounds(caller(), bounds_query()));
  ASSERT_TRUE(bounds);
  EXPECT_EQ(bounds->first, 0);
  EXPECT_EQ(bounds->next, 3);
}

TEST_P(BrokerApiTest, SaysThatAQueueThatIsNotThereIsEmpty) {
  const auto no_topic = run(api_->query_bounds(caller(), bounds_query()));
  ASSERT_TRUE(no_topic);
  EXPECT_EQ(no_topic->first, 0);
  EXPECT_EQ(no_topic->next, 0);
  ASSERT_TRUE(send(message("orders", "x")));
  const auto no_queue = run(api_->query_bounds(caller(), bounds_query(77)));
  ASSERT_TRUE(no_queue);
  EXPECT_EQ(no_queue->next, 0);
}

TEST_P(BrokerApiTest, FindsTheOffsetOfATime) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(message("orders", "x")));
  const auto pulled = pull(pull_of("orders", 0));
  const std::int64_t last = pulled->records.back().stored_at_ms;
  model::SearchOffset search;
  search.topic = "orders";
  search.time_ms = 0;
  EXPECT_EQ(run(api_->search_offset(caller(), search))->offset, 0);
  search.time_ms = last + 1000;
  EXPECT_EQ(run(api_->search_offset(caller(), search))->offset, 3);
  search.boundary = model::Boundary::upper;
  EXPECT_EQ(run(api_->search_offset(caller(), search))->offset, 2);
  search.time_ms = 0;
  EXPECT_EQ(run(api_->search_offset(caller(), search))->offset, 0);
}

TEST_P(BrokerApiTest, KnowsWhenTheOldestMessageWasStored) {
  ASSERT_TRUE(send(message("orders", "x")));
  model::QueryEarliestTime query;
  query.topic = "orders";
  const auto pulled = pull(pull_of("orders", 0));
  EXPECT_EQ(run(api_->query_earliest_time(caller(), query))->offset,
            pulled->records[0].stored_at_ms);
  query.queue = 1;
  EXPECT_EQ(run(api_->query_earliest_time(caller(), query))->offset, -1) << "an empty queue";
}

// --- members ---------------------------------------------------------------------------------

model::ListMembers members_of(std::string group) {
  model::ListMembers query;
  query.group = std::move(group);
  return query;
}

TEST_P(BrokerApiTest, ListsEveryMemberOfAGroupOnce) {
  ASSERT_TRUE(run(api_->register_client(caller(1), consumer("c1", "g", "orders"))));
  ASSERT_TRUE(run(api_->register_client(caller(2), consumer("c2", "g", "orders"))));
  ASSERT_TRUE(run(api_->register_client(caller(2), consumer("c2", "g", "orders"))));
  const auto members = run(api_->list_members(caller(), members_of("g")));
  ASSERT_TRUE(members);
  const std::multiset<std::string> ids(members->client_ids.begin(), members->client_ids.end());
  EXPECT_EQ(ids, (std::multiset<std::string>{"c1", "c2"}));
}

TEST_P(BrokerApiTest, SaysThatAGroupHasNoMembers) {
  EXPECT_EQ(code_of(run(api_->list_members(caller(), members_of("g")))),
            Errc::group_has_no_members);
}

TEST_P(BrokerApiTest, ForgetsAMemberThatUnregisters) {
  ASSERT_TRUE(run(api_->register_client(caller(1), consumer("c1", "g", "orders"))));
  ASSERT_TRUE(run(api_->register_client(caller(2), consumer("c2", "g", "orders"))));
  model::UnregisterClient goodbye;
  goodbye.client_id = "c1";
  goodbye.consumer_group = "g";
  ASSERT_TRUE(run(api_->unregister_client(caller(1), goodbye)));
  EXPECT_EQ(run(api_->list_members(caller(), members_of("g")))->client_ids,
            std::vector<std::string>{"c2"});
}

TEST_P(BrokerApiTest, ForgetsTheMembersOfASessionThatIsGone) {
  ASSERT_TRUE(run(api_->register_client(caller(1), consumer("c1", "g", "orders"))));
  ASSERT_TRUE(run(api_->register_client(caller(2), consumer("c2", "g", "orders"))));
  api_->session_closed(model::SessionId{1}, model::SessionId{});
  api_->session_closed(model::SessionId{1}, model::SessionId{});
  EXPECT_TRUE(test::wait_until([&] {
    const auto members = run(api_->list_members(caller(), members_of("g")));
    return members && members->client_ids == std::vector<std::string>{"c2"};
  }));
}

/// Sessions that were told that `group` changed, asking until all of `expected` were.
std::set<std::uint64_t> told_of(const model::WatchReply& reply, const std::string& group) {
  std::set<std::uint64_t> sessions;
  for (const model::Notice& notice : reply.notices) {
    if (std::get<model::GroupChanged>(notice.event).group == group) {
      sessions.insert(notice.session.value);
    }
  }
  return sessions;
}

TEST_P(BrokerApiTest, TellsEveryMemberThatItsGroupChanged) {
  ASSERT_TRUE(run(api_->register_client(caller(11), consumer("c1", "g", "orders"))));
  ASSERT_TRUE(run(api_->register_client(caller(12), consumer("c2", "g", "orders"))));
  std::set<std::uint64_t> told;
  while (told != std::set<std::uint64_t>{11, 12}) {
    const auto reply = run(api_->watch({}, {}));
    ASSERT_TRUE(reply);
    told.merge(told_of(*reply, "g"));
  }
}

TEST_P(BrokerApiTest, WakesAWatchWhenAGroupChanges) {
  ASSERT_TRUE(run(api_->register_client(caller(11), consumer("c1", "g", "orders"))));
  ASSERT_TRUE(run(api_->watch({}, {})));
  auto watching = test::start(runtime_->loop(0), api_->watch({}, {}));
  EXPECT_EQ(watching.wait_for(milliseconds(50)), std::future_status::timeout);
  ASSERT_TRUE(run(api_->register_client(caller(12), consumer("c2", "g", "orders"))));
  const auto reply = test::wait_for_result(std::move(watching));
  ASSERT_TRUE(reply);
  EXPECT_TRUE(told_of(*reply, "g").contains(11));
}

TEST_P(BrokerApiTest, TellsTheOthersWhenASessionIsGone) {
  ASSERT_TRUE(run(api_->register_client(caller(11), consumer("c1", "g", "orders"))));
  ASSERT_TRUE(run(api_->register_client(caller(12), consumer("c2", "g", "orders"))));
  std::set<std::uint64_t> told;
  while (told != std::set<std::uint64_t>{11, 12}) {
    told.merge(told_of(*run(api_->watch({}, {})), "g"));
  }
  api_->session_closed(model::SessionId{12}, model::SessionId{});
  const auto reply = run(api_->watch({}, {}));
  ASSERT_TRUE(reply);
  EXPECT_EQ(told_of(*reply, "g"), std::set<std::uint64_t>{11});
}

// --- topics ----------------------------------------------------------------------------------

TEST_P(BrokerApiTest, CreatesATopicAsItIsConfigured) {
  model::CreateTopic create;
  create.config.name = "orders";
  create.config.read_queues = 3;
  create.config.write_queues = 2;
  create.config.is_ordered = true;
  create.config.attributes = {{"message.type", "FIFO"}, {"queue.type", "SimpleCQ"}};
  ASSERT_TRUE(run(api_->create_topic(caller(), create)));
  model::QueryTopics query;
  query.topic = "orders";
  const auto topics = run(api_->query_topics(caller(), query));
  ASSERT_TRUE(topics);
  ASSERT_EQ(topics->topics.size(), 1U);
  EXPECT_EQ(topics->topics[0], create.config);
}

TEST_P(BrokerApiTest, ChangesATopicThatIsThere) {
  model::CreateTopic create;
  create.config.name = "orders";
  ASSERT_TRUE(run(api_->create_topic(caller(), create)));
  create.config.write_queues = 1;
  ASSERT_TRUE(run(api_->create_topic(caller(), create)));
  EXPECT_EQ(code_of(send(message("orders", "x", {}, 9))), Errc::invalid_argument);
  model::QueryTopics query;
  query.topic = "orders";
  EXPECT_EQ(run(api_->query_topics(caller(), query))->topics[0].write_queues, 1);
}

TEST_P(BrokerApiTest, ListsAllTopics) {
  ASSERT_TRUE(send(message("b-topic", "x")));
  ASSERT_TRUE(send(message("a-topic", "x")));
  const auto topics = run(api_->query_topics(caller(), {}));
  ASSERT_TRUE(topics);
  std::set<std::string> names;
  for (const model::TopicConfig& config : topics->topics) names.insert(config.name);
  EXPECT_TRUE(names.contains("a-topic"));
  EXPECT_TRUE(names.contains("b-topic"));
}

TEST_P(BrokerApiTest, HasNoTopicThatWasDeleted) {
  ASSERT_TRUE(send(message("orders", "x")));
  ASSERT_TRUE(run(api_->delete_topic(caller(), {.topic = "orders"})));
  EXPECT_EQ(code_of(pull(pull_of("orders", 0))), Errc::topic_not_found);
  EXPECT_EQ(code_of(run(api_->delete_topic(caller(), {.topic = "orders"}))), Errc::topic_not_found);
}

// --- time ------------------------------------------------------------------------------------

TEST_P(BrokerApiTest, SaysThatTheDeadlineHasPassed) {
  model::CallContext late = caller();
  late.deadline = runtime_->environment().steady_now() - seconds(1);
  EXPECT_EQ(code_of(run(api_->pull(late, pull_of("orders", 0)))), Errc::deadline_exceeded);
  EXPECT_EQ(code_of(run(api_->query_bounds(late, bounds_query()))), Errc::deadline_exceeded);
  EXPECT_EQ(code_of(run(api_->register_client(late, consumer("c1", "g", "orders")))),
            Errc::deadline_exceeded);
}

INSTANTIATE_TEST_SUITE_P(InProcess, BrokerApiTest, testing::Values(Form::in_process));
INSTANTIATE_TEST_SUITE_P(Remote, BrokerApiTest, testing::Values(Form::remote));

}  // namespace
}  // namespace sluice
