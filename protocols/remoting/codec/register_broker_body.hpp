#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "protocols/remoting/codec/route_body.hpp"

namespace sluice::remoting {

/// Which of two topic tables is newer. Body of QUERY_DATA_VERSION (322) in both directions.
struct DataVersion {
  std::int64_t state_version = 0;
  std::int64_t timestamp = 0;  ///< Milliseconds since 1970, by the broker's clock.
  std::int64_t counter = 0;

  friend bool operator==(const DataVersion&, const DataVersion&) = default;
};

struct TopicConfig {
  std::string topic_name{};
  std::int32_t read_queue_nums = 16;
  std::int32_t write_queue_nums = 16;
  std::int32_t perm = 6;  ///< 4 read, 2 write, 1 inherit.
  std::string topic_filter_type = "SINGLE_TAG";
  std::int32_t topic_sys_flag = 0;
  bool order = false;
  std::map<std::string, std::string> attributes{};  ///< Such as `message.type` to `FIFO`.

  friend bool operator==(const TopicConfig&, const TopicConfig&) = default;
};

/// Body of REGISTER_BROKER (103).
struct RegisterBrokerBody {
  std::vector<std::string> filter_server_list{};
  DataVersion data_version{};
  DataVersion mapping_data_version{};
  std::vector<TopicConfig> topic_configs{};
  std::vector<QueueMapping> topic_queue_mapping_infos{};  ///< Static topics, by topic.

  friend bool operator==(const RegisterBrokerBody&, const RegisterBrokerBody&) = default;
};

/// The JSON form (request field `compressed` is not `true`). Brokers before kVersion3_0_11 send the
/// inner topic table alone, which is read too; an empty body reads as no topics.
/// \return malformed_packet, naming the member, if a value is not of its type or there are more
///         than limits::kTopicsPerNameServerMax topics; else as parse_json() in json_reader.hpp.
[[nodiscard]] Result<RegisterBrokerBody> decode_register_broker_body(BytesView body);

/// The compressed form: a zlib stream of int32 length and DataVersion as JSON; int32 count and that
/// many topics, each int32 length and `name read write perm filterType attributes`; int32 length
/// and the list of filter servers as JSON; from kVersion5_0_0 int32 count and that many mappings,
/// each int32 length and JSON.
/// \return malformed_packet also if a length lies, or the stream is damaged or inflates to more
///         than limits::kRemotingInflatedBytesMax.
[[nodiscard]] Result<RegisterBrokerBody> decode_compressed_register_broker_body(BytesView body);

[[nodiscard]] Result<DataVersion> decode_data_version(BytesView body);

void append_register_broker_body(std::string& out, const RegisterBrokerBody& body);
/// The inner table alone: body of the answer to GET_ALL_TOPIC_CONFIG (21), which
/// decode_register_broker_body() reads.
void append_topic_table(std::string& out, const RegisterBrokerBody& body);
void append_data_version(std::string& out, const DataVersion& version);

/// Body of the answer to GET_TOPIC_CONFIG (351): one topic.
[[nodiscard]] Result<TopicConfig> decode_topic_config(BytesView body);
void append_topic_config(std::string& out, const TopicConfig& config);

}  // namespace sluice::remoting
