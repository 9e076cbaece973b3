#include <algorithm>
#include <set>
#include <utility>

#include "nameserver/route_table.hpp"

namespace sluice::nameserver {

namespace {

// TopicSysFlag.
constexpr std::int32_t kUnitFlag = 1;
constexpr std::int32_t kUnitSubscribedFlag = 2;

/// Topics of the group of a broker's own members, which must see each other as they are
/// (TopicValidator.SYNC_BROKER_MEMBER_GROUP_PREFIX).
constexpr std::string_view kMemberTopicPrefix = "rmq_sys_SYNC_BROKER_MEMBER_";

model::TopicConfig config_of(const std::string& topic, const model::QueueData& queues) {
  model::TopicConfig config;
  config.name = topic;
  config.read_queues = queues.read_queues;
  config.write_queues = queues.write_queues;
  config.permission = queues.permission;
  config.system_flag = queues.topic_system_flag;
  return config;
}

/// Shows the lowest id as the leader's, if the leader is gone and that is allowed
/// (supportActingMaster).
void show_acting_leader(model::BrokerData& data, const model::QueueData& queues) {
  const bool is_led = data.addresses.empty() || data.addresses.contains(model::kLeaderId);
  const bool is_writable = (queues.permission & model::permission::kWrite) != 0;
  if (is_led || is_writable || !data.allows_acting_leader) return;
  auto lowest = data.addresses.extract(data.addresses.begin());
  lowest.key() = model::kLeaderId;
  data.addresses.insert(std::move(lowest));
}

}  // namespace

std::optional<model::DataVersion> RouteTable::version_of(
    const model::BrokerIdentity& broker) const {
  const Registration* const known = find(broker);
  return known == nullptr ? std::nullopt : std::optional(known->version);
}

model::RegisteredReply RouteTable::leader_of(std::string_view broker_name,
                                             std::int64_t broker_id) const {
  const Registration* const leader = find(broker_name, model::kLeaderId);
  if (broker_id == model::kLeaderId || leader == nullptr) return {};
  return {.leader_address = leader->address,
          .leader_ha_address = leader->ha_address,
          .order_topics = std::nullopt};
}

model::BrokerData RouteTable::group_of(const model::QueryBrokerGroup& query) const {
  const auto broker = brokers_.find(query.broker_name);
  if (broker != brokers_.end()) return data_of(broker->first, broker->second);
  model::BrokerData none;
  none.cluster = query.cluster;
  none.broker_name = query.broker_name;
  return none;
}

Result<model::Route> RouteTable::route(std::string_view topic, Acting acting) const {
  model::Route route;
  if (topic.starts_with(kMemberTopicPrefix)) acting = Acting::none;
  const auto found = topics_.find(topic);
  if (found != topics_.end()) {
    for (const auto& [name, queues] : found->second) {
      const auto broker = brokers_.find(name);
      if (broker == brokers_.end()) continue;
      route.queues.push_back(queues);
      model::BrokerData data = data_of(name, broker->second);
      if (acting == Acting::leaders) show_acting_leader(data, queues);
      route.brokers.push_back(std::move(data));
    }
  }
  if (route.queues.empty()) {
    return fail(Errc::topic_not_found, "no broker has topic \"" + std::string(topic) + "\"");
  }
  const auto mappings = mappings_.find(topic);
  if (mappings != mappings_.end()) {
    for (const auto& [name, json] : mappings->second) {
      route.mappings.push_back({.topic = found->first, .broker_name = name, .json = json});
    }
  }
  return route;
}

std::vector<model::BrokerData> RouteTable::brokers() const {
  std::vector<model::BrokerData> all;
  for (const auto& [name, broker] : brokers_) all.push_back(data_of(name, broker));
  return all;
}

model::BrokerData RouteTable::data_of(const std::string& name, const Broker& broker) {
  model::BrokerData data;
  data.cluster = broker.cluster;
  data.broker_name = name;
  for (const auto& [id, registration] : broker.registrations) {
    data.addresses.emplace(id, registration.address);
  }
  data.allows_acting_leader = broker.allows_acting_leader;
  data.zone = broker.zone;
  return data;
}

std::vector<model::TopicConfig> RouteTable::topics() const {
  std::vector<model::TopicConfig> all;
  all.reserve(topics_.size());
  for (const auto& [topic, brokers] : topics_) {
    all.push_back(config_of(topic, brokers.begin()->second));
  }
  return all;
}

std::vector<model::TopicConfig> RouteTable::topics(std::string_view topic) const {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) return {};
  return {config_of(found->first, found->second.begin()->second)};
}

bool RouteTable::is_selected(const model::ListTopicNames& query,
                             const QueuesByBroker& brokers) const {
  const std::int32_t flag = brokers.begin()->second.topic_system_flag;
  const bool is_unit = (flag & kUnitFlag) != 0;
  const bool is_unit_subscribed = (flag & kUnitSubscribedFlag) != 0;
  switch (query.selection) {
    case model::TopicSelection::of_cluster:
      return std::ranges::any_of(brokers, [&](const auto& entry) {
        const auto broker = brokers_.find(entry.first);
        return broker != brokers_.end() && broker->second.cluster == query.cluster;
      });
    case model::TopicSelection::system:
      return false;
    case model::TopicSelection::unit:
      return is_unit;
    case model::TopicSelection::unit_subscribed:
      return is_unit_subscribed;
    case model::TopicSelection::unit_subscribed_alone:
      return is_unit_subscribed && !is_unit;
  }
  return false;
}

model::NamesReply RouteTable::names(const model::ListTopicNames& query) const {
  model::NamesReply reply;
  if (query.selection != model::TopicSelection::system) {
    for (const auto& [topic, brokers] : topics_) {
      if (is_selected(query, brokers)) reply.names.push_back(topic);
    }
    return reply;
  }
  std::set<std::string> names;
  for (const auto& [name, broker] : brokers_) {
    names.insert(broker.cluster);
    names.insert(name);
  }
  reply.names.assign(names.begin(), names.end());
  if (!brokers_.empty()) {
    reply.broker_address = brokers_.begin()->second.registrations.begin()->second.address;
  }
  return reply;
}

const RouteTable::Registration* RouteTable::find(std::string_view broker_name,
                                                 std::int64_t id) const {
  const auto broker = brokers_.find(broker_name);
  if (broker == brokers_.end()) return nullptr;
  const auto registration = broker->second.registrations.find(id);
  return registration == broker->second.registrations.end() ? nullptr : &registration->second;
}

RouteTable::Registration* RouteTable::find(const model::BrokerIdentity& broker) {
  return const_cast<Registration*>(std::as_const(*this).find(broker));
}

const RouteTable::Registration* RouteTable::find(const model::BrokerIdentity& broker) const {
  const auto found = brokers_.find(broker.broker_name);
  if (found == brokers_.end() || found->second.cluster != broker.cluster) return nullptr;
  for (const auto& [id, registration] : found->second.registrations) {
    if (registration.address == broker.address) return &registration;
  }
  return nullptr;
}

}  // namespace sluice::nameserver
