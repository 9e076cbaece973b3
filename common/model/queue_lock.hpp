#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Queue locks: of the clients of a group that consumes in order, only the one that holds a queue's
/// lock reads that queue.

namespace sluice::model {

/// A queue as clients name it.
struct QueueName {
  std::string broker_name;
  std::string topic;
  std::int32_t queue = 0;

  friend auto operator<=>(const QueueName&, const QueueName&) = default;
};

/// Takes the queues' locks, or keeps them: a lock lasts limits::kQueueLockLife from the last time
/// its holder asked for it.
struct LockQueues {
  std::string group;
  std::string client_id;
  std::vector<QueueName> queues;  ///< At most limits::kQueuesPerLockMax.
};
/// Gives back those that the client holds.
struct UnlockQueues {
  std::string group;
  std::string client_id;
  std::vector<QueueName> queues;
};

struct LocksReply {
  std::vector<QueueName> locked;  ///< Those that the client holds now, as it named them.
};

}  // namespace sluice::model
