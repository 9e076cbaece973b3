#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/error.hpp"
#include "common/model/call_context.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "common/model/route.hpp"

namespace sluice::nameserver {

/// Which broker is where and has which topics, as the brokers say it (RocketMQ's RouteInfoManager).
/// Time is handed in. Not thread-safe: NameServer guards it.
class RouteTable {
 public:
  using Instant = Environment::Instant;

  /// Takes a registration, or the repetition of one, which came through `session`.
  ///
  /// Topics are taken from the broker with id 0, if its DataVersion is new. A registration at an
  /// address that was registered under another id of that broker ends the other one.
  ///
  /// \return invalid_argument if a name or the address is missing or too long; quota_exceeded over
  ///         limits::kBrokersPerNameServerMax or kTopicsPerNameServerMax; conflict if another
  ///         address holds the id with a higher state version, or if a broker not known yet
  ///         registers one topic, which is news about that topic and not its whole table: it
  ///         registers anew, with all.
  Result<> register_broker(const model::RegisterBroker& registration, model::SessionId session,
                           Instant now);

  /// Nothing happens if the address is not registered.
  void unregister_broker(const model::UnregisterBroker& broker);

  /// What registered through `session` is gone.
  void close(model::SessionId session);

  /// Drops brokers that were silent for longer than their expiry.
  /// \return their addresses.
  std::vector<std::string> expire(Instant now);

  /// \return topic_not_found if no live broker has the topic.
  [[nodiscard]] Result<model::Route> route(std::string_view topic) const;

  /// Live brokers, sorted by name.
  [[nodiscard]] std::vector<model::BrokerData> brokers() const;

  /// All topics, sorted by name, each with the queues of the first broker that has it.
  [[nodiscard]] std::vector<model::TopicConfig> topics() const;

  /// One topic the same way; empty if there is none.
  [[nodiscard]] std::vector<model::TopicConfig> topics(std::string_view topic) const;

  /// Forgets the topic of every broker, until one registers it again. RocketMQ's own request for
  /// that, DELETE_TOPIC_IN_NAMESRV (216), is not served: brokers tell of what they deleted.
  void delete_topic(std::string_view topic);

 private:
  struct Registration {
    std::string address;
    model::SessionId session;
    model::DataVersion version;
    Instant last_seen;
    std::chrono::milliseconds expiry;
  };
  struct Broker {
    std::string cluster;
    std::map<std::int64_t, Registration> registrations;  ///< By broker id.
  };
  using Brokers = std::map<std::string, Broker, std::less<>>;
  using QueuesByBroker = std::map<std::string, model::QueueData, std::less<>>;

  [[nodiscard]] Result<> check(const model::RegisterBroker& registration) const;
  [[nodiscard]] Result<> check_not_superseded(const model::RegisterBroker& registration) const;
  void take_topics(const model::RegisterBroker& registration, const Registration* before);
  void forget_missing_topics(const model::RegisterBroker& registration);
  /// `is_forgotten(topic)` says which.
  template <class IsForgotten>
  void forget_topics_of(std::string_view broker_name, IsForgotten is_forgotten);

  /// Removes the registrations of all brokers for which `is_gone(broker_name, registration)` holds,
  /// and brokers that have none left.
  template <class IsGone>
  std::vector<std::string> remove_if(IsGone is_gone);

  [[nodiscard]] const Registration* find(std::string_view broker_name, std::int64_t id) const;

  Brokers brokers_;
  std::size_t registration_count_ = 0;
  std::unordered_set<model::SessionId> sessions_;  ///< That registered something once.
  std::map<std::string, QueuesByBroker, std::less<>> topics_;
};

}  // namespace sluice::nameserver
