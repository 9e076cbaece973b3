#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/membership/membership.hpp"
#include "common/base/limits.hpp"
#include "common/model/admin.hpp"
#include "common/model/endpoint.hpp"

namespace sluice::broker {

/// The clients behind the connections, as their heartbeats say, and the producer groups they are
/// in. A state machine: time comes in. Not thread-safe; the broker guards it.
class Connections {
 public:
  using Instant = Environment::Instant;

  /// When a heartbeat came: by the clock that time-outs go by, and by people's.
  struct Moment {
    Instant steady;
    UnixMillis wall;
  };

  /// A heartbeat. Beyond limits::kGroupsPerSessionMax producer groups and
  /// limits::kClientsPerSessionRemembered clients of one connection, the rest is not kept, and
  /// counted.
  void register_client(ClientKey key, const model::Endpoint& peer,
                       const model::RegisterClient& client, Moment now);
  void leave_producers(ClientKey key, std::string_view client_id, std::string_view group);

  /// The connection is gone, and with it what came through it.
  void close(ClientKey key);

  /// Clients silent for limits::kClientExpiry are gone.
  void expire(Instant now);

  [[nodiscard]] std::optional<model::Connection> find(ClientKey key,
                                                      std::string_view client_id) const;

  /// The clients that send under `group`; empty: all groups, sorted by name.
  [[nodiscard]] std::vector<model::ProducersReply::Group> producers(std::string_view group) const;

 private:
  struct Client {
    model::Connection connection;
    Instant last_seen;
    std::set<std::string, std::less<>> producer_groups;
  };
  using Clients = std::map<std::string, Client, std::less<>>;  ///< By client id.

  void close_one(ClientKey key);
  void leave_all(ClientKey key, const std::string& client_id, const Client& client);
  void leave(ClientKey key, std::string_view group, std::string_view client_id);
  [[nodiscard]] std::size_t producer_groups_of(const Clients& clients) const noexcept;

  struct Member {
    ClientKey key;
    std::string client_id;

    friend auto operator<=>(const Member&, const Member&) = default;
  };

  std::map<ClientKey, Clients> clients_;
  std::map<model::SessionId, std::set<ClientKey>> through_;  ///< Those that a gateway speaks for.
  std::map<std::string, std::set<Member>, std::less<>> producers_;
};

}  // namespace sluice::broker
