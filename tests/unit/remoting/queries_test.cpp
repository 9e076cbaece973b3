#include "protocols/remoting/handlers/queries.hpp"

#include <gtest/gtest.h>

#include "common/model/stored_message.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

const model::Endpoint kHost = model::parse_endpoint("192.0.2.1:10911").value();

FieldMap query_fields() {
  return {{"topic", "t"},
          {"key", "k"},
          {"maxNum", "10"},
          {"beginTimestamp", "5"},
          {"endTimestamp", "9"}};
}

Result<Call> call_of(const FieldMap& fields) {
  const DecodedRequest request(request_code::kQueryMessage, fields);
  return to_query_messages(request.get());
}

model::QueryMessages query_of(const FieldMap& fields) {
  return std::get<model::QueryMessages>(call_of(fields).value().command);
}

model::FoundMessage found(std::string_view body, std::int64_t offset) {
  model::StoredMessageFields fields;
  fields.topic = "t";
  fields.body = as_bytes(body);
  std::string bytes(model::stored_message_size(fields), '\0');
  model::encode_stored_message(fields, reinterpret_cast<std::byte*>(bytes.data()));
  model::StoredRecord record{.offset = offset,
                             .position = 70 + static_cast<std::uint64_t>(offset),
                             .stored_at_ms = 1'700'000'000'000,
                             .payload = Slice::copy_of(bytes)};
  return {.record = std::move(record), .store_host = kHost};
}

TEST(Queries, AsksForAKeyInATime) {
  const auto query = query_of(query_fields());
  EXPECT_EQ(query.topic, "t");
  EXPECT_EQ(query.key, "k");
  EXPECT_EQ(query.index, model::MessageIndex::any_key);
  EXPECT_EQ(query.messages_max, 10U);
  EXPECT_EQ(query.first_ms, 5);
  EXPECT_EQ(query.last_ms, 9);
}

TEST(Queries, TakesTheIndexThatNewerClientsName) {
  const std::pair<const char*, model::MessageIndex> rows[] = {
      {"K", model::MessageIndex::key},
      {"U", model::MessageIndex::unique_key},
      {"T", model::MessageIndex::tag},
      {"k", model::MessageIndex::any_key},
      {"", model::MessageIndex::any_key}};
  for (const auto& [type, index] : rows) {
    FieldMap fields = query_fields();
    fields["indexType"] = type;
    EXPECT_EQ(query_of(fields).index, index) << type;
  }
}

TEST(Queries, LooksAtThirtyTwoMessagesForAUniqueKey) {
  FieldMap fields = query_fields();
  fields["_UNIQUE_KEY_QUERY"] = "false";
  EXPECT_EQ(query_of(fields).messages_max, 10U);
  fields["_UNIQUE_KEY_QUERY"] = "true";
  EXPECT_EQ(query_of(fields).messages_max, 32U);
}

TEST(Queries, BringsTheNumberOfMessagesIntoItsRange) {
  FieldMap fields = query_fields();
  fields["maxNum"] = "1000000";
  EXPECT_EQ(query_of(fields).messages_max, 64U);
  fields["maxNum"] = "-1";
  EXPECT_EQ(query_of(fields).messages_max, 1U);
}

TEST(Queries, NamesAFieldThatIsMissing) {
  for (const char* name : {"topic", "key", "maxNum", "beginTimestamp", "endTimestamp"}) {
    FieldMap fields = query_fields();
    fields.erase(name);
    const auto call = call_of(fields);
    ASSERT_FALSE(call) << name;
    EXPECT_EQ(call.error().code, Errc::protocol_error);
    EXPECT_NE(call.error().text.find(name), std::string::npos);
  }
}

TEST(Queries, AnswersTheMessagesOneBehindTheOther) {
  model::MessagesReply reply;
  reply.messages.push_back(found("one", 4));
  reply.messages.push_back(found("two", 9));
  reply.newest_stored_at_ms = 123;
  reply.newest_position = 456;
  std::string out;
  call_of(query_fields())->answer(out, {}, reply);
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_EQ(answer.field("indexLastUpdateTimestamp"), "123");
  EXPECT_EQ(answer.field("indexLastUpdatePhyoffset"), "456");
  const auto first = model::StoredMessageView::parse_first(as_bytes(answer.body));
  ASSERT_TRUE(first);
  EXPECT_EQ(as_text(first->body()), "one");
  EXPECT_EQ(first->queue_offset(), 4);
  EXPECT_EQ(first->position(), 74U);
  EXPECT_EQ(first->stored_at_ms(), 1'700'000'000'000);
  EXPECT_EQ(first->store_host(), kHost);
  const auto second = model::StoredMessageView::parse(as_bytes(answer.body).subspan(first->size()));
  ASSERT_TRUE(second);
  EXPECT_EQ(as_text(second->body()), "two");
}

// As Java answers it: the header is there, with zeros.
TEST(Queries, SaysThatNothingWasFoundWithAHeaderOfZeros) {
  std::string out;
  call_of(query_fields())->refuse(out, {}, {Errc::not_found, "can not find message"});
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kQueryNotFound);
  EXPECT_EQ(answer.remark, "can not find message");
  EXPECT_EQ(answer.field("indexLastUpdateTimestamp"), "0");
  EXPECT_EQ(answer.field("indexLastUpdatePhyoffset"), "0");
}

TEST(Queries, RefusesOtherErrorsByTheTable) {
  std::string out;
  call_of(query_fields())->refuse(out, {}, {Errc::permission_denied, "no"});
  EXPECT_EQ(read_frame(out).code, response_code::kNoPermission);
}

TEST(Queries, ViewsTheMessageOfAPosition) {
  const DecodedRequest request(request_code::kViewMessageById,
                               {{"offset", "281474976710657"}, {"topic", "t"}});
  const auto call = to_view_message(request.get());
  ASSERT_TRUE(call);
  const auto& view = std::get<model::ViewMessage>(call->command);
  EXPECT_EQ(view.position, 281474976710657U);
  EXPECT_EQ(view.topic, "t");
  model::MessagesReply reply;
  reply.messages.push_back(found("one", 4));
  std::string out;
  call->answer(out, {}, reply);
  const Received answer = read_frame(out);
  EXPECT_EQ(answer.code, response_code::kSuccess);
  EXPECT_TRUE(answer.fields.empty());
  EXPECT_EQ(as_text(model::StoredMessageView::parse(as_bytes(answer.body))->body()), "one");
}

TEST(Queries, ViewsAMessageOfAnyTopicForOlderClients) {
  const DecodedRequest request(request_code::kViewMessageById, {{"offset", "7"}});
  const auto call = to_view_message(request.get());
  ASSERT_TRUE(call);
  EXPECT_EQ(std::get<model::ViewMessage>(call->command).topic, "");
  std::string out;
  call->refuse(out, {}, {Errc::not_found, "can not find message by the offset, 7"});
  EXPECT_EQ(read_frame(out).code, response_code::kSystemError);
}

}  // namespace
}  // namespace sluice::remoting
