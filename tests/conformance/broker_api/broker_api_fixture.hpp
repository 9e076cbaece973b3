#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broker/broker.hpp"
#include "gateway/gateway.hpp"
#include "gateway/remote/remote_broker.hpp"
#include "gateway/routing/local_routing.hpp"
#include "protocols/remoting/plugin.hpp"
#include "storage-plugins/memory/plugin.hpp"
#include "tests/support/broker_calls.hpp"
#include "tests/support/manual_environment.hpp"
#include "tests/support/run_task.hpp"

namespace sluice {

using test::caller;
using test::peer;
using test::pull_of;

/// How a broker is reached.
enum class Form : std::uint8_t {
  in_process,  ///< broker::Broker itself.
  remote       ///< gateway::RemoteBroker, over a real connection to a broker's remoting listener.
};

inline auto both_forms() {
  return testing::Values(Form::in_process, Form::remote);
}
inline std::string form_name(const testing::TestParamInfo<Form>& info) {
  return info.param == Form::in_process ? "InProcess" : "Remote";
}

/// A broker on the memory engine behind BrokerApi, in either form, and short words for what the
/// cases ask of it.
class BrokerApiTest : public testing::TestWithParam<Form> {
 protected:
  BrokerApiTest() {
    open_broker();
    if (GetParam() == Form::remote) {
      open_connection();
    } else {
      api_ = broker_.get();
    }
  }

  ~BrokerApiTest() override {
    if (remote_) {
      remote_->stop();
      EXPECT_TRUE(test::run(*runtime_, pool_->close()));
      EXPECT_TRUE(test::run(*runtime_, listener_->drain(std::chrono::seconds(5))));
    }
    EXPECT_TRUE(test::run(*runtime_, broker_->stop()));
    if (gateway_) EXPECT_TRUE(test::run(*runtime_, gateway_->stop()));
    EXPECT_TRUE(test::run(*runtime_, engine_->close()));
  }

  static Runtime::Options two_loops(Environment& environment) {
    Runtime::Options options;
    options.loops = 2;
    options.environment = &environment;
    return options;
  }

  static model::Endpoint advertised() { return model::parse_endpoint("127.0.0.1:10911").value(); }

  static model::Send message(std::string topic, std::string_view body,
                             std::string_view properties = {}, std::int32_t queue = 0) {
    model::Send send = test::message(std::move(topic), body, properties, queue);
    send.born_at_ms = 1'600'000'000'000;
    send.born_host = peer();
    send.producer_group = "writers";
    return send;
  }

  static model::RegisterClient consumer(std::string client_id, std::string group, std::string topic,
                                        std::string tags = "*") {
    model::RegisterClient client;
    client.client_id = std::move(client_id);
    client.language = "JAVA";
    client.version = 513;
    model::ConsumerRegistration& registration = client.consumers.emplace_back();
    registration.group = std::move(group);
    model::Subscription& subscription = registration.subscriptions.emplace_back();
    subscription.topic = std::move(topic);
    subscription.filter.expression = std::move(tags);
    subscription.version = 1;
    return client;
  }

  template <class T>
  Result<T> run(Task<T> task) {
    return test::run(*runtime_, std::move(task));
  }

  Result<model::SendReply> send(model::Send one) {
    std::vector<model::Send> sends;
    sends.push_back(std::move(one));
    auto replies = run(api_->send(caller(), std::move(sends)));
    if (!replies) return fail(replies.error());
    return std::move(replies->front());
  }

  Result<model::PullReply> pull(model::Pull request) {
    return run(api_->pull(caller(), std::move(request)));
  }

  test::ManualEnvironment environment_;
  test::TestRuntime runtime_{two_loops(environment_)};
  storage::PositionCounter positions_{3};
  std::unique_ptr<storage::StoragePlugin> plugin_ = memory_engine::make_plugin();
  std::unique_ptr<storage::StorageEngine> engine_;
  std::unique_ptr<broker::Broker> broker_;
  std::unique_ptr<gateway::Gateway> gateway_;
  remoting::Plugin remoting_;
  std::unique_ptr<protocol::Listener> listener_;
  std::unique_ptr<remoting::RemotingClientPool> pool_;
  std::unique_ptr<gateway::RemoteBroker> remote_;
  BrokerApi* api_ = nullptr;

 private:
  void open_broker() {
    storage::EngineOptions engine_options;
    engine_options.runtime = &*runtime_;
    engine_options.positions = &positions_;
    engine_options.disk = &runtime_->disk();
    engine_ = run(plugin_->open(engine_options)).value();
    broker::BrokerOptions options;
    options.advertised = advertised();
    broker_ = run(broker::Broker::open(*runtime_, *engine_, options)).value();
  }

  void open_connection() {
    auto routing = gateway::make_local_routing(*broker_, {});
    gateway_ = std::make_unique<gateway::Gateway>(*runtime_, std::move(routing));
    listener_ = remoting_.listen(*runtime_, {}, *gateway_).value();
    EXPECT_TRUE(listener_->start());
    pool_ = std::make_unique<remoting::RemotingClientPool>(*runtime_);
    remote_ = std::make_unique<gateway::RemoteBroker>(
        *runtime_, *pool_, "127.0.0.1:" + std::to_string(listener_->port()));
    api_ = remote_.get();
  }
};

}  // namespace sluice
