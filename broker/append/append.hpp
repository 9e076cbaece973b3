#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/metadata/metadata.hpp"
#include "common/base/error.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

/// \file
/// From Sends to one WriteBatch, and from its receipt to SendReplies: pure, no engine, no clock.

namespace sluice::broker {

/// What the broker adds to every message.
struct AppendSettings {
  model::Endpoint store_host;
  /// Encoded properties for single messages: region, trace switch, cluster.
  std::string broker_properties;
};

/// What the broker reads of a message's properties. Views into them.
struct MessageKeys {
  std::string_view keys;  ///< KEYS, separated by blanks.
  std::string_view unique_key;
  std::uint64_t tag_hash = 0;  ///< 0: no tag.
};
using MessageKeysList = SmallVector<MessageKeys, 1>;

/// A Send that passed all checks, with the queue it goes to. Lives no longer than the Send.
struct PlannedSend {
  TopicPtr topic;
  std::int32_t queue = 0;
  const model::Send* send = nullptr;
  MessageKeysList keys;  ///< One a message.
  /// Of a single message; empty for a batch. A copy: when the reply is made, the message itself has
  /// long left the processor's caches.
  std::string unique_key;
  bool is_unique_key_made = false;  ///< The message came without: it is added.
};

/// Checks the messages of `send`, and reads their properties in one pass.
///
/// \return message_illegal, payload_too_large.
[[nodiscard]] Result<MessageKeysList> examine_messages(const model::Send& send);

/// Builds the records of all `sends` into one batch; their payloads share one buffer.
[[nodiscard]] storage::WriteBatch build_batch(const std::vector<PlannedSend>& sends,
                                              const AppendSettings& settings);

/// The reply to `planned`, whose key it takes; `appended` is what the engine says of its messages.
[[nodiscard]] model::SendReply make_reply(PlannedSend& planned, const AppendSettings& settings,
                                          std::span<const storage::Appended> appended);

/// The different tag hashes of a send's messages, for those who wait.
[[nodiscard]] SmallVector<std::uint64_t, 4> tag_hashes_of(const PlannedSend& planned);

}  // namespace sluice::broker
