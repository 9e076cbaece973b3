#include "protocols/remoting/handlers/routes.hpp"

#include <gtest/gtest.h>

#include "tests/support/printers.hpp"
#include "tests/unit/remoting/wire.hpp"

namespace sluice::remoting {
namespace {

model::BrokerData broker() {
  return {.cluster = "c", .broker_name = "b", .addresses = {{0, "10.0.0.1:10911"}}};
}

model::RouteReply route() {
  model::Route route;
  route.queues.push_back({.broker_name = "b",
                          .read_queues = 8,
                          .write_queues = 4,
                          .permission = 6,
                          .topic_system_flag = 1});
  route.brokers.push_back(broker());
  return {route};
}

std::string route_for(RequestOptions options, FieldMap more = {}) {
  more.emplace("topic", "t");
  const DecodedRequest request(105, more, {}, options);
  const auto call = to_query_route(request.get());
  EXPECT_TRUE(call);
  EXPECT_EQ(std::get<model::QueryRoute>(call->command).topic, "t");
  std::string out;
  call->answer(out, {}, route());
  return read_frame(out).body;
}

bool has_quoted_keys(const std::string& body) {
  return body.find(R"("brokerAddrs":{"0":"10.0.0.1:10911"})") != std::string::npos;
}
bool has_bare_keys(const std::string& body) {
  return body.find(R"("brokerAddrs":{0:"10.0.0.1:10911"})") != std::string::npos;
}

TEST(Routes, HaveQuotedKeysForClientsFrom494) {
  EXPECT_TRUE(has_quoted_keys(route_for({.version = kVersion4_9_4})));
}

TEST(Routes, HaveBareKeysForOlderClients) {
  EXPECT_TRUE(has_bare_keys(route_for({.version = kVersion4_9_3})));
}

TEST(Routes, HaveQuotedKeysForWhoeverAsksForJson) {
  EXPECT_TRUE(has_quoted_keys(route_for({.version = 317}, {{"acceptStandardJsonOnly", "true"}})));
}

TEST(Routes, HaveTheQueuesOfTheBroker) {
  const std::string body = route_for({});
  for (const char* part : {R"("readQueueNums":8)", R"("writeQueueNums":4)", R"("perm":6)",
                           R"("topicSysFlag":1)", R"("cluster":"c")"}) {
    EXPECT_NE(body.find(part), std::string::npos) << part << " in " << body;
  }
}

TEST(Routes, HaveTheOrderAndTheMappingsIfThereAreAny) {
  const DecodedRequest request(105, {{"topic", "t"}});
  const auto call = to_query_route(request.get());
  model::RouteReply reply = route();
  reply.route.order_config = "b:4";
  reply.route.mappings = {{.topic = "t", .broker_name = "b", .json = R"({"epoch":1})"}};
  std::string out;
  call->answer(out, {}, reply);
  const std::string body = read_frame(out).body;
  EXPECT_NE(body.find(R"("orderTopicConf":"b:4")"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("topicQueueMappingByBroker":{"b":{"epoch":1}})"), std::string::npos)
      << body;
  EXPECT_EQ(route_for({}).find("orderTopicConf"), std::string::npos);
}

TEST(Routes, NameAMissingTopic) {
  const DecodedRequest request(105, {});
  EXPECT_EQ(test::error_of(to_query_route(request.get())), Errc::protocol_error);
}

TEST(Routes, ListTheBrokersOfEachCluster) {
  const DecodedRequest request(106, {});
  const auto call = to_query_cluster(request.get());
  ASSERT_TRUE(call);
  std::string out;
  call->answer(out, {}, model::ClusterReply{{broker()}});
  const std::string body = read_frame(out).body;
  EXPECT_NE(body.find(R"("clusterAddrTable":{"c":["b"]})"), std::string::npos) << body;
  EXPECT_TRUE(has_bare_keys(body)) << body;
}

}  // namespace
}  // namespace sluice::remoting
