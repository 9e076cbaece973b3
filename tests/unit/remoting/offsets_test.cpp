#include "protocols/remoting/handlers/offsets.hpp"

#include <gtest/gtest.h>

#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

const FieldMap kQueue = {{"topic", "t"}, {"queueId", "3"}, {"bname", "broker-a"}};

FieldMap with(FieldMap fields, const FieldMap& more) {
  fields.insert(more.begin(), more.end());
  return fields;
}

template <class Command>
Command command_of(const Result<Call>& call) {
  EXPECT_TRUE(call) << describe(call.error());
  return std::get<Command>(call->command);
}

Received answer_of(const Result<Call>& call, const model::Reply& reply) {
  std::string out;
  call->answer(out, {}, reply);
  return read_frame(out);
}

TEST(Offsets, QueriesTheProgressOfAGroup) {
  const DecodedRequest request(14, with(kQueue, {{"consumerGroup", "g"}}));
  const auto call = to_query_offset(request.get());
  const auto query = command_of<model::QueryOffset>(call);
  EXPECT_EQ(query.group, "g");
  EXPECT_EQ(query.topic, "t");
  EXPECT_EQ(query.queue, 3);
  EXPECT_EQ(query.broker_name, "broker-a");
  EXPECT_TRUE(query.zero_if_not_found);
  EXPECT_EQ(answer_of(call, model::OffsetReply{77}).field("offset"), "77");
}

TEST(Offsets, PassesOnThatNoProgressIsToBeSaidAsSuch) {
  const DecodedRequest request(
      14, with(kQueue, {{"consumerGroup", "g"}, {"setZeroIfNotFound", "false"}}));
  EXPECT_FALSE(command_of<model::QueryOffset>(to_query_offset(request.get())).zero_if_not_found);
}

TEST(Offsets, UpdatesTheProgressOfAGroup) {
  const DecodedRequest request(15,
                               with(kQueue, {{"consumerGroup", "g"}, {"commitOffset", "1234"}}));
  const auto call = to_update_offset(request.get());
  const auto update = command_of<model::UpdateOffset>(call);
  EXPECT_EQ(update.group, "g");
  EXPECT_EQ(update.queue, 3);
  EXPECT_EQ(update.offset, 1234);
  EXPECT_EQ(answer_of(call, model::Acknowledged{}).code, response_code::kSuccess);
}

TEST(Offsets, NamesAMissingOffset) {
  const DecodedRequest request(15, with(kQueue, {{"consumerGroup", "g"}}));
  const auto call = to_update_offset(request.get());
  ASSERT_EQ(test::error_of(call), Errc::protocol_error);
  EXPECT_NE(call.error().text.find("commitOffset"), std::string::npos);
}

TEST(Offsets, SearchesByTimeForTheLowerBoundary) {
  const DecodedRequest request(29, with(kQueue, {{"timestamp", "1700000000000"}}));
  const auto call = to_search_offset(request.get());
  const auto search = command_of<model::SearchOffset>(call);
  EXPECT_EQ(search.time_ms, 1'700'000'000'000);
  EXPECT_EQ(search.boundary, model::Boundary::lower);
  EXPECT_EQ(answer_of(call, model::OffsetReply{5}).field("offset"), "5");
}

TEST(Offsets, SearchesForTheUpperBoundaryInAnyCase) {
  for (const char* name : {"upper", "UPPER", "Upper", "uPPER"}) {
    const DecodedRequest request(29, with(kQueue, {{"timestamp", "17"}, {"boundaryType", name}}));
    EXPECT_EQ(command_of<model::SearchOffset>(to_search_offset(request.get())).boundary,
              model::Boundary::upper)
        << name;
  }
}

TEST(Offsets, AnswersTheMaximumWithTheNextOffset) {
  const DecodedRequest request(30, kQueue);
  const auto call = to_query_max_offset(request.get());
  EXPECT_EQ(command_of<model::QueryBounds>(call).queue, 3);
  EXPECT_EQ(answer_of(call, model::BoundsReply{.first = 2, .next = 9}).field("offset"), "9");
}

TEST(Offsets, AnswersTheMinimumWithTheFirstOffset) {
  const DecodedRequest request(31, kQueue);
  const auto call = to_query_min_offset(request.get());
  EXPECT_EQ(answer_of(call, model::BoundsReply{.first = 2, .next = 9}).field("offset"), "2");
}

TEST(Offsets, AnswersTheEarliestTime) {
  const DecodedRequest request(32, kQueue);
  const auto call = to_query_earliest_time(request.get());
  EXPECT_EQ(command_of<model::QueryEarliestTime>(call).topic, "t");
  EXPECT_EQ(answer_of(call, model::OffsetReply{-1}).field("timestamp"), "-1");
}

}  // namespace
}  // namespace sluice::remoting
