#pragma once

#include <cstdint>
#include <string>

/// \file
/// Finding messages by what they carry, or by where they are stored.

namespace sluice::model {

enum class MessageIndex : std::uint8_t {
  any_key,     ///< The unique key, or one of the keys.
  key,         ///< One of the keys (KEYS).
  unique_key,  ///< UNIQ_KEY.
  tag          ///< TAGS. Not indexed: only the newest limits::kTagQueryScanMax messages of each
               ///< queue are looked at.
};

/// The newest messages of a topic that match and were stored in [first_ms, last_ms].
struct QueryMessages {
  std::string topic;
  std::string key;
  MessageIndex index = MessageIndex::any_key;
  std::uint32_t messages_max = 32;  ///< 1 to limits::kQueryMessagesMax.
  std::int64_t first_ms = 0;
  std::int64_t last_ms = 0;
  std::string broker_name;
};

/// The message of an offset message id.
struct ViewMessage {
  std::string topic;  ///< Where it has to be stored; empty: anywhere.
  std::uint64_t position = 0;
  std::string broker_name;
};

}  // namespace sluice::model
