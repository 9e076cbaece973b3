#include "nameserver/route_table.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

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
  return {};
}

model::QueueData queues_of(const std::string& broker_name, const model::TopicConfig& config) {
  return {.broker_name = broker_name,
          .read_queues = config.read_queues,
          .write_queues = config.write_queues,
          .permission = config.permission,
          .topic_system_flag = config.system_flag};
}

model::TopicConfig config_of(const std::string& topic, const model::QueueData& queues) {
  model::TopicConfig config;
  config.name = topic;
  config.read_queues = queues.read_queues;
  config.write_queues = queues.write_queues;
  config.permission = queues.permission;
  config.system_flag = queues.topic_system_flag;
  return config;
}

}  // namespace

Result<> RouteTable::register_broker(const model::RegisterBroker& registration,
                                     model::SessionId session, Instant now) {
  SLUICE_TRY(check(registration));
  SLUICE_TRY(check_not_superseded(registration));

  const Registration* before = find(registration.broker_name, registration.broker_id);
  const bool is_news_about_one_topic =
      registration.topics.size() == 1 && !registration.replaces_topics;
  if (before == nullptr && is_news_about_one_topic) {
    return fail(Errc::conflict, "register broker failed: the first registration names all topics");
  }

  take_topics(registration, before);
  Broker& broker = brokers_[registration.broker_name];
  broker.cluster = registration.cluster;
  if (before == nullptr) ++registration_count_;
  // A broker that changed its id (a slave made master) is one broker, not two.
  registration_count_ -= std::erase_if(broker.registrations, [&](const auto& entry) {
    return entry.second.address == registration.address && entry.first != registration.broker_id;
  });
  sessions_.insert(session);
  const auto expiry = registration.expiry.count() > 0
                          ? registration.expiry
                          : std::chrono::milliseconds(limits::kBrokerExpiry);
  broker.registrations[registration.broker_id] = {.address = registration.address,
                                                  .session = session,
                                                  .version = registration.version,
                                                  .last_seen = now,
                                                  .expiry = expiry};
  return {};
}

Result<> RouteTable::check(const model::RegisterBroker& registration) const {
  SLUICE_TRY(check_text("broker name", registration.broker_name));
  SLUICE_TRY(check_text("broker address", registration.address));
  SLUICE_TRY(check_text("cluster name", registration.cluster));
  for (const model::TopicConfig& topic : registration.topics) {
    SLUICE_TRY(check_text("topic name", topic.name));
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
  if (topics_.size() + new_topics > limits::kTopicsPerNameServerMax) {
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
                             const Registration* before) {
  if (registration.broker_id != model::kLeaderId) return;
  const bool is_new_version = before == nullptr || before->address != registration.address ||
                              before->version != registration.version;
  for (const model::TopicConfig& config : registration.topics) {
    QueuesByBroker& brokers = topics_[config.name];
    const bool is_known = brokers.contains(registration.broker_name);
    if (is_known && !is_new_version) continue;
    brokers[registration.broker_name] = queues_of(registration.broker_name, config);
  }
  if (registration.replaces_topics && is_new_version) forget_missing_topics(registration);
}

void RouteTable::forget_missing_topics(const model::RegisterBroker& registration) {
  std::unordered_set<std::string_view> kept;
  for (const model::TopicConfig& config : registration.topics) kept.insert(config.name);
  forget_topics_of(registration.broker_name,
                   [&](const std::string& topic) { return !kept.contains(topic); });
}

template <class IsForgotten>
void RouteTable::forget_topics_of(std::string_view broker_name, IsForgotten is_forgotten) {
  for (auto entry = topics_.begin(); entry != topics_.end();) {
    auto& [topic, brokers] = *entry;
    const auto found = brokers.find(broker_name);
    if (found != brokers.end() && is_forgotten(topic)) brokers.erase(found);
    entry = brokers.empty() ? topics_.erase(entry) : std::next(entry);
  }
}

template <class IsGone>
std::vector<std::string> RouteTable::remove_if(IsGone is_gone) {
  std::vector<std::string> removed;
  for (auto broker = brokers_.begin(); broker != brokers_.end();) {
    auto& [name, state] = *broker;
    std::erase_if(state.registrations, [&](const auto& entry) {
      if (!is_gone(name, entry.second)) return false;
      removed.push_back(entry.second.address);
      return true;
    });
    if (state.registrations.empty()) {
      forget_topics_of(name, [](const std::string&) { return true; });
      broker = brokers_.erase(broker);
    } else {
      ++broker;
    }
  }
  registration_count_ -= removed.size();
  return removed;
}

void RouteTable::unregister_broker(const model::UnregisterBroker& broker) {
  remove_if([&](const std::string& name, const Registration& registration) {
    return name == broker.broker_name && registration.address == broker.address;
  });
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

Result<model::Route> RouteTable::route(std::string_view topic) const {
  model::Route route;
  const auto found = topics_.find(topic);
  if (found != topics_.end()) {
    for (const auto& [name, queues] : found->second) {
      const auto broker = brokers_.find(name);
      if (broker == brokers_.end()) continue;
      route.queues.push_back(queues);
      model::BrokerData& data = route.brokers.emplace_back();
      data.cluster = broker->second.cluster;
      data.broker_name = name;
      for (const auto& [id, registration] : broker->second.registrations) {
        data.addresses.emplace(id, registration.address);
      }
    }
  }
  if (route.queues.empty()) {
    return fail(Errc::topic_not_found, "no broker has topic \"" + std::string(topic) + "\"");
  }
  return route;
}

std::vector<model::BrokerData> RouteTable::brokers() const {
  std::vector<model::BrokerData> all;
  for (const auto& [name, broker] : brokers_) {
    model::BrokerData& data = all.emplace_back();
    data.cluster = broker.cluster;
    data.broker_name = name;
    for (const auto& [id, registration] : broker.registrations) {
      data.addresses.emplace(id, registration.address);
    }
  }
  return all;
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

void RouteTable::delete_topic(std::string_view topic) {
  const auto found = topics_.find(topic);
  if (found != topics_.end()) topics_.erase(found);
}

const RouteTable::Registration* RouteTable::find(std::string_view broker_name,
                                                 std::int64_t id) const {
  const auto broker = brokers_.find(broker_name);
  if (broker == brokers_.end()) return nullptr;
  const auto registration = broker->second.registrations.find(id);
  return registration == broker->second.registrations.end() ? nullptr : &registration->second;
}

}  // namespace sluice::nameserver
