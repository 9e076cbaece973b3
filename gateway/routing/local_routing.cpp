#include "gateway/routing/local_routing.hpp"

#include <algorithm>
#include <utility>

namespace sluice::gateway {

namespace {

class LocalRouting final : public Routing {
 public:
  LocalRouting(BrokerApi& broker, LocalBroker about) : broker_(broker), about_(std::move(about)) {}

  void start(std::function<void(BrokerApi&)> found) override { found(broker_); }

  [[nodiscard]] BrokerApi* known_broker(std::string_view /*topic*/,
                                        std::string_view /*broker_name*/) noexcept override {
    return &broker_;
  }

  Task<BrokerApi*> find_broker(std::string /*topic*/, std::string /*broker_name*/) override {
    co_return &broker_;
  }

  Task<std::vector<BrokerApi*>> brokers() override { co_return known_brokers(); }

  [[nodiscard]] std::vector<BrokerApi*> known_brokers() override { return {&broker_}; }

  [[nodiscard]] BrokerApi* local_broker() noexcept override { return &broker_; }

  Task<model::Route> route(std::string topic) override {
    auto found = co_await topics(topic);
    SLUICE_CO_TRY(found);
    if (found->empty()) co_return fail(Errc::topic_not_found, "topic " + topic + " is not here");
    const model::TopicConfig& config = found->front();
    model::Route route;
    route.queues.push_back({.broker_name = about_.name,
                            .read_queues = config.read_queues,
                            .write_queues = config.write_queues,
                            .permission = config.permission,
                            .topic_system_flag = config.system_flag});
    route.brokers.push_back(data());
    co_return route;
  }

  Task<std::vector<model::BrokerData>> cluster() override {
    co_return std::vector<model::BrokerData>{data()};
  }

  Task<std::vector<model::TopicConfig>> topics(std::string topic) override {
    model::QueryTopics query;
    query.topic = topic;
    auto reply = co_await broker_.query_topics(model::CallContext{}, std::move(query));
    SLUICE_CO_TRY(reply);
    if (!topic.empty()) {
      std::erase_if(reply->topics,
                    [&](const model::TopicConfig& config) { return config.name != topic; });
    }
    co_return std::move(reply->topics);
  }

  void forget_topic(std::string_view /*topic*/) override {}

  Task<> stop() override { co_return Result<>{}; }

 private:
  [[nodiscard]] model::BrokerData data() const {
    return {.cluster = about_.cluster,
            .broker_name = about_.name,
            .addresses = {{about_.id, about_.address}}};
  }

  BrokerApi& broker_;
  LocalBroker about_;
};

}  // namespace

std::unique_ptr<Routing> make_local_routing(BrokerApi& broker, LocalBroker about) {
  return std::make_unique<LocalRouting>(broker, std::move(about));
}

}  // namespace sluice::gateway
