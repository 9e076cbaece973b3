#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"

namespace sluice::remoting {

/// Numbers are those that C++ clients send in place of the names.
enum class ConsumeFromWhere : std::uint8_t {
  last_offset = 0,
  last_offset_and_from_min_when_boot_first = 1,
  min_offset = 2,
  max_offset = 3,
  first_offset = 4,
  timestamp = 5,
};
enum class ConsumeType : std::uint8_t { actively = 0, passively = 1, pop = 2 };
enum class MessageModel : std::uint8_t { broadcasting = 0, clustering = 1 };

struct SubscriptionData {
  std::string topic{};
  std::string sub_string{};             ///< `*`, `a || b` or SQL.
  std::string expression_type = "TAG";  ///< `TAG` or `SQL92`.
  std::vector<std::string> tags_set{};
  std::vector<std::int32_t> code_set{};  ///< Java's hash of each tag.
  std::int64_t sub_version = 0;          ///< Only compared; milliseconds, or nanoseconds from Go.
  bool class_filter_mode = false;

  friend bool operator==(const SubscriptionData&, const SubscriptionData&) = default;
};

struct ConsumerData {
  std::string group_name{};
  ConsumeType consume_type = ConsumeType::passively;
  MessageModel message_model = MessageModel::clustering;
  ConsumeFromWhere consume_from_where = ConsumeFromWhere::last_offset;
  std::vector<SubscriptionData> subscriptions{};
  bool unit_mode = false;

  friend bool operator==(const ConsumerData&, const ConsumerData&) = default;
};

/// Body of HEART_BEAT (34).
struct HeartbeatData {
  std::string client_id{};
  std::vector<std::string> producer_groups{};
  std::vector<ConsumerData> consumers{};
  std::int32_t heartbeat_fingerprint = 0;  ///< 0: the heartbeat is complete (4.x, Go: always).
  bool without_sub = false;  ///< Subscriptions were left out: they are those of the fingerprint.

  friend bool operator==(const HeartbeatData&, const HeartbeatData&) = default;
};

/// Body of CHECK_CLIENT_CONFIG (46).
struct CheckClientRequest {
  std::string client_id{};
  std::string group{};
  std::string name_space{};
  SubscriptionData subscription{};

  friend bool operator==(const CheckClientRequest&, const CheckClientRequest&) = default;
};

/// Fields of UNREGISTER_CLIENT (35), as views into the header. Empty groups were not given.
struct UnregisterClient {
  std::string_view client_id{};
  std::string_view producer_group{};
  std::string_view consumer_group{};
};

/// An enumerator that has no name here reads as the default of the struct: newer clients have more.
///
/// \return malformed_packet, naming the member, if a value is not of its type or there are more
///         groups than limits::kGroupsPerSessionMax (of each kind), more subscriptions of a group
///         than limits::kSubscriptionsPerGroupMax, or more tags of one than
///         limits::kTagsPerSubscriptionMax; else as parse_json() in json_reader.hpp.
[[nodiscard]] Result<HeartbeatData> decode_heartbeat(BytesView body);
[[nodiscard]] Result<CheckClientRequest> decode_check_client_request(BytesView body);

/// \return protocol_error if `clientID` is missing.
[[nodiscard]] Result<UnregisterClient> decode_unregister_client(const Fields& fields);

void append_heartbeat(std::string& out, const HeartbeatData& heartbeat);
void append_check_client_request(std::string& out, const CheckClientRequest& request);
void write_fields(FrameWriter& writer, const UnregisterClient& request);

}  // namespace sluice::remoting
