#pragma once

#include "common/base/error.hpp"
#include "common/model/name_server.hpp"

namespace sluice::nameserver {

/// The switches that can be changed while a name server runs, with RocketMQ's names and defaults
/// (NamesrvConfig).
struct Settings {
  bool order_messages = false;       ///< orderMessageEnable: routes say the fixed queues.
  bool return_order_topics = true;   ///< returnOrderTopicConfigToBroker.
  bool acting_leaders = false;       ///< supportActingMaster.
  bool forget_unregistered = false;  ///< deleteTopicWithBrokerRegistration.
  bool list_all_topics = true;       ///< enableAllTopicList.
  bool list_topics = true;           ///< enableTopicList.

  friend bool operator==(const Settings&, const Settings&) = default;

  /// All or none. \return permission_denied for what RocketMQ lets nobody change (paths, and the
  /// list of these); protocol_error, naming it, for any other name, or a value that is not `true`
  /// or `false`.
  Result<> update(const model::TextMap& settings);

  /// Every switch by name, and configBlackList, which cannot be changed.
  [[nodiscard]] model::TextMap to_texts() const;

  /// Those that are not as they are by default.
  [[nodiscard]] model::TextMap changed() const;
};

}  // namespace sluice::nameserver
