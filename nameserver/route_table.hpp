#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
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

  /// What becomes of topics of a broker that its registration does not name.
  enum class Unnamed : std::uint8_t {
    kept,      ///< Unless it says that it names all (RegisterBroker::replaces_topics).
    forgotten  ///< Unless it has static topics (deleteTopicWithBrokerRegistration).
  };

  /// Takes a registration, or the repetition of one, which came through `session`.
  ///
  /// Topics are taken from the broker with id 0, or, without write permission, from the one with
  /// the lowest id that says whether it allows an acting leader; if its DataVersion is new. A
  /// registration at an address that was registered under another id of that broker ends the other
  /// one.
  ///
  /// \return invalid_argument if a name, the address or a mapping is missing or too long;
  ///         quota_exceeded over
  ///         limits::kBrokersPerNameServerMax or kTopicsPerNameServerMax; conflict if another
  ///         address holds the id with a higher state version, or if a broker not known yet
  ///         registers one topic, which is news about that topic and not its whole table: it
  ///         registers anew, with all.
  Result<> register_broker(const model::RegisterBroker& registration, model::SessionId session,
                           Instant now, Unnamed unnamed = Unnamed::kept);

  /// Nothing happens if the address is not registered.
  void unregister_broker(const model::UnregisterBroker& broker);

  /// What registered through `session` is gone.
  void close(model::SessionId session);

  /// Drops brokers that were silent for longer than their expiry.
  /// \return their addresses.
  std::vector<std::string> expire(Instant now);

  /// The broker is alive. Nothing happens if it is not registered.
  void touch(const model::BrokerIdentity& broker, Instant now);

  /// What the broker registered last; nullopt if it is not registered.
  [[nodiscard]] std::optional<model::DataVersion> version_of(
      const model::BrokerIdentity& broker) const;

  /// Where the leader of this broker is, as a follower wants to know it: its address and the one
  /// for replication. Empty for a leader, and without one.
  [[nodiscard]] model::RegisteredReply leader_of(std::string_view broker_name,
                                                 std::int64_t broker_id) const;

  /// The brokers of one name; without addresses if there is none.
  [[nodiscard]] model::BrokerData group_of(const model::QueryBrokerGroup& query) const;

  enum class Acting : std::uint8_t {
    none,
    /// A broker that allows it, whose leader is gone and whose topic is not to be written, is
    /// shown with its lowest id as the leader's, so that it can be read.
    leaders
  };

  /// \return topic_not_found if no live broker has the topic.
  [[nodiscard]] Result<model::Route> route(std::string_view topic,
                                           Acting acting = Acting::none) const;

  /// Live brokers, sorted by name.
  [[nodiscard]] std::vector<model::BrokerData> brokers() const;

  /// All topics, sorted by name, each with the queues of the first broker that has it.
  [[nodiscard]] std::vector<model::TopicConfig> topics() const;

  /// One topic the same way; empty if there is none.
  [[nodiscard]] std::vector<model::TopicConfig> topics(std::string_view topic) const;

  /// Names, sorted, each once; for `system` the clusters and brokers, and some broker's address.
  [[nodiscard]] model::NamesReply names(const model::ListTopicNames& query) const;

  void forget_topic(const model::ForgetTopic& topic);

  /// Takes these queues of a topic beside those of other brokers.
  /// \return conflict, with nothing changed, if one of the brokers is not registered;
  ///         invalid_argument, quota_exceeded as for register_broker().
  Result<> register_topic(const model::RegisterTopic& topic);

  /// Of all topics of the broker; of new ones, and if it registers another version, what it says.
  /// \return how many topics that are.
  std::size_t set_write_permission(const model::SetWritePermission& change);

 private:
  struct Registration {
    std::string address;
    std::string ha_address;
    model::SessionId session;
    model::DataVersion version;
    Instant last_seen;
    std::chrono::milliseconds expiry;
  };
  struct Broker {
    std::string cluster;
    bool allows_acting_leader = false;
    std::string zone;
    std::map<std::int64_t, Registration> registrations;  ///< By broker id.
    bool has_topics = false;                             ///< Or had some.

    [[nodiscard]] bool has_leader() const { return registrations.contains(model::kLeaderId); }
  };
  using Brokers = std::map<std::string, Broker, std::less<>>;
  using QueuesByBroker = std::map<std::string, model::QueueData, std::less<>>;
  using MappingsByBroker = std::map<std::string, std::string, std::less<>>;

  [[nodiscard]] Result<> check(const model::RegisterBroker& registration) const;
  [[nodiscard]] Result<> check_not_superseded(const model::RegisterBroker& registration) const;
  [[nodiscard]] Result<> check_topic_count(std::size_t more) const;
  void take_topics(const model::RegisterBroker& registration,
                   const std::optional<Registration>& before, Unnamed unnamed);
  void forget_missing_topics(const model::RegisterBroker& registration);
  /// Forgets the queues for which `is_forgotten(topic, broker_name)` holds, and topics that have
  /// none left.
  template <class IsForgotten>
  void forget_queues(IsForgotten is_forgotten);

  /// Removes the registrations of all brokers for which `is_gone(broker_name, registration)` holds,
  /// and brokers that have none left.
  template <class IsGone>
  std::vector<std::string> remove_if(IsGone is_gone);

  void forget_mapping(std::string_view topic, std::string_view broker_name);

  /// Changes the permission of all topics of the broker. \return how many there are.
  template <class Change>
  std::size_t change_permissions(std::string_view broker_name, Change change);

  [[nodiscard]] const Registration* find(std::string_view broker_name, std::int64_t id) const;
  [[nodiscard]] Registration* find(const model::BrokerIdentity& broker);
  [[nodiscard]] const Registration* find(const model::BrokerIdentity& broker) const;
  [[nodiscard]] static model::BrokerData data_of(const std::string& name, const Broker& broker);
  [[nodiscard]] bool is_selected(const model::ListTopicNames& query,
                                 const QueuesByBroker& brokers) const;

  Brokers brokers_;
  std::size_t registration_count_ = 0;
  std::unordered_set<model::SessionId> sessions_;  ///< That registered something once.
  std::map<std::string, QueuesByBroker, std::less<>> topics_;
  std::map<std::string, MappingsByBroker, std::less<>> mappings_;  ///< Of static topics.
};

}  // namespace sluice::nameserver
