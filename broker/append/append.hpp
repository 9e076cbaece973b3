#pragma once

#include <cstdint>
#include <string>
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

/// A Send that passed all checks, with the queue it goes to.
struct PlannedSend {
  TopicPtr topic;
  std::int32_t queue = 0;
  model::Send send;
  std::string unique_key;      ///< Of a single message.
  bool has_unique_key = true;  ///< False: unique_key was made here and is added to its properties.
};

/// \return what is wrong with the messages of `send`: message_illegal, payload_too_large.
[[nodiscard]] Result<> check_messages(const model::Send& send);

/// Looks up the unique key of a single message, or takes `spare_key`.
void choose_unique_key(PlannedSend& planned, std::string spare_key);

/// Builds the records of all `sends` into one batch; their payloads share one buffer.
[[nodiscard]] storage::WriteBatch build_batch(const std::vector<PlannedSend>& sends,
                                              const AppendSettings& settings);

/// The reply to `planned`; `appended` is what the engine says of its messages.
[[nodiscard]] model::SendReply make_reply(const PlannedSend& planned,
                                          const AppendSettings& settings,
                                          std::span<const storage::Appended> appended);

/// The tag hashes of a send's messages, for those who wait.
[[nodiscard]] SmallVector<std::uint64_t, 4> tag_hashes_of(const model::Send& send);

}  // namespace sluice::broker
