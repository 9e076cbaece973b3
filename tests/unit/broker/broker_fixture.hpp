#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/broker.hpp"
#include "storage-plugins/memory/plugin.hpp"
#include "tests/support/broker_calls.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/broker/gated_engine.hpp"

namespace sluice::broker {

using test::caller;
using test::message;
using test::pull_of;

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

  Result<model::SendReply> send(model::Send one) {
    std::vector<model::Send> sends;
    sends.push_back(std::move(one));
    auto replies = test::run(*runtime_, broker_->send(caller(), std::move(sends)));
    return std::move(replies.value().front());
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
