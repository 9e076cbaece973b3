#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/load/blocking_client.hpp"

namespace sluice::bench {

/// What the load needs to know about the topic it uses.
struct TopicInfo {
  std::string name;
  std::string broker_name;
  int queues = 0;
};

/// Creates the topic at the broker (UPDATE_AND_CREATE_TOPIC) and, if `nameserver` is given, waits
/// until its route is there and takes the broker's name from it, as a client does. Fails on any
/// answer but success, and if the route has another number of queues.
[[nodiscard]] TopicInfo create_topic(const Address& broker, const Address* nameserver,
                                     const std::string& topic, int queues);

/// The offset that the next message of each queue gets (GET_MAX_OFFSET).
[[nodiscard]] std::vector<std::uint64_t> max_offsets(const Address& broker, const TopicInfo& topic);

/// The sum of max_offsets().
[[nodiscard]] std::uint64_t count_messages(const Address& broker, const TopicInfo& topic);

/// Waits until the topic holds `expected` messages: the Java broker answers before its queues show
/// them, and may be many seconds behind. Fails if it holds more, or if no message is added to fewer
/// for 10 seconds.
void expect_messages(const Address& broker, const TopicInfo& topic, std::uint64_t expected);

}  // namespace sluice::bench
