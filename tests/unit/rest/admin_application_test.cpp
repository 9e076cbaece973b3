#include "protocols/rest/admin_application.hpp"

#include <memory>
#include <string>
#include <string_view>

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include "nameserver/name_server.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::rest {
namespace {

namespace json = boost::json;

/// The admin listener's resources over a name server that one broker is registered at.
class AdminApplication : public ::testing::Test {
 protected:
  AdminApplication() {
    model::RegisterBroker broker;
    broker.cluster = "c";
    broker.broker_name = "broker-a";
    broker.address = "10.0.0.1:10911";
    for (const char* name : {"c-topic", "a-topic", "b-topic"}) {
      broker.topics.emplace_back().name = name;
    }
    broker.topics[0].permission = model::permission::kRead;
    EXPECT_TRUE(order(broker));
  }

  Result<model::Reply> order(model::Command command) {
    return test::run(*runtime_, name_server_.handle({}, std::move(command)));
  }

  Response ask(std::string_view target, std::string_view method = "GET") {
    auto exchange = application_->begin({.method = method, .target = target, .fields = {}});
    if (!exchange) return exchange.error();
    auto response = test::run(*runtime_, (*exchange)->answer({}, Slice{}));
    EXPECT_TRUE(response);
    return *std::move(response);
  }

  json::value read(std::string_view target) {
    const Response response = ask(target);
    EXPECT_EQ(response.status, 200U) << response.body;
    EXPECT_EQ(response.content_type, "application/json");
    return json::parse(response.body);
  }

  test::TestRuntime runtime_;
  nameserver::NameServer name_server_{*runtime_};
  std::unique_ptr<Application> application_ =
      make_admin_application(name_server_, runtime_->environment());
};

TEST_F(AdminApplication, ListsBrokers) {
  EXPECT_EQ(read("/v1/brokers"), json::parse(R"({"brokers":[{"name":"broker-a","cluster":"c",
      "addresses":[{"id":0,"address":"10.0.0.1:10911"}],"allows_acting_leader":false}]})"));
}

TEST_F(AdminApplication, ListsClusters) {
  EXPECT_EQ(read("/v1/clusters"),
            json::parse(R"({"clusters":[{"name":"c","brokers":["broker-a"]}]})"));
}

TEST_F(AdminApplication, ListsTopicsByName) {
  EXPECT_EQ(read("/v1/topics"),
            json::parse(R"({"topics":["a-topic","b-topic","c-topic"],"has_more":false})"));
}

TEST_F(AdminApplication, ListsTopicsInParts) {
  EXPECT_EQ(read("/v1/topics?max=2"),
            json::parse(R"({"topics":["a-topic","b-topic"],"has_more":true})"));
  EXPECT_EQ(read("/v1/topics?max=2&after=b-topic"),
            json::parse(R"({"topics":["c-topic"],"has_more":false})"));
}

TEST_F(AdminApplication, RefusesPartsThatAreNone) {
  for (const char* target : {"/v1/topics?max=0", "/v1/topics?max=10001", "/v1/topics?max=x",
                             "/v1/topics?colour=red", "/v1/brokers?max=1", "/v1/kv?x=1"}) {
    EXPECT_EQ(ask(target).status, 400U) << target;
  }
}

TEST_F(AdminApplication, ShowsTheRouteOfATopic) {
  EXPECT_EQ(read("/v1/topics/c-topic/route"), json::parse(R"({"topic":"c-topic",
      "queues":[{"broker":"broker-a","read_queues":8,"write_queues":8,"readable":true,
                 "writable":false,"system_flag":0}],
      "brokers":[{"name":"broker-a","cluster":"c",
                  "addresses":[{"id":0,"address":"10.0.0.1:10911"}],
                  "allows_acting_leader":false}]})"));
  EXPECT_EQ(ask("/v1/topics/nothing/route").status, 404U);
}

TEST_F(AdminApplication, ShowsTheKvConfiguration) {
  EXPECT_EQ(read("/v1/kv"), json::parse(R"({"namespaces":[]})"));
  ASSERT_TRUE(order(
      model::NameServerCommand(model::PutKv{.name_space = "a/b", .key = "k", .value = "東京"})));
  EXPECT_EQ(read("/v1/kv"), json::parse(R"({"namespaces":["a/b"]})"));
  EXPECT_EQ(read("/v1/kv/a%2Fb"), json::parse(R"({"namespace":"a/b","entries":{"k":"東京"}})"));
  EXPECT_EQ(ask("/v1/kv/nothing").status, 404U);
}

TEST_F(AdminApplication, ShowsTheOrderOfATopicWhereThatIsSwitchedOn) {
  ASSERT_TRUE(order(model::NameServerCommand(
      model::PutKv{.name_space = "ORDER_TOPIC_CONFIG", .key = "a-topic", .value = "broker-a:4"})));
  ASSERT_TRUE(
      order(model::NameServerCommand(model::UpdateSettings{{{"orderMessageEnable", "true"}}})));
  EXPECT_EQ(read("/v1/topics/a-topic/route").at("order"), "broker-a:4");
}

TEST_F(AdminApplication, ServesReadersOnly) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH"}) {
    for (const char* target : {"/v1/kv/n", "/v1/brokers", "/v1/topics/a-topic/route"}) {
      const Response response = ask(target, method);
      EXPECT_EQ(response.status, 405U) << method << " " << target;
    }
  }
  EXPECT_EQ(ask("/v1/brokers", "HEAD").status, 200U);
}

TEST_F(AdminApplication, SaysWhatThereIs) {
  for (const char* target : {"/", "/v1", "/v1/", "/v1/brokers/", "/v1/topics//route/x"}) {
    const Response response = ask(target);
    EXPECT_EQ(response.status, 404U) << target;
    EXPECT_NE(response.body.find("/v1/brokers"), std::string::npos);
  }
}

}  // namespace
}  // namespace sluice::rest
