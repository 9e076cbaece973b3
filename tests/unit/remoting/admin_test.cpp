// The handlers of administration: from fields and bodies to commands, and from replies to answers.

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "common/base/limits.hpp"
#include "protocols/remoting/handlers/admin_broker.hpp"
#include "protocols/remoting/handlers/admin_groups.hpp"
#include "protocols/remoting/handlers/admin_progress.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/topics.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

using ToCall = Result<Call> (*)(const Request& request);

/// The command that a request becomes; a default one, and the test has failed, if it is another.
template <class T>
T command_of(ToCall to_call, std::int32_t code, const FieldMap& fields,
             std::string_view body = {}) {
  const DecodedRequest request(code, fields, body);
  const auto call = to_call(request.get());
  if (!call) {
    ADD_FAILURE() << describe(call.error());
    return {};
  }
  const auto& administer = std::get<model::Administer>(call->command);
  const T* const command = std::get_if<T>(&administer.command);
  if (command == nullptr) {
    ADD_FAILURE() << "a command of another kind: " << administer.command.index();
    return {};
  }
  return *command;
}

Received answer_to(ToCall to_call, std::int32_t code, const FieldMap& fields,
                   model::AdminReply reply) {
  const DecodedRequest request(code, fields);
  const auto call = to_call(request.get());
  if (!call) {
    ADD_FAILURE() << describe(call.error());
    return {};
  }
  std::string out;
  call->answer(out, {}, std::move(reply));
  return read_frame(out);
}

std::optional<Errc> error_of(ToCall to_call, std::int32_t code, const FieldMap& fields,
                             std::string_view body = {}) {
  const DecodedRequest request(code, fields, body);
  return test::error_of(to_call(request.get()));
}

TEST(Admin, IsForTheBrokerThatTheRequestNames) {
  const DecodedRequest request(28, {{"bname", "broker-b"}});
  const auto call = to_query_runtime(request.get());
  ASSERT_TRUE(call);
  EXPECT_EQ(std::get<model::Administer>(call->command).broker_name, "broker-b");
}

// --- groups ----------------------------------------------------------------------------------

TEST(Admin, PutsOneGroupOrMany) {
  const auto one = command_of<model::PutGroups>(to_put_group, 200, {}, R"({"groupName":"g"})");
  ASSERT_EQ(one.groups.size(), 1U);
  EXPECT_EQ(one.groups[0].name, "g");
  const auto two = command_of<model::PutGroups>(
      to_put_groups, 225, {}, R"({"groupConfigList":[{"groupName":"g"},{"groupName":"h"}]})");
  EXPECT_EQ(two.groups.size(), 2U);
  EXPECT_EQ(error_of(to_put_group, 200, {}, "{"), Errc::malformed_packet);
  EXPECT_EQ(error_of(to_put_group, 200, {}), Errc::malformed_packet);
}

TEST(Admin, DeletesAGroupByEitherNameOfTheFlag) {
  const auto kept = command_of<model::DeleteGroup>(to_delete_group, 207, {{"groupName", "g"}});
  EXPECT_EQ(kept.group, "g");
  EXPECT_FALSE(kept.forgets_progress);
  for (const char* flag : {"cleanOffset", "removeOffset"}) {
    const auto gone =
        command_of<model::DeleteGroup>(to_delete_group, 207, {{"groupName", "g"}, {flag, "true"}});
    EXPECT_TRUE(gone.forgets_progress) << flag;
  }
  EXPECT_EQ(error_of(to_delete_group, 207, {}), Errc::protocol_error);
}

TEST(Admin, ListsGroupsInPages) {
  const auto all = command_of<model::QueryGroups>(to_query_groups, 201, {});
  EXPECT_EQ(all.page.count_max, 0);
  const auto paged = command_of<model::QueryGroups>(
      to_query_groups, 201, {{"groupSeq", "2000"}, {"maxGroupNum", "2000"}, {"dataVersion", ""}});
  EXPECT_EQ(paged.page.first, 2000);
  EXPECT_EQ(paged.page.count_max, 2000);
  EXPECT_FALSE(paged.page.version);
  model::GroupsReply reply;
  reply.groups.emplace_back().name = "g";
  reply.total = 7;
  const Received answer = answer_to(to_query_groups, 201, {}, reply);
  EXPECT_EQ(answer.field("totalGroupNum"), "7");
  EXPECT_NE(answer.body.find(R"("subscriptionGroupTable":{"g":{)"), std::string::npos);
}

TEST(Admin, GivesOneGroupOrSaysThatThereIsNone) {
  const auto query = command_of<model::QueryGroups>(to_query_group, 352, {{"group", "g"}});
  EXPECT_EQ(query.group, "g");
  EXPECT_TRUE(query.makes_missing);
  EXPECT_EQ(error_of(to_query_group, 352, {{"group", ""}}), Errc::protocol_error);
  EXPECT_EQ(answer_to(to_query_group, 352, {{"group", "g"}}, model::GroupsReply{}).code,
            response_code::kSubscriptionGroupNotExist);
}

TEST(Admin, AsksForConnections) {
  EXPECT_EQ(
      command_of<model::QueryConsumers>(to_query_consumers, 203, {{"consumerGroup", "g"}}).group,
      "g");
  EXPECT_EQ(
      command_of<model::QueryProducers>(to_query_producers, 204, {{"producerGroup", "p"}}).group,
      "p");
  EXPECT_EQ(command_of<model::QueryProducers>(to_query_all_producers, 328, {}).group, "");
  EXPECT_EQ(error_of(to_query_producers, 204, {{"producerGroup", ""}}), Errc::protocol_error);
  EXPECT_EQ(response_code_of(Errc::group_offline), response_code::kConsumerNotOnline);
}

// --- progress --------------------------------------------------------------------------------

TEST(Admin, AsksForProgressInTheTopicsNamed) {
  const auto topics = [](FieldMap fields) {
    fields.emplace("consumerGroup", "g");
    return command_of<model::QueryProgress>(to_query_progress, 208, fields).topics;
  };
  using Topics = std::vector<std::string>;
  EXPECT_EQ(topics({}), Topics{});
  EXPECT_EQ(topics({{"topic", "t"}}), Topics{"t"});
  EXPECT_EQ(topics({{"topicList", "a;b;"}, {"topic", "t"}}), (Topics{"a", "b"}));
  EXPECT_EQ(topics({{"topicList", ""}, {"topic", ""}}), Topics{});
  EXPECT_EQ(error_of(to_query_progress, 208, {{"consumerGroup", ""}}), Errc::protocol_error);
  EXPECT_EQ(
      command_of<model::QueryProgress>(to_query_progress_of_all, 317, {{"isOrder", "false"}}).group,
      "");
}

TEST(Admin, AsksForTheEntriesOfAQueue) {
  const FieldMap fields = {
      {"topic", "t"}, {"queueId", "3"}, {"index", "9"}, {"count", "5"}, {"consumerGroup", "g"}};
  const auto inspect = command_of<model::InspectQueue>(to_inspect_queue, 321, fields);
  EXPECT_EQ(inspect.topic, "t");
  EXPECT_EQ(inspect.queue, 3);
  EXPECT_EQ(inspect.first, 9);
  EXPECT_EQ(inspect.count, 5);
  EXPECT_EQ(inspect.group, "g");
  EXPECT_EQ(error_of(to_inspect_queue, 321, {{"topic", "t"}, {"queueId", "x"}}),
            Errc::protocol_error);
}

TEST(Admin, CopiesProgress) {
  const auto copy = command_of<model::CopyProgress>(
      to_copy_progress, 314, {{"srcGroup", "a"}, {"destGroup", "b"}, {"topic", "t"}});
  EXPECT_EQ(copy.from_group, "a");
  EXPECT_EQ(copy.to_group, "b");
  EXPECT_EQ(copy.topic, "t");
  EXPECT_TRUE(copy.only_subscribed);
  EXPECT_FALSE(
      command_of<model::CopyProgress>(to_copy_progress, 314,
                                      {{"srcGroup", "a"}, {"destGroup", "b"}, {"offline", "true"}})
          .only_subscribed);
}

TEST(Admin, AsksWhoConsumesWhat) {
  EXPECT_EQ(
      command_of<model::QueryGroupsOfTopic>(to_query_groups_of_topic, 300, {{"topic", "t"}}).topic,
      "t");
  EXPECT_EQ(
      command_of<model::QueryTopicsOfGroup>(to_query_topics_of_group, 343, {{"group", "g"}}).group,
      "g");
  EXPECT_EQ(command_of<model::QuerySubscription>(to_query_subscription, 345,
                                                 {{"group", "g"}, {"topic", "t"}})
                .topic,
            "t");
  EXPECT_EQ(
      command_of<model::QueryTimeSpans>(to_query_time_spans, 303, {{"group", "g"}, {"topic", "t"}})
          .group,
      "g");
  EXPECT_EQ(
      answer_to(to_query_topics_of_group, 343, {{"group", "g"}}, model::NameListReply{{"t"}}).body,
      R"({"topicList":["t"]})");
}

// --- the broker ------------------------------------------------------------------------------

TEST(Admin, GivesSettingsWithTheirVersion) {
  model::SettingsReply reply;
  reply.settings = {{"brokerName", "broker-a"}};
  reply.version = {.state_version = 0, .timestamp_ms = 5, .counter = 6};
  const Received answer = answer_to(to_query_broker_settings, 26, {}, reply);
  EXPECT_EQ(answer.field("version"), R"({"counter":6,"stateVersion":0,"timestamp":5})");
  EXPECT_EQ(answer.body, "brokerName=broker-a\n");
}

TEST(Admin, ChangesSettings) {
  const auto change = command_of<model::ChangeBrokerSettings>(to_change_broker_settings, 25, {},
                                                              "longPollingEnable=true\n");
  EXPECT_EQ(change.settings, (std::vector<model::NameValue>{{"longPollingEnable", "true"}}));
  EXPECT_EQ(error_of(to_change_broker_settings, 25, {}, "=x"), Errc::malformed_packet);
}

TEST(Admin, GivesTheRuntimeTableAndRates) {
  EXPECT_EQ(answer_to(to_query_runtime, 28, {},
                      model::SettingsReply{.settings = {{"putTps", "0.0 0.0 0.0"}}, .version = {}})
                .body,
            R"({"table":{"putTps":"0.0 0.0 0.0"}})");
  const FieldMap fields = {{"statsName", "TOPIC_PUT_NUMS"}, {"statsKey", "t"}};
  const auto query = command_of<model::QueryRates>(to_query_rates, 315, fields);
  EXPECT_EQ(query.name, "TOPIC_PUT_NUMS");
  EXPECT_EQ(query.key, "t");
  model::RatesReply rates;
  rates.minute = {.sum = 6, .per_second = 0.1, .per_call = 2};
  EXPECT_EQ(answer_to(to_query_rates, 315, fields, rates).body,
            R"({"statsDay":{"avgpt":0.0,"sum":0,"tps":0.0},)"
            R"("statsHour":{"avgpt":0.0,"sum":0,"tps":0.0},)"
            R"("statsMinute":{"avgpt":2.0,"sum":6,"tps":0.1}})");
}

TEST(Admin, MakesTopicsFromAList) {
  const DecodedRequest request(18, {}, R"({"topicConfigList":[{"topicName":"t"}]})");
  const auto call = to_create_topics(request.get());
  ASSERT_TRUE(call);
  const auto& create = std::get<model::CreateTopics>(call->command);
  ASSERT_EQ(create.topics.size(), 1U);
  EXPECT_EQ(create.topics[0].config.name, "t");
}

}  // namespace
}  // namespace sluice::remoting
