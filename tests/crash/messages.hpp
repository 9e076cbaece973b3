#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

/// \file
/// The messages that the tests send. Each is made from its number alone, so that what comes back
/// can be checked byte for byte without keeping what was sent.

namespace sluice::crash {

inline constexpr std::string_view kTopic = "crash";
inline constexpr std::int32_t kQueues = 4;

/// UNIQ_KEY of the message: 32 hexadecimal digits.
[[nodiscard]] std::string unique_key_of(std::uint64_t number);

/// KEYS of the message, which it shares with no other.
[[nodiscard]] std::string key_of(std::uint64_t number);

/// Both of them, as RocketMQ's property string.
[[nodiscard]] std::string properties_of(std::uint64_t number);

/// 16 to 2,063 bytes of any value.
[[nodiscard]] std::string body_of(std::uint64_t number);

/// A stored message that came back.
struct FoundMessage {
  std::uint64_t number = 0;
  std::int64_t queue_offset = 0;  ///< As the message says: 0 in what the engine gives.
  std::uint64_t position = 0;     ///< The same.
  std::size_t size = 0;
};

/// Which message `stored` begins with, after comparing its topic, queue, properties and body with
/// what was sent.
/// \return corrupt_record, saying what is wrong with it.
[[nodiscard]] Result<FoundMessage> identify(BytesView stored, std::int32_t queue);

}  // namespace sluice::crash
