#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

/// \file
/// Bodies about queues. As keys of maps, queues are objects in place, fastjson's form, which is not
/// JSON (docs/formats/remoting.md, "Bare keys").

namespace sluice::remoting {

struct MessageQueue {
  std::string broker_name{};
  std::string topic{};
  std::int32_t queue_id = 0;

  friend auto operator<=>(const MessageQueue&, const MessageQueue&) = default;
};

/// Body of LOCK_BATCH_MQ (41) and UNLOCK_BATCH_MQ (42).
struct QueueLockRequest {
  std::string client_id{};
  std::string consumer_group{};
  std::vector<MessageQueue> queues{};

  friend bool operator==(const QueueLockRequest&, const QueueLockRequest&) = default;
};

/// Body of the answer to 41: those that are locked.
struct QueueLockAnswer {
  std::vector<MessageQueue> locked{};

  friend bool operator==(const QueueLockAnswer&, const QueueLockAnswer&) = default;
};

using QueueOffsets = std::map<MessageQueue, std::int64_t>;

/// Body of the answer to INVOKE_BROKER_TO_RESET_OFFSET (222): where the queues stand now.
struct ResetOffsetBody {
  QueueOffsets offsets{};

  friend bool operator==(const ResetOffsetBody&, const ResetOffsetBody&) = default;
};

/// Body of the answers to GET_CONSUMER_STATUS_FROM_CLIENT (221), which has one client's offsets,
/// and to INVOKE_BROKER_TO_GET_CONSUMER_STATUS (223), which has those of all by their ids.
struct ConsumerStatusBody {
  std::map<std::string, QueueOffsets> by_client{};
  QueueOffsets offsets{};

  friend bool operator==(const ConsumerStatusBody&, const ConsumerStatusBody&) = default;
};

/// \return malformed_packet, naming the member, if a value is not of its type or there are more
///         than limits::kQueuesPerLockMax queues; else as parse_json() in json_reader.hpp.
[[nodiscard]] Result<QueueLockRequest> decode_queue_lock_request(BytesView body);
[[nodiscard]] Result<QueueLockAnswer> decode_queue_lock_answer(BytesView body);
[[nodiscard]] Result<ResetOffsetBody> decode_reset_offset_body(BytesView body);
[[nodiscard]] Result<ConsumerStatusBody> decode_consumer_status_body(BytesView body);

void append_queue_lock_request(std::string& out, const QueueLockRequest& request);
void append_queue_lock_answer(std::string& out, const QueueLockAnswer& answer);
void append_reset_offset_body(std::string& out, const ResetOffsetBody& body);
void append_consumer_status_body(std::string& out, const ConsumerStatusBody& body);

}  // namespace sluice::remoting
