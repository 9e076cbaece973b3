#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/slice.hpp"
#include "common/base/types.hpp"
#include "common/model/admin.hpp"
#include "common/model/call_context.hpp"
#include "common/model/client_request.hpp"
#include "common/model/endpoint.hpp"
#include "common/model/name_server.hpp"
#include "common/model/queue_lock.hpp"
#include "common/model/route.hpp"

/// \file
/// The answers to command.hpp.

namespace sluice::model {

struct SendReply {
  std::int32_t queue = 0;
  std::int64_t offset = 0;                  ///< Of the first message; the others follow it.
  SmallVector<std::uint64_t, 1> positions;  ///< One a message.
  std::int64_t stored_at_ms = 0;
  std::string unique_key;  ///< Of a single message: its UNIQ_KEY, made if it came without. Empty
                           ///< for a batch.
  Endpoint store_host;     ///< Where the offset message id points.
};

/// A message as the engine holds it. Before a remoting client sees the payload,
/// fill_in_stored_message() completes it.
struct StoredRecord {
  std::int64_t offset = 0;
  std::uint64_t position = 0;
  std::int64_t stored_at_ms = 0;
  Slice payload;
};

enum class PullStatus : std::uint8_t {
  found,
  nothing_new,      ///< The offset is the queue's next: ask again (PULL_NOT_FOUND, 19).
  nothing_matched,  ///< Messages were passed over: go on at next_offset (PULL_RETRY_IMMEDIATELY,
                    ///< 20).
  offset_moved  ///< The offset is outside the queue: go on at next_offset (PULL_OFFSET_MOVED, 21).
};

struct PullReply {
  PullStatus status = PullStatus::nothing_new;
  std::int64_t next_offset = 0;
  std::int64_t first_offset = 0;  ///< The queue's bounds.
  std::int64_t end_offset = 0;
  std::vector<StoredRecord> records;
  Endpoint store_host;
};

struct FoundMessage {
  StoredRecord record;
  Endpoint store_host;  ///< Of the broker that has it.
};

/// What a query found, in the order of the positions: at least one.
struct MessagesReply {
  std::vector<FoundMessage> messages;
  std::int64_t newest_stored_at_ms = 0;  ///< Of the newest message of the broker, which the
  std::uint64_t newest_position = 0;     ///< question has looked at, too.
};

struct OffsetReply {
  std::int64_t offset = 0;
};
struct BoundsReply {
  std::int64_t first = 0;
  std::int64_t next = 0;
};
struct MembersReply {
  std::vector<std::string> client_ids;
};
struct TopicsReply {
  std::vector<TopicConfig> topics;
  std::int32_t total = 0;  ///< Of which `topics` is a page; 0: they are all.
  DataVersion version{};
};
struct RouteReply {
  Route route;
};
struct ClusterReply {
  std::vector<BrokerData> brokers;
};
/// Done, nothing to say.
struct Acknowledged {};

using Reply =
    std::variant<Acknowledged, PullReply, MessagesReply, OffsetReply, BoundsReply,
                 QueueOffsetsReply, LocksReply, MembersReply, ClientReply, ConsumerStatusReply,
                 TopicsReply, AdminReply, RouteReply, ClusterReply, NameServerReply>;

/// The members of a group changed: its clients should balance anew (NOTIFY_CONSUMER_IDS_CHANGED).
struct GroupChanged {
  std::string group;

  friend bool operator==(const GroupChanged&, const GroupChanged&) = default;
};

/// Something a session should know without having asked.
using Event = std::variant<GroupChanged, ClientRequest>;

struct Notice {
  SessionId session;
  Event event;
};

struct WatchReply {
  std::vector<Notice> notices;
};

}  // namespace sluice::model
