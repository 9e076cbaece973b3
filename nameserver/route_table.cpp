#include "nameserver/route_table.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include <simdjson.h>

#include "common/base/limits.hpp"

namespace sluice::nameserver {

namespace {

Result<> check_text(std::string_view what, std::string_view text) {
  if (text.empty()) {
    return fail(Errc::invalid_argument, "the registration has no " + std::string(what));
  }
  if (text.size() > limits::kRegistrationTextBytesMax) {
    return fail(Errc::invalid_argument, "the " + std::string(what) + " has " +
                                            std::to_string(text.size()) + " bytes; the limit is " +
                                            std::to_string(limits::kRegistrationTextBytesMax));
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return fail(Errc::invalid_argument, "the " + std::string(what) + " is not UTF-8");
  }
  return {};
}

/// A client makes an entry for each queue of a route.
Result<> check_queues(const std::string& topic, std::int32_t read, std::int32_t write) {
  const auto [fewest, most] = std::minmax(read, write);
  if (fewest >= 0 && most <= limits::kQueuesPerRouteMax) return {};
  return fail(Errc::invalid_argument, "topic \"" + topic + "\" has " + std::to_string(read) +
                                          " queues to read and " + std::to_string(write) +
                                          " to write; a broker may give a topic 0 to " +
                                          std::to_string(limits::kQueuesPerRouteMax));
}

model::QueueData queues_of(const std::string& broker_name, const model::TopicConfig& config) {
  return {.broker_name = broker_name,
          .read_queues = config.read_queues,
          .write_queues = config.write_queues,
          .permission = config.permission,
          .topic_system_flag = config.system_flag};
}

}  // namespace

Result<> RouteTable::register_broker(const model::RegisterBroker& registration,
                                     model::SessionId session, Instant now, Unnamed unnamed) {
  SLUICE_TRY(check(registration));
  SLUICE_TRY(check_not_superseded(registration));

  const Registration* const known = find(registration.broker_name, registration.broker_id);
  const bool is_news_about_one_topic =
      registration.topics.size() == 1 && !registration.replaces_topics;
  if (known == nullptr && is_news_about_one_topic) {
    return fail(Errc::conflict, "register broker failed: the first registration names all topics");
  }
  const auto before = known == nullptr ? std::nullopt : std::optional(*known);

  Broker& broker = brokers_[registration.broker_name];
  broker.cluster = registration.cluster;
  broker.allows_acting_leader = registration.allows_acting_leader.value_or(false);
  broker.zone = registration.zone;
  if (!before) ++registration_count_;
  // A broker that changed its id (a slave made master) is one broker, not two.
  registration_count_ -= std::erase_if(broker.registrations, [&](const auto& entry) {
    return entry.second.address == registration.address && entry.first != registration.broker_id;
  });
  sessions_.insert(session);
  const auto expiry = registration.expiry.count() > 0
                          ? registration.expiry
                          : std::chrono::milliseconds(limits::kBrokerExpiry);
  broker.registrations[registration.broker_id] = {.address = registration.address,
                                                  .ha_address = registration.ha_address,
                                                  .session = session,
                                                  .version = registration.version,
                                                  .last_seen = now,
                                                  .expiry = expiry};
  const std::int64_t lowest_id = broker.registrations.begin()->first;
  const bool is_prime_follower = registration.broker_id != model::kLeaderId &&
                                 registration.broker_id == lowest_id &&
                                 registration.allows_acting_leader.has_value();
  if (registration.broker_id == model::kLeaderId || is_prime_follower) {
    take_topics(registration, before, unnamed);
  }
  return {};
}

Result<> RouteTable::check(const model::RegisterBroker& registration) const {
  SLUICE_TRY(check_text("broker name", registration.broker_name));
  SLUICE_TRY(check_text("broker address", registration.address));
  SLUICE_TRY(check_text("cluster name", registration.cluster));
  if (!registration.zone.empty()) {
    SLUICE_TRY(check_text("zone", registration.zone));
  }
  if (!registration.ha_address.empty()) {
    SLUICE_TRY(check_text("address for followers", registration.ha_address));
  }
  for (const model::TopicConfig& topic : registration.topics) {
    SLUICE_TRY(check_text("topic name", topic.name));
    SLUICE_TRY(check_queues(topic.name, topic.read_queues, topic.write_queues));
  }
  for (const model::QueueMapping& mapping : registration.mappings) {
    SLUICE_TRY(check_text("topic name of a mapping", mapping.topic));
    if (mapping.json.size() > limits::kQueueMappingBytesMax) {
      return fail(Errc::invalid_argument,
                  "the mapping of topic \"" + mapping.topic + "\" has more than its limit of " +
                      std::to_string(limits::kQueueMappingBytesMax) + " bytes");
    }
  }
  const bool is_known = find(registration.broker_name, registration.broker_id) != nullptr;
  if (!is_known && registration_count_ >= limits::kBrokersPerNameServerMax) {
    return fail(Errc::quota_exceeded, "the name server holds its limit of " +
                                          std::to_string(limits::kBrokersPerNameServerMax) +
                                          " brokers");
  }
  const auto new_topics = static_cast<std::size_t>(std::ranges::count_if(
      registration.topics,
      [&](const model::TopicConfig& topic) { return !topics_.contains(topic.name); }));
  return check_topic_count(new_topics);
}

Result<> RouteTable::check_topic_count(std::size_t more) const {
  if (topics_.size() + more > limits::kTopicsPerNameServerMax) {
    return fail(Errc::quota_exceeded, "the name server would hold more than its limit of " +
                                          std::to_string(limits::kTopicsPerNameServerMax) +
                                          " topics");
  }
  return {};
}

Result<> RouteTable::check_not_superseded(const model::RegisterBroker& registration) const {
  const Registration* holder = find(registration.broker_name, registration.broker_id);
  if (holder == nullptr || holder->address == registration.address) return {};
  if (holder->version.state_version <= registration.version.state_version) return {};
  return fail(Errc::conflict, "broker " + registration.broker_name + " with id " +
                                  std::to_string(registration.broker_id) + " is registered at " +
                                  holder->address + " with a higher state version");
}

void RouteTable::take_topics(const model::RegisterBroker& registration,
                             const std::optional<Registration>& before, Unnamed unnamed) {
  const bool is_new_version =
      !before || before->address != registration.address || before->version != registration.version;
  if (!registration.topics.empty()) brokers_[registration.broker_name].has_topics = true;
  for (const model::TopicConfig& config : registration.topics) {
    QueuesByBroker& brokers = topics_[config.name];
    const bool is_known = brokers.contains(registration.broker_name);
    if (is_known && !is_new_version) continue;
    model::QueueData queues = queues_of(registration.broker_name, config);
    if (registration.broker_id != model::kLeaderId) queues.permission &= ~model::permission::kWrite;
    brokers[registration.broker_name] = std::move(queues);
  }
  if (!is_new_version) return;
  for (const model::QueueMapping& mapping : registration.mappings) {
    // It goes with the topic, so there must be one.
    const auto topic = topics_.find(mapping.topic);
    if (topic == topics_.end() || !topic->second.contains(registration.broker_name)) continue;
    mappings_[mapping.topic][registration.broker_name] = mapping.json;
  }
  const bool is_rest_forgotten = registration.replaces_topics ||
                                 (unnamed == Unnamed::forgotten && registration.mappings.empty());
  if (is_rest_forgotten) forget_missing_topics(registration);
}

void RouteTable::forget_missing_topics(const model::RegisterBroker& registration) {
  std::unordered_set<std::string_view> kept;
  for (const model::TopicConfig& config : registration.topics) kept.insert(config.name);
  forget_queues([&](const std::string& topic, const std::string& broker_name) {
    return broker_name == registration.broker_name && !kept.contains(topic);
  });
}

template <class IsForgotten>
void RouteTable::forget_queues(IsForgotten is_forgotten) {
  for (auto entry = topics_.begin(); entry != topics_.end();) {
    auto& [topic, brokers] = *entry;
    std::erase_if(brokers, [&](const auto& queues) {
      if (!is_forgotten(topic, queues.first)) return false;
      forget_mapping(topic, queues.first);
      return true;
    });
    entry = brokers.empty() ? topics_.erase(entry) : std::next(entry);
  }
}

void RouteTable::forget_mapping(std::string_view topic, std::string_view broker_name) {
  const auto mappings = mappings_.find(topic);
  if (mappings == mappings_.end()) return;
  const auto found = mappings->second.find(broker_name);
  if (found != mappings->second.end()) mappings->second.erase(found);
  if (mappings->second.empty()) mappings_.erase(mappings);
}

template <class Change>
std::size_t RouteTable::change_permissions(std::string_view broker_name, Change change) {
  std::size_t count = 0;
  for (auto& [topic, brokers] : topics_) {
    const auto found = brokers.find(broker_name);
    if (found == brokers.end()) continue;
    change(found->second.permission);
    ++count;
  }
  return count;
}

template <class IsGone>
std::vector<std::string> RouteTable::remove_if(IsGone is_gone) {
  std::vector<std::string> removed;
  std::unordered_set<std::string> gone;
  for (auto broker = brokers_.begin(); broker != brokers_.end();) {
    auto& [name, state] = *broker;
    const bool had_leader = state.has_leader();
    std::erase_if(state.registrations, [&](const auto& entry) {
      if (!is_gone(name, entry.second)) return false;
      removed.push_back(entry.second.address);
      return true;
    });
    const bool is_led_no_more = had_leader && !state.has_leader();
    const bool is_left = !state.registrations.empty();
    if (is_left && is_led_no_more && state.allows_acting_leader) {
      change_permissions(name, [](std::int32_t& bits) { bits &= ~model::permission::kWrite; });
    }
    if (!is_left) {
      if (state.has_topics) gone.insert(name);
      broker = brokers_.erase(broker);
    } else {
      ++broker;
    }
  }
  registration_count_ -= removed.size();
  if (gone.empty()) return removed;
  // In one pass: a connection may have brought thousands of brokers.
  forget_queues([&](const std::string&, const std::string& broker_name) {
    return gone.contains(broker_name);
  });
  return removed;
}

void RouteTable::unregister_broker(const model::UnregisterBroker& broker) {
  remove_if([&](const std::string& name, const Registration& registration) {
    return name == broker.broker_name && registration.address == broker.address;
  });
}

void RouteTable::touch(const model::BrokerIdentity& broker, Instant now) {
  Registration* const known = find(broker);
  if (known != nullptr) known->last_seen = now;
}

void RouteTable::close(model::SessionId session) {
  if (sessions_.erase(session) == 0) return;
  remove_if([&](const std::string&, const Registration& registration) {
    return registration.session == session;
  });
}

std::vector<std::string> RouteTable::expire(Instant now) {
  return remove_if([&](const std::string&, const Registration& registration) {
    return now - registration.last_seen > registration.expiry;
  });
}

void RouteTable::forget_topic(const model::ForgetTopic& topic) {
  const auto found = topics_.find(topic.topic);
  if (found == topics_.end()) return;
  std::erase_if(found->second, [&](const auto& entry) {
    const auto broker = brokers_.find(entry.first);
    const bool is_meant = topic.cluster.empty() || broker == brokers_.end() ||
                          broker->second.cluster == topic.cluster;
    if (is_meant) forget_mapping(topic.topic, entry.first);
    return is_meant;
  });
  if (found->second.empty()) topics_.erase(found);
}

Result<> RouteTable::register_topic(const model::RegisterTopic& topic) {
  SLUICE_TRY(check_text("topic name", topic.topic));
  for (const model::QueueData& queues : topic.queues) {
    if (brokers_.contains(queues.broker_name)) continue;
    return fail(Errc::conflict, "broker \"" + queues.broker_name +
                                    "\" is not registered: it registers itself first");
  }
  for (const model::QueueData& queues : topic.queues) {
    SLUICE_TRY(check_queues(topic.topic, queues.read_queues, queues.write_queues));
  }
  if (topic.queues.empty()) return {};
  SLUICE_TRY(check_topic_count(topics_.contains(topic.topic) ? 0 : 1));
  QueuesByBroker& brokers = topics_[topic.topic];
  for (const model::QueueData& queues : topic.queues) {
    brokers[queues.broker_name] = queues;
    brokers_[queues.broker_name].has_topics = true;
  }
  return {};
}

std::size_t RouteTable::set_write_permission(const model::SetWritePermission& change) {
  return change_permissions(change.broker_name, [&](std::int32_t& bits) {
    // As RocketMQ has it: granting makes a topic readable, too.
    bits = change.permission == model::WritePermission::wiped
               ? bits & ~model::permission::kWrite
               : model::permission::kRead | model::permission::kWrite;
  });
}

}  // namespace sluice::nameserver
