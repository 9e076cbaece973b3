#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/broker.hpp"
#include "storage-plugins/memory/plugin.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/broker/gated_engine.hpp"

namespace sluice::broker {

/// A broker on the memory engine, and short words for what tests ask of it.
class BrokerFixture : public testing::Test {
 protected:
  BrokerFixture() { open({}); }

  ~BrokerFixture() override {
    close();
    EXPECT_TRUE(test::run(*runtime_, engine_->close()));
  }

  void open(BrokerOptions options) {
    if (!engine_) {
      storage::EngineOptions engine_options;
      engine_options.runtime = &*runtime_;
      engine_options.positions = &positions_;
      engine_options.disk = &runtime_->disk();
      auto engine = test::run(*runtime_, plugin_->open(engine_options)).value();
      engine_ = std::make_unique<GatedEngine>(std::move(engine));
    }
    options.advertised = model::parse_endpoint("127.0.0.1:10911").value();
    broker_ = test::run(*runtime_, Broker::open(*runtime_, *engine_, options)).value();
  }

  void close() {
    if (broker_) EXPECT_TRUE(test::run(*runtime_, broker_->stop()));
    broker_.reset();
  }

  void reopen(BrokerOptions options = {}) {
    close();
    open(std::move(options));
  }

  static Runtime::Options two_loops() {
    Runtime::Options options;
    options.loops = 2;
    return options;
  }

  static model::CallContext caller(std::uint64_t session = 1, std::uint64_t via = 0) {
    model::CallContext context;
    context.session = std::make_shared<model::Session>(
        model::Session{{session}, {via}, model::parse_endpoint("10.0.0.1:5000").value(), "test"});
    return context;
  }

  static model::Send message(std::string topic, std::string_view body,
                             std::string_view properties = {}, std::int32_t queue = 0) {
    model::Send send;
    send.topic = std::move(topic);
    send.queue = queue;
    const Slice bytes = Slice::copy_of(std::string(body).append(properties));
    send.owner = bytes.owner();
    send.messages.push_back(
        {bytes.bytes().first(body.size()), bytes.text().substr(body.size()), 0});
    send.template_topic = "TBW102";
    send.template_queues = 4;
    return send;
  }

  Result<model::SendReply> send(model::Send one) {
    std::vector<model::Send> sends;
    sends.push_back(std::move(one));
    auto replies = test::run(*runtime_, broker_->send(caller(), std::move(sends)));
    return std::move(replies.value().front());
  }

  static model::Pull pull_of(std::string topic, std::int64_t offset) {
    model::Pull pull;
    pull.group = "readers";
    pull.topic = std::move(topic);
    pull.offset = offset;
    pull.filter = model::FilterExpression{};
    return pull;
  }

  Result<model::PullReply> pull(model::Pull request) {
    return test::run(*runtime_, broker_->pull(caller(), std::move(request)));
  }

  test::TestRuntime runtime_{two_loops()};
  storage::PositionCounter positions_{0};
  std::unique_ptr<storage::StoragePlugin> plugin_ = memory_engine::make_plugin();
  std::unique_ptr<GatedEngine> engine_;
  std::unique_ptr<Broker> broker_;
};

}  // namespace sluice::broker
