// The cases of BrokerApi about finding messages, by what they carry and by time.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.hpp"
#include "common/model/stored_message.hpp"
#include "tests/conformance/broker_api/broker_api_fixture.hpp"
#include "tests/support/printers.hpp"

namespace sluice {
namespace {

using model::MessageIndex;

model::StoredMessageView view_of(const Slice& payload) {
  return model::StoredMessageView::parse(payload.bytes()).value();
}

using Bodies = std::vector<std::string>;

Bodies bodies_of(const Result<model::MessagesReply>& reply) {
  Bodies bodies;
  if (!reply) return {describe(reply.error())};
  for (const model::FoundMessage& found : reply->messages) {
    bodies.emplace_back(as_text(view_of(found.record.payload).body()));
  }
  return bodies;
}

// --- finding messages ------------------------------------------------------------------------

class FindApiTest : public BrokerApiTest {
 protected:
  static constexpr std::int64_t kStart = 1'700'000'000'000;

  /// Messages stored one second apart.
  model::SendReply store(std::string_view body, std::string_view properties,
                         std::int32_t queue = 0) {
    auto reply = send(message("orders", body, properties, queue));
    EXPECT_TRUE(reply);
    environment_.advance(1000);
    return reply ? *reply : model::SendReply{};
  }

  Result<model::MessagesReply> query(std::string key, MessageIndex index = MessageIndex::any_key,
                                     std::uint32_t messages_max = 32, std::int64_t first_ms = 0,
                                     std::int64_t last_ms = INT64_MAX) {
    model::QueryMessages query;
    query.topic = "orders";
    query.key = std::move(key);
    query.index = index;
    query.messages_max = messages_max;
    query.first_ms = first_ms;
    query.last_ms = last_ms;
    return run(api_->query_messages(caller(), query));
  }
};

TEST_P(FindApiTest, FindsMessagesByOneOfTheirKeys) {
  store("one", "KEYS\001a b\002");
  store("two", "KEYS\001b\002", 1);
  store("three", "KEYS\001c\002");
  EXPECT_EQ(bodies_of(query("b")), (Bodies{"one", "two"}));
  EXPECT_EQ(bodies_of(query("a")), Bodies{"one"});
  EXPECT_EQ(test::error_of(query("d")), Errc::not_found);
  EXPECT_EQ(test::error_of(query("a b")), Errc::not_found);
  EXPECT_EQ(test::error_of(query("")), Errc::not_found);
}

TEST_P(FindApiTest, FindsAMessageByItsUniqueKey) {
  const auto made = store("one", "");
  store("two", "UNIQ_KEY\001MINE\002KEYS\001k\002");
  EXPECT_EQ(bodies_of(query(made.unique_key, MessageIndex::unique_key)), Bodies{"one"});
  EXPECT_EQ(bodies_of(query("MINE")), Bodies{"two"});
}

TEST_P(FindApiTest, TellsKeysAndUniqueKeysApartIfAsked) {
  store("as key", "KEYS\001x\002");
  store("as unique key", "UNIQ_KEY\001x\002");
  EXPECT_EQ(bodies_of(query("x")), (Bodies{"as key", "as unique key"}));
  EXPECT_EQ(bodies_of(query("x", MessageIndex::key)), Bodies{"as key"});
  EXPECT_EQ(bodies_of(query("x", MessageIndex::unique_key)), Bodies{"as unique key"});
}

TEST_P(FindApiTest, FindsTheNewestMessagesOfATag) {
  store("one", "TAGS\001red\002");
  store("two", "TAGS\001blue\002");
  store("three", "TAGS\001red\002", 1);
  store("four", "TAGS\001red\002");
  EXPECT_EQ(bodies_of(query("red", MessageIndex::tag)), (Bodies{"one", "three", "four"}));
  EXPECT_EQ(bodies_of(query("red", MessageIndex::tag, 2)), (Bodies{"three", "four"}));
  EXPECT_EQ(bodies_of(query("red", MessageIndex::tag, 32, kStart + 1000, kStart + 2500)),
            Bodies{"three"});
  EXPECT_EQ(test::error_of(query("green", MessageIndex::tag)), Errc::not_found);
}

TEST_P(FindApiTest, FindsOnlyWhatWasStoredInTheTime) {
  store("at 0", "KEYS\001k\002");
  store("at 1", "KEYS\001k\002");
  store("at 2", "KEYS\001k\002");
  const auto between = [&](std::int64_t first, std::int64_t last) {
    return query("k", MessageIndex::any_key, 32, kStart + first, kStart + last);
  };
  EXPECT_EQ(bodies_of(between(0, 1000)), (Bodies{"at 0", "at 1"})) << "both ends belong to it";
  EXPECT_EQ(bodies_of(between(1, 1999)), Bodies{"at 1"});
  EXPECT_EQ(test::error_of(between(2001, 9000)), Errc::not_found);
  EXPECT_EQ(test::error_of(between(1000, 0)), Errc::not_found);
}

TEST_P(FindApiTest, FindsTheNewestIfThereAreMoreThanAskedFor) {
  for (int i = 0; i < 5; ++i) store(std::to_string(i), "KEYS\001k\002");
  EXPECT_EQ(bodies_of(query("k", MessageIndex::any_key, 2)), (Bodies{"3", "4"}));
}

TEST_P(FindApiTest, LooksPastKeysOfTheOtherKind) {
  for (int i = 0; i < 3; ++i) store("key " + std::to_string(i), "KEYS\001x\002");
  for (std::uint32_t i = 0; i < 2 * limits::kQueryMessagesMax; ++i) {
    ASSERT_TRUE(send(message("orders", "unique", "UNIQ_KEY\001x\002")));
  }
  EXPECT_EQ(bodies_of(query("x", MessageIndex::key)), (Bodies{"key 0", "key 1", "key 2"}));
}

TEST_P(FindApiTest, FindsNoMoreBytesThanOneAnswerHolds) {
  const std::string body(3U * 1024 * 1024, 'x');
  for (int i = 0; i < 4; ++i) store(body, "KEYS\001k\002");
  const auto reply = query("k");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->messages.size(), 2U);
  EXPECT_EQ(reply->messages.back().record.offset, 3) << "the newest is there";
}

TEST_P(FindApiTest, SaysWhichMessageWasTheNewestOfTheBroker) {
  store("one", "KEYS\001k\002");
  const auto last = store("two", "");
  const auto reply = query("k");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->newest_position, last.positions[0]);
  EXPECT_EQ(reply->newest_stored_at_ms, kStart + 1000);
}

TEST_P(FindApiTest, FindsNothingInATopicThatIsNotThere) {
  model::QueryMessages query;
  query.topic = "nothing";
  query.key = "k";
  query.last_ms = INT64_MAX;
  EXPECT_EQ(test::error_of(run(api_->query_messages(caller(), query))), Errc::not_found);
}

TEST_P(FindApiTest, ViewsAMessageAsAPullGivesIt) {
  store("zero", "");
  const auto sent = store("one", "KEYS\001k\002TAGS\001t\002", 1);
  model::ViewMessage view;
  view.position = sent.positions[0];
  const auto viewed = run(api_->view_message(caller(), view));
  ASSERT_TRUE(viewed);
  ASSERT_EQ(viewed->messages.size(), 1U);
  model::Pull request = pull_of("orders", 0);
  request.queue = 1;
  const auto pulled = pull(request);
  ASSERT_TRUE(pulled);
  const model::FoundMessage& found = viewed->messages[0];
  EXPECT_EQ(found.record.payload, pulled->records[0].payload);
  EXPECT_EQ(found.record.offset, pulled->records[0].offset);
  EXPECT_EQ(found.record.position, pulled->records[0].position);
  EXPECT_EQ(found.record.stored_at_ms, pulled->records[0].stored_at_ms);
  EXPECT_EQ(found.store_host, advertised());
}

TEST_P(FindApiTest, ViewsNoMessageThatIsNotThereOrInAnotherTopic) {
  const auto sent = store("one", "");
  model::ViewMessage view{.topic = "orders", .position = sent.positions[0], .broker_name = {}};
  EXPECT_TRUE(run(api_->view_message(caller(), view)));
  view.topic = "bills";
  EXPECT_EQ(test::error_of(run(api_->view_message(caller(), view))), Errc::not_found);
  view.topic.clear();
  view.position += 1000;
  EXPECT_EQ(test::error_of(run(api_->view_message(caller(), view))), Errc::not_found);
  view.position = 0;
  EXPECT_EQ(test::error_of(run(api_->view_message(caller(), view))), Errc::not_found);
}

// --- searching by time -----------------------------------------------------------------------

class SearchApiTest : public FindApiTest {
 protected:
  std::int64_t search(std::int64_t time_ms, model::Boundary boundary, std::int32_t queue = 0) {
    model::SearchOffset search;
    search.topic = "orders";
    search.queue = queue;
    search.time_ms = time_ms;
    search.boundary = boundary;
    const auto reply = run(api_->search_offset(caller(), search));
    return reply ? reply->offset : -1;
  }
  std::int64_t lower(std::int64_t time_ms) { return search(time_ms, model::Boundary::lower); }
  std::int64_t upper(std::int64_t time_ms) { return search(time_ms, model::Boundary::upper); }
};

TEST_P(SearchApiTest, SaysZeroForAnEmptyQueue) {
  EXPECT_EQ(lower(kStart), 0) << "no topic";
  store("x", "");
  EXPECT_EQ(search(kStart, model::Boundary::lower, 1), 0);
  EXPECT_EQ(search(kStart, model::Boundary::upper, 1), 0);
  EXPECT_EQ(search(kStart, model::Boundary::lower, 77), 0) << "no queue";
}

TEST_P(SearchApiTest, GoesToTheEndsForTimesOutsideTheQueue) {
  for (int i = 0; i < 3; ++i) store("x", "");
  for (const std::int64_t before : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, kStart - 1}) {
    EXPECT_EQ(lower(before), 0) << before;
    EXPECT_EQ(upper(before), 0) << before;
  }
  for (const std::int64_t after : {kStart + 2001, INT64_MAX}) {
    EXPECT_EQ(lower(after), 3) << after;
    EXPECT_EQ(upper(after), 2) << after;
  }
}

TEST_P(SearchApiTest, FindsTheNeighboursOfATime) {
  for (int i = 0; i < 3; ++i) store("x", "");
  EXPECT_EQ(lower(kStart + 1000), 1);
  EXPECT_EQ(upper(kStart + 1000), 1);
  EXPECT_EQ(lower(kStart + 1001), 2);
  EXPECT_EQ(upper(kStart + 1999), 1);
}

TEST_P(SearchApiTest, FindsTheFirstAndTheLastOfEqualTimes) {
  store("x", "");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(message("orders", "same time")));
  environment_.advance(1000);
  store("x", "");
  EXPECT_EQ(lower(kStart + 1000), 1);
  EXPECT_EQ(upper(kStart + 1000), 3);
}

INSTANTIATE_TEST_SUITE_P(Forms, FindApiTest, both_forms(), form_name);
INSTANTIATE_TEST_SUITE_P(Forms, SearchApiTest, both_forms(), form_name);

}  // namespace
}  // namespace sluice
