#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "broker/membership/client_key.hpp"
#include "common/base/environment.hpp"
#include "common/base/error.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"

namespace sluice::broker {

/// Who consumes what: members of groups, by heartbeat, and the news about them. A state machine:
/// time comes in, notices come out. Not thread-safe; the broker guards it.
class Membership {
 public:
  using Instant = Environment::Instant;
  using Notices = std::vector<std::pair<model::SessionId, model::Notice>>;  ///< via, notice.

  /// A heartbeat.
  void register_client(ClientKey key, const model::RegisterClient& client, Instant now);
  void unregister(ClientKey key, std::string_view group);

  /// The connection is gone, and with it what came through it.
  void close(ClientKey key);

  /// Members silent for limits::kClientExpiry have left.
  void expire(Instant now);

  /// True if take_notices() has something to say.
  [[nodiscard]] bool has_news() const noexcept { return !changed_.empty(); }

  /// What all that was called since the last time causes: to every member of a group that changed,
  /// the one that changed it too. However much changed, each member hears of a group once.
  [[nodiscard]] Notices take_notices();

  /// Client ids, each once, sorted. Empty: no such group, or nobody in it.
  [[nodiscard]] std::vector<std::string> members(std::string_view group) const;

  /// The connection of a member; if it has several, the one it was heard on last.
  [[nodiscard]] std::optional<ClientKey> find(std::string_view group,
                                              std::string_view client_id) const;
  /// A group with members, as its latest heartbeats say.
  struct View {
    std::vector<std::pair<ClientKey, std::string>> members;  ///< With their client ids.
    model::ConsumeType type = model::ConsumeType::push;
    model::MessageModel model = model::MessageModel::clustering;
    std::int32_t consume_from_where = 0;
    std::vector<model::Subscription> subscriptions;  ///< Sorted by topic.
  };
  /// nullopt: nobody is in it.
  [[nodiscard]] std::optional<View> view(std::string_view group) const;

  /// Groups with members that subscribe to `topic`, sorted.
  [[nodiscard]] std::vector<std::string> subscribers(std::string_view topic) const;

  /// True if the group has members, which each take all messages.
  [[nodiscard]] bool is_broadcasting(std::string_view group) const;

  /// What the group asked for in `topic` with its latest heartbeat.
  [[nodiscard]] std::optional<model::Subscription> subscription(std::string_view group,
                                                                std::string_view topic) const;

 private:
  struct Member {
    std::string client_id;
    Instant last_seen;
  };
  struct Group {
    std::map<ClientKey, Member> members;
    model::ConsumeType type = model::ConsumeType::push;
    model::MessageModel model = model::MessageModel::clustering;
    std::int32_t consume_from_where = 0;
    std::map<std::string, model::Subscription, std::less<>> subscriptions;
  };
  using Groups = std::map<std::string, Group, std::less<>>;
  using Names = std::set<std::string, std::less<>>;
  struct ViaFirst {
    bool operator()(const ClientKey& a, const ClientKey& b) const noexcept {
      return std::tie(a.via, a.session) < std::tie(b.via, b.session);
    }
  };
  using Clients = std::map<ClientKey, Names, ViaFirst>;

  /// \return true if the set of members or of subscribed topics changed.
  [[nodiscard]] bool update(Group& group, ClientKey key, const std::string& client_id,
                            const model::ConsumerRegistration& consumer, Instant now);
  Clients::iterator remove_client(Clients::iterator client);
  void remove_member(Groups::iterator group, ClientKey key);
  static void tell(const std::string& name, const Group& group, Notices& notices);

  Groups groups_;
  Clients groups_of_;
  Names changed_;  ///< Groups whose members should hear of it.
};

}  // namespace sluice::broker
