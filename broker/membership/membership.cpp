#include "broker/membership/membership.hpp"

#include <algorithm>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"

namespace sluice::broker {

namespace {

metrics::Counter& refused_registrations() {
  static metrics::Counter& counter =
      metrics::counter("sluice_registrations_refused_total", "",
                       "Group registrations and subscriptions over the limit of one connection");
  return counter;
}

bool names_same_topics(const std::map<std::string, model::Subscription, std::less<>>& have,
                       const std::vector<model::Subscription>& wanted) {
  return have.size() == wanted.size() &&
         std::ranges::all_of(wanted, [&](const model::Subscription& subscription) {
           return have.contains(subscription.topic);
         });
}

}  // namespace

void Membership::register_client(ClientKey key, const model::RegisterClient& client, Instant now) {
  for (const model::ConsumerRegistration& consumer : client.consumers) {
    auto& own_groups = groups_of_[key];
    if (!own_groups.contains(consumer.group)) {
      if (own_groups.size() >= limits::kGroupsPerSessionMax) {
        refused_registrations().add();
        continue;
      }
      own_groups.insert(consumer.group);
    }
    Group& group = groups_[consumer.group];
    const bool has_changed = update(group, key, client.client_id, consumer, now);
    if (has_changed) changed_.insert(consumer.group);
  }
}

bool Membership::update(Group& group, ClientKey key, const std::string& client_id,
                        const model::ConsumerRegistration& consumer, Instant now) {
  group.type = consumer.type;
  group.model = consumer.model;
  group.consume_from_where = consumer.consume_from_where;
  const auto [member, is_new] = group.members.try_emplace(key);
  member->second = Member{client_id, now};
  const bool has_same_topics = names_same_topics(group.subscriptions, consumer.subscriptions);
  std::map<std::string, model::Subscription, std::less<>> updated;
  for (const model::Subscription& subscription : consumer.subscriptions) {
    if (updated.size() >= limits::kSubscriptionsPerGroupMax) {
      refused_registrations().add();
      break;
    }
    // An older heartbeat of a slow member does not undo a newer subscription.
    const auto known = group.subscriptions.find(subscription.topic);
    const bool is_older =
        known != group.subscriptions.end() && known->second.version > subscription.version;
    updated[subscription.topic] = is_older ? known->second : subscription;
  }
  group.subscriptions = std::move(updated);
  return is_new || !has_same_topics;
}

void Membership::unregister(ClientKey key, std::string_view group) {
  const auto found = groups_.find(group);
  if (found != groups_.end()) remove_member(found, key);
  const auto own = groups_of_.find(key);
  if (own == groups_of_.end()) return;
  const auto name = own->second.find(group);
  if (name != own->second.end()) own->second.erase(name);
  if (own->second.empty()) groups_of_.erase(own);
}

void Membership::close(ClientKey key) {
  remove_client(groups_of_.find(key));
  if (key.via.value != 0) return;
  // What came through this connection lies together.
  auto client = groups_of_.lower_bound({.session = {}, .via = key.session});
  while (client != groups_of_.end() && client->first.via == key.session) {
    client = remove_client(client);
  }
}

void Membership::expire(Instant now) {
  // A client that is silent about one group may well speak of another.
  std::vector<std::pair<ClientKey, std::string>> silent;
  for (const auto& [name, group] : groups_) {
    for (const auto& [key, member] : group.members) {
      if (now - member.last_seen > limits::kClientExpiry) silent.emplace_back(key, name);
    }
  }
  for (const auto& [key, name] : silent) unregister(key, name);
}

Membership::Clients::iterator Membership::remove_client(Clients::iterator client) {
  if (client == groups_of_.end()) return client;
  for (const std::string& name : client->second) {
    const auto group = groups_.find(name);
    if (group != groups_.end()) remove_member(group, client->first);
  }
  return groups_of_.erase(client);
}

void Membership::remove_member(Groups::iterator group, ClientKey key) {
  if (group->second.members.erase(key) == 0) return;
  if (group->second.members.empty()) {
    groups_.erase(group);
  } else {
    changed_.insert(group->first);
  }
}

Membership::Notices Membership::take_notices() {
  Notices notices;
  for (const std::string& name : changed_) {
    const auto group = groups_.find(name);
    if (group != groups_.end()) tell(name, group->second, notices);
  }
  changed_.clear();
  return notices;
}

void Membership::tell(const std::string& name, const Group& group, Notices& notices) {
  if (group.model == model::MessageModel::broadcasting) return;
  for (const auto& [key, member] : group.members) {
    notices.emplace_back(key.via, model::Notice{key.session, model::GroupChanged{name}});
  }
}

std::vector<std::string> Membership::members(std::string_view group) const {
  std::vector<std::string> ids;
  const auto found = groups_.find(group);
  if (found == groups_.end()) return ids;
  for (const auto& [key, member] : found->second.members) ids.push_back(member.client_id);
  std::ranges::sort(ids);
  const auto repeats = std::ranges::unique(ids);
  ids.erase(repeats.begin(), repeats.end());
  return ids;
}

std::optional<ClientKey> Membership::find(std::string_view group,
                                          std::string_view client_id) const {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return std::nullopt;
  // The newest connection: a client that has connected again may still be there with its old one.
  std::optional<ClientKey> newest;
  Instant last_seen{};
  for (const auto& [key, member] : found->second.members) {
    if (member.client_id != client_id) continue;
    if (newest && member.last_seen < last_seen) continue;
    newest = key;
    last_seen = member.last_seen;
  }
  return newest;
}

std::optional<Membership::View> Membership::view(std::string_view group) const {
  const auto found = groups_.find(group);
  if (found == groups_.end() || found->second.members.empty()) return std::nullopt;
  const Group& known = found->second;
  View view;
  for (const auto& [key, member] : known.members) view.members.emplace_back(key, member.client_id);
  view.type = known.type;
  view.model = known.model;
  view.consume_from_where = known.consume_from_where;
  for (const auto& [topic, subscription] : known.subscriptions) {
    view.subscriptions.push_back(subscription);
  }
  return view;
}

std::vector<std::string> Membership::subscribers(std::string_view topic) const {
  std::vector<std::string> names;
  for (const auto& [name, group] : groups_) {
    if (!group.members.empty() && group.subscriptions.contains(topic)) names.push_back(name);
  }
  return names;
}

bool Membership::is_broadcasting(std::string_view group) const {
  const auto found = groups_.find(group);
  return found != groups_.end() && !found->second.members.empty() &&
         found->second.model == model::MessageModel::broadcasting;
}

std::optional<model::Subscription> Membership::subscription(std::string_view group,
                                                            std::string_view topic) const {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return std::nullopt;
  const auto subscription = found->second.subscriptions.find(topic);
  if (subscription == found->second.subscriptions.end()) return std::nullopt;
  return subscription->second;
}

}  // namespace sluice::broker
