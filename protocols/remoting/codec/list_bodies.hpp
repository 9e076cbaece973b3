#pragma once

#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

namespace sluice::remoting {

/// Body of the answer to GET_CONSUMER_LIST_BY_GROUP (38): client ids.
struct ConsumerList {
  std::vector<std::string> consumer_ids{};

  friend bool operator==(const ConsumerList&, const ConsumerList&) = default;
};

/// Body of many answers about topics (206, 224, 304, 305).
struct TopicList {
  std::vector<std::string> topics{};
  std::string broker_addr{};  ///< Empty: left out.

  friend bool operator==(const TopicList&, const TopicList&) = default;
};

/// \return malformed_packet, naming the member, if a value is not of its type or there are more
///         than limits::kTopicsPerNameServerMax entries; else as parse_json() in json_reader.hpp.
[[nodiscard]] Result<ConsumerList> decode_consumer_list(BytesView body);
[[nodiscard]] Result<TopicList> decode_topic_list(BytesView body);

void append_consumer_list(std::string& out, const ConsumerList& list);
void append_topic_list(std::string& out, const TopicList& list);

}  // namespace sluice::remoting
