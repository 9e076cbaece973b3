#include "gateway/routing/cluster_routing.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "common/base/text_hash.hpp"
#include "common/model/names.hpp"
#include "common/runtime/spawn.hpp"
#include "gateway/remote/remote_broker.hpp"
#include "gateway/routing/broker_directory.hpp"
#include "protocols/remoting/client/name_server_client.hpp"

namespace sluice::gateway {

namespace {

class NameServers final : public RouteSource {
 public:
  NameServers(remoting::RemotingClientPool& pool, std::vector<std::string> addresses)
      : client_(pool, std::move(addresses)) {}

  Task<model::Route> fetch_route(std::string topic) override {
    return client_.fetch_route(std::move(topic));
  }
  Task<std::vector<model::BrokerData>> fetch_cluster() override { return client_.fetch_cluster(); }
  Task<std::vector<std::string>> fetch_topics() override { return client_.fetch_topics(); }

 private:
  remoting::NameServerClient client_;
};

/// A route as name servers gave it, without the brokers that take no messages.
struct KnownRoute {
  model::Route route;
  BrokerApi* only_broker = nullptr;  ///< If there is only one.
  BrokerApi* first_broker = nullptr;
};
using KnownRoutePtr = std::shared_ptr<const KnownRoute>;

/// What the routing and its background fetches share: a fetch may end after stop().
struct Shared {
  struct Entry {
    KnownRoutePtr route;
    Environment::Instant fetched_at;
    bool is_being_fetched = false;
  };

  Shared(Runtime& runtime_in, std::unique_ptr<RouteSource> source_in, BrokerFactory make_broker,
         ClusterRoutingOptions options_in)
      : runtime(runtime_in),
        source(std::move(source_in)),
        options(std::move(options_in)),
        directory(std::move(make_broker)) {}

  [[nodiscard]] Environment::Instant now() const { return runtime.environment().steady_now(); }
  [[nodiscard]] bool is_old(Environment::Instant fetched_at) const {
    return now() - fetched_at > options.refresh_after;
  }

  Runtime& runtime;
  std::unique_ptr<RouteSource> source;
  ClusterRoutingOptions options;
  BrokerDirectory directory;
  std::atomic<bool> is_stopped{false};

  std::shared_mutex mutex;  ///< For what follows.
  std::unordered_map<std::string, Entry, TextHash, std::equal_to<>> routes;
  std::optional<std::vector<model::BrokerData>> cluster;  ///< Only brokers that take messages.
  Environment::Instant cluster_fetched_at{};
  bool is_cluster_being_fetched = false;
};
using SharedPtr = std::shared_ptr<Shared>;

KnownRoutePtr learn(Shared& shared, model::Route route) {
  auto known = std::make_shared<KnownRoute>();
  std::size_t count = 0;
  for (model::BrokerData& broker : route.brokers) {
    BrokerApi* const learnt = shared.directory.learn(broker);
    if (learnt == nullptr) continue;
    if (count++ == 0) known->first_broker = learnt;
    known->route.brokers.push_back(std::move(broker));
  }
  known->only_broker = count == 1 ? known->first_broker : nullptr;
  for (model::QueueData& queues : route.queues) {
    const auto& names = known->route.brokers;
    const bool has_broker = std::ranges::any_of(names, [&](const model::BrokerData& broker) {
      return broker.broker_name == queues.broker_name;
    });
    if (has_broker) known->route.queues.push_back(std::move(queues));
  }
  return known;
}

void store(Shared& shared, const std::string& topic, KnownRoutePtr route) {
  const std::lock_guard lock(shared.mutex);
  if (shared.routes.size() >= limits::kCachedRoutesMax) shared.routes.clear();
  shared.routes[topic] = {.route = std::move(route), .fetched_at = shared.now()};
}

void erase(Shared& shared, std::string_view topic) {
  const std::lock_guard lock(shared.mutex);
  const auto found = shared.routes.find(topic);
  if (found != shared.routes.end()) shared.routes.erase(found);
}

Task<KnownRoutePtr> fetch_route(SharedPtr shared, std::string topic) {
  auto fetched = co_await shared->source->fetch_route(topic);
  if (!fetched) {
    if (fetched.error().code == Errc::topic_not_found) erase(*shared, topic);
    co_return fail(std::move(fetched).error());
  }
  KnownRoutePtr known = learn(*shared, std::move(*fetched));
  if (known->route.queues.empty()) {
    co_return fail(Errc::topic_not_found,
                   "no broker that takes messages has topic \"" + topic + "\"");
  }
  store(*shared, topic, known);
  co_return known;
}

Task<std::vector<model::BrokerData>> fetch_cluster(SharedPtr shared) {
  auto fetched = co_await shared->source->fetch_cluster();
  SLUICE_CO_TRY(fetched);
  std::erase_if(*fetched, [&](const model::BrokerData& broker) {
    return shared->directory.learn(broker) == nullptr;
  });
  const std::lock_guard lock(shared->mutex);
  shared->cluster = *fetched;
  shared->cluster_fetched_at = shared->now();
  co_return std::move(*fetched);
}

/// In the background: an old answer is better than none while this runs, and if it fails.
Task<> refresh_route(SharedPtr shared, std::string topic) {
  auto fetched = co_await fetch_route(shared, topic);
  if (!fetched) {
    const std::lock_guard lock(shared->mutex);
    const auto found = shared->routes.find(topic);
    if (found != shared->routes.end()) found->second.is_being_fetched = false;
  }
  co_return Result<>{};
}

Task<> refresh_cluster(SharedPtr shared) {
  auto fetched = co_await fetch_cluster(shared);
  const std::lock_guard lock(shared->mutex);
  shared->is_cluster_being_fetched = false;
  co_return Result<>{};
}

class ClusterRouting final : public Routing {
 public:
  explicit ClusterRouting(SharedPtr shared) : shared_(std::move(shared)) {}

  void start(std::function<void(BrokerApi&)> found) override {
    shared_->directory.on_found(std::move(found));
    // So that notices arrive before the first request has found a broker.
    shared_->is_cluster_being_fetched = true;
    spawn(shared_->runtime.loop(0), refresh_cluster(shared_));
  }

  [[nodiscard]] BrokerApi* known_broker(std::string_view topic,
                                        std::string_view broker_name) noexcept override {
    if (!broker_name.empty()) return shared_->directory.find(broker_name);
    const KnownRoutePtr route = cached(topic);
    return route ? route->only_broker : nullptr;
  }

  Task<BrokerApi*> find_broker(std::string topic, std::string broker_name) override {
    if (!broker_name.empty()) return find_by_name(std::move(broker_name));
    return find_by_topic(std::move(topic));
  }

  Task<std::vector<BrokerApi*>> brokers() override {
    auto known = co_await known_cluster();
    SLUICE_CO_TRY(known);
    std::vector<BrokerApi*> brokers;
    for (const model::BrokerData& data : *known) {
      BrokerApi* const broker = shared_->directory.find(data.broker_name);
      if (broker != nullptr) brokers.push_back(broker);
    }
    if (brokers.empty()) {
      co_return fail(Errc::unavailable, "no broker is registered at the name servers");
    }
    co_return brokers;
  }

  [[nodiscard]] std::vector<BrokerApi*> known_brokers() override {
    return shared_->directory.all();
  }

  [[nodiscard]] BrokerApi* local_broker() noexcept override { return nullptr; }

  Task<model::Route> route(std::string topic) override {
    KnownRoutePtr known = cached(topic);
    if (!known) {
      auto fetched = co_await fetch_route(shared_, std::move(topic));
      SLUICE_CO_TRY(fetched);
      known = std::move(*fetched);
    }
    model::Route route = known->route;
    for (model::BrokerData& broker : route.brokers) say_where_we_are(broker);
    co_return route;
  }

  Task<std::vector<model::BrokerData>> cluster() override {
    auto known = co_await known_cluster();
    SLUICE_CO_TRY(known);
    for (model::BrokerData& broker : *known) say_where_we_are(broker);
    co_return std::move(*known);
  }

  Task<std::vector<model::TopicConfig>> topics(std::string topic) override {
    std::vector<model::TopicConfig> topics;
    if (topic.empty()) {
      auto names = co_await shared_->source->fetch_topics();
      SLUICE_CO_TRY(names);
      for (std::string& name : *names) topics.emplace_back().name = std::move(name);
      co_return topics;
    }
    auto found = co_await route(topic);
    const bool is_absent = !found && found.error().code == Errc::topic_not_found;
    if (is_absent) co_return topics;
    SLUICE_CO_TRY(found);
    const model::QueueData& queues = found->queues.front();
    model::TopicConfig& config = topics.emplace_back();
    config.name = std::move(topic);
    config.read_queues = queues.read_queues;
    config.write_queues = queues.write_queues;
    config.permission = queues.permission;
    config.system_flag = queues.topic_system_flag;
    co_return topics;
  }

  void forget_topic(std::string_view topic) override { erase(*shared_, topic); }

  Task<> stop() override {
    shared_->is_stopped = true;
    shared_->directory.stop();
    co_return Result<>{};
  }

 private:
  void say_where_we_are(model::BrokerData& broker) const {
    broker.addresses = {{model::kLeaderId, shared_->options.advertised}};
  }

  /// What is known of the topic. If that is old, it is being asked anew when this returns.
  [[nodiscard]] KnownRoutePtr cached(std::string_view topic) {
    KnownRoutePtr route;
    {
      const std::shared_lock lock(shared_->mutex);
      const auto found = shared_->routes.find(topic);
      if (found == shared_->routes.end()) return nullptr;
      const Shared::Entry& entry = found->second;
      if (entry.is_being_fetched || !shared_->is_old(entry.fetched_at)) return entry.route;
      route = entry.route;
    }
    if (claim_refresh(topic)) {
      spawn(shared_->runtime.loop(0), refresh_route(shared_, std::string(topic)));
    }
    return route;
  }

  /// True for one of those who find the topic's route old at the same time.
  [[nodiscard]] bool claim_refresh(std::string_view topic) {
    const std::lock_guard lock(shared_->mutex);
    const auto found = shared_->routes.find(topic);
    if (found == shared_->routes.end() || shared_->is_stopped) return false;
    return !std::exchange(found->second.is_being_fetched, true);
  }

  Task<std::vector<model::BrokerData>> known_cluster() {
    bool must_refresh = false;
    std::optional<std::vector<model::BrokerData>> known;
    {
      const std::lock_guard lock(shared_->mutex);
      known = shared_->cluster;
      const bool is_old = shared_->is_old(shared_->cluster_fetched_at);
      must_refresh = known && is_old && !shared_->is_cluster_being_fetched && !shared_->is_stopped;
      if (must_refresh) shared_->is_cluster_being_fetched = true;
    }
    if (must_refresh) spawn(shared_->runtime.loop(0), refresh_cluster(shared_));
    // Without any broker, one that has registered since is worth the question.
    if (known && !known->empty()) co_return std::move(*known);
    auto fetched = co_await fetch_cluster(shared_);
    co_return std::move(fetched);
  }

  Task<BrokerApi*> find_by_name(std::string broker_name) {
    BrokerApi* known = shared_->directory.find(broker_name);
    if (known != nullptr) co_return known;
    auto fetched = co_await fetch_cluster(shared_);
    SLUICE_CO_TRY(fetched);
    known = shared_->directory.find(broker_name);
    if (known != nullptr) co_return known;
    co_return fail(Errc::unavailable,
                   "broker \"" + broker_name + "\" is not registered at the name servers");
  }

  Task<BrokerApi*> find_by_topic(std::string topic) {
    KnownRoutePtr known = cached(topic);
    if (!known) {
      auto fetched = co_await fetch_route(shared_, topic);
      if (fetched) {
        known = std::move(*fetched);
      } else if (fetched.error().code != Errc::topic_not_found) {
        co_return fail(std::move(fetched).error());
      }
    }
    if (!known) {
      auto found = co_await find_for_new_topic(std::move(topic));
      co_return found;
    }
    if (known->only_broker != nullptr) co_return known->only_broker;
    co_return fail(Errc::invalid_argument,
                   "topic \"" + topic + "\" is on several brokers: say which one is meant");
  }

  /// The broker that makes the topic if it may, or says that it has none: the first of those that
  /// make topics, so that all gateways choose the same.
  Task<BrokerApi*> find_for_new_topic(std::string topic) {
    KnownRoutePtr pattern = cached(model::kAutoCreateTopic);
    if (!pattern) {
      auto fetched = co_await fetch_route(shared_, std::string(model::kAutoCreateTopic));
      if (fetched) {
        pattern = std::move(*fetched);
      } else if (fetched.error().code != Errc::topic_not_found) {
        co_return fail(std::move(fetched).error());
      }
    }
    if (pattern) co_return pattern->first_broker;
    co_return fail(Errc::topic_not_found, "no broker has topic \"" + topic + "\"");
  }

  SharedPtr shared_;
};

}  // namespace

std::unique_ptr<Routing> make_cluster_routing(Runtime& runtime, std::unique_ptr<RouteSource> source,
                                              BrokerFactory make_broker,
                                              ClusterRoutingOptions options) {
  auto shared = std::make_shared<Shared>(runtime, std::move(source), std::move(make_broker),
                                         std::move(options));
  return std::make_unique<ClusterRouting>(std::move(shared));
}

std::unique_ptr<Routing> make_cluster_routing(Runtime& runtime, remoting::RemotingClientPool& pool,
                                              ClusterRoutingOptions options) {
  auto source = std::make_unique<NameServers>(pool, options.name_servers);
  auto make_broker = [&runtime, &pool](std::string address) -> std::unique_ptr<ClusterBroker> {
    return std::make_unique<RemoteBroker>(runtime, pool, std::move(address));
  };
  return make_cluster_routing(runtime, std::move(source), std::move(make_broker),
                              std::move(options));
}

}  // namespace sluice::gateway
