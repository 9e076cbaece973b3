#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "broker/metadata/keys.hpp"
#include "common/base/error.hpp"
#include "common/model/group.hpp"
#include "common/model/route.hpp"

/// \file
/// The values of topic and group keys (docs/formats/kv-keys.md). Both begin with a version byte.

namespace sluice::broker {

/// `count` consecutive LogIds from `first` on.
struct LogRange {
  storage::LogId first;
  std::uint32_t count = 0;
};

struct TopicRecord {
  keys::TopicNumber number;
  model::TopicConfig config;
  /// The logs of queue 0, 1, 2, …; at least as many as the topic ever had queues.
  std::vector<LogRange> logs;
};

[[nodiscard]] Bytes encode(const TopicRecord& record);
[[nodiscard]] Bytes encode(const model::GroupConfig& config);

/// \return corrupt_record for bytes that encode() did not write.
[[nodiscard]] Result<TopicRecord> decode_topic(std::string_view name, std::string_view value);
[[nodiscard]] Result<model::GroupConfig> decode_group(std::string_view name,
                                                      std::string_view value);

}  // namespace sluice::broker
