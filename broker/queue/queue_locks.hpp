#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "broker/membership/client_key.hpp"
#include "common/base/environment.hpp"
#include "common/base/limits.hpp"
#include "common/model/queue_lock.hpp"

namespace sluice::broker {

/// Which client of a group consumes a queue in order. A state machine: time comes in. Not
/// thread-safe; the broker guards it.
///
/// A lock belongs to a client id, as RocketMQ has it, and lasts limits::kQueueLockLife from when
/// its holder last asked for it. When the connection ends it was last asked for over, that is
/// limits::kQueueLockBelief: as long as a client that lives on may take itself for the holder.
class QueueLocks {
 public:
  using Instant = Environment::Instant;

  explicit QueueLocks(std::size_t max = limits::kQueueLocksMax) noexcept : max_(max) {}

  /// \return true if `client_id`, which asks over `key`, holds the lock now; false if another does,
  ///         or there are `max` locks already (counted).
  [[nodiscard]] bool lock(std::string_view group, const model::QueueName& queue,
                          std::string_view client_id, ClientKey key, Instant now);

  /// Nothing if another client holds it.
  void unlock(std::string_view group, const model::QueueName& queue, std::string_view client_id);

  /// The client has left the group.
  void leave(std::string_view group, ClientKey key);

  /// The connection is gone, and with it what came through it.
  void close(ClientKey key);

  /// Forgets what is over.
  void expire(Instant now);

  [[nodiscard]] std::size_t size() const noexcept { return locks_.size(); }

 private:
  struct Place {
    std::string group;
    std::string topic;
    std::int32_t queue = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Lock {
    std::string client_id;
    ClientKey key;
    Instant until;
  };
  using Locks = std::map<Place, Lock>;
  /// Via first: what came through one connection lies together.
  using Taken = std::pair<std::pair<model::SessionId, model::SessionId>, const Place*>;

  [[nodiscard]] static Taken taken(const Locks::value_type& lock) noexcept;
  Locks::iterator erase(Locks::iterator lock);
  /// Calls `each(iterator)` for the locks that were last asked for over `key` alone.
  template <class Each>
  void for_each_of(ClientKey key, Each each);
  void shorten(ClientKey key);

  const std::size_t max_;
  Locks locks_;
  std::set<Taken> taken_;  ///< The same by connection; without those whose connection is gone.
};

}  // namespace sluice::broker
