#include "broker/membership/connections.hpp"

#include <utility>

#include "common/base/metrics.hpp"

namespace sluice::broker {

namespace {

metrics::Counter& refused_registrations() {
  static metrics::Counter& counter =
      metrics::counter("sluice_clients_refused_total", "",
                       "Clients and producer groups over the limits of one connection");
  return counter;
}

}  // namespace

void Connections::register_client(ClientKey key, const model::Endpoint& peer,
                                  const model::RegisterClient& client, Moment now) {
  Clients& clients = clients_[key];
  if (key.via.value != 0) through_[key.via].insert(key);
  const bool is_known = clients.contains(client.client_id);
  if (!is_known && clients.size() >= limits::kClientsPerSessionRemembered) {
    return refused_registrations().add();
  }
  Client& known = clients[client.client_id];
  known.last_seen = now.steady;
  known.connection = {.client_id = client.client_id,
                      .address = model::to_string(peer),
                      .language = client.language,
                      .version = client.version,
                      .last_seen_ms = now.wall.value};
  std::size_t room = limits::kGroupsPerSessionMax - producer_groups_of(clients);
  for (const std::string& group : client.producer_groups) {
    if (known.producer_groups.contains(group)) continue;
    if (room == 0) return refused_registrations().add();
    --room;
    known.producer_groups.insert(group);
    producers_[group].insert({key, client.client_id});
  }
}

std::size_t Connections::producer_groups_of(const Clients& clients) const noexcept {
  std::size_t count = 0;
  for (const auto& [id, client] : clients) count += client.producer_groups.size();
  return count;
}

void Connections::leave_producers(ClientKey key, std::string_view client_id,
                                  std::string_view group) {
  const auto clients = clients_.find(key);
  if (clients == clients_.end()) return;
  const auto client = clients->second.find(client_id);
  if (client == clients->second.end()) return;
  const auto known = client->second.producer_groups.find(group);
  if (known == client->second.producer_groups.end()) return;
  client->second.producer_groups.erase(known);
  leave(key, group, client_id);
}

void Connections::leave(ClientKey key, std::string_view group, std::string_view client_id) {
  const auto producers = producers_.find(group);
  if (producers == producers_.end()) return;
  producers->second.erase({key, std::string(client_id)});
  if (producers->second.empty()) producers_.erase(producers);
}

void Connections::leave_all(ClientKey key, const std::string& client_id, const Client& client) {
  for (const std::string& group : client.producer_groups) leave(key, group, client_id);
}

void Connections::close(ClientKey key) {
  close_one(key);
  if (key.via.value != 0) return;
  const auto gateway = through_.find(key.session);
  if (gateway == through_.end()) return;
  const std::set<ClientKey> sessions = std::move(gateway->second);
  through_.erase(gateway);
  for (const ClientKey& session : sessions) close_one(session);
}

void Connections::close_one(ClientKey key) {
  const auto clients = clients_.find(key);
  if (clients == clients_.end()) return;
  for (const auto& [id, client] : clients->second) leave_all(key, id, client);
  clients_.erase(clients);
  const auto gateway = through_.find(key.via);
  if (gateway == through_.end()) return;
  gateway->second.erase(key);
  if (gateway->second.empty()) through_.erase(gateway);
}

void Connections::expire(Instant now) {
  std::vector<ClientKey> empty;
  for (auto& [key, clients] : clients_) {
    for (auto client = clients.begin(); client != clients.end();) {
      if (now - client->second.last_seen <= limits::kClientExpiry) {
        ++client;
        continue;
      }
      leave_all(key, client->first, client->second);
      client = clients.erase(client);
    }
    if (clients.empty()) empty.push_back(key);
  }
  for (const ClientKey& key : empty) close_one(key);
}

std::optional<model::Connection> Connections::find(ClientKey key,
                                                   std::string_view client_id) const {
  const auto clients = clients_.find(key);
  if (clients == clients_.end()) return std::nullopt;
  const auto client = clients->second.find(client_id);
  if (client == clients->second.end()) return std::nullopt;
  return client->second.connection;
}

std::vector<model::ProducersReply::Group> Connections::producers(std::string_view group) const {
  std::vector<model::ProducersReply::Group> groups;
  const auto begin = group.empty() ? producers_.begin() : producers_.find(group);
  for (auto listed = begin; listed != producers_.end(); ++listed) {
    model::ProducersReply::Group& added = groups.emplace_back();
    added.name = listed->first;
    for (const Member& member : listed->second) {
      auto connection = find(member.key, member.client_id);
      if (connection) added.connections.push_back(*std::move(connection));
    }
    if (!group.empty()) break;
  }
  return groups;
}

}  // namespace sluice::broker
