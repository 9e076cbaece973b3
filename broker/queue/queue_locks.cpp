#include "broker/queue/queue_locks.hpp"

#include <vector>

#include "common/base/metrics.hpp"

namespace sluice::broker {

namespace {

metrics::Counter& refused_locks() {
  static metrics::Counter& counter = metrics::counter(
      "sluice_queue_locks_refused_total", "", "Queue locks refused: there are too many already");
  return counter;
}

}  // namespace

QueueLocks::Taken QueueLocks::taken(const Locks::value_type& lock) noexcept {
  return {{lock.second.key.via, lock.second.key.session}, &lock.first};
}

bool QueueLocks::lock(std::string_view group, const model::QueueName& queue,
                      std::string_view client_id, ClientKey key, Instant now) {
  Place place{std::string(group), queue.topic, queue.queue};
  auto found = locks_.find(place);
  if (found == locks_.end()) {
    if (locks_.size() >= max_) {
      refused_locks().add();
      return false;
    }
    found = locks_.emplace(std::move(place), Lock{}).first;
  } else {
    Lock& held = found->second;
    if (held.client_id != client_id && now <= held.until) return false;
    taken_.erase(taken(*found));
  }
  found->second = {
      .client_id = std::string(client_id), .key = key, .until = now + limits::kQueueLockLife};
  taken_.insert(taken(*found));
  return true;
}

void QueueLocks::unlock(std::string_view group, const model::QueueName& queue,
                        std::string_view client_id) {
  const auto found = locks_.find(Place{std::string(group), queue.topic, queue.queue});
  if (found != locks_.end() && found->second.client_id == client_id) erase(found);
}

void QueueLocks::leave(std::string_view group, ClientKey key) {
  for_each_of(key, [&](Locks::iterator lock) {
    if (lock->first.group == group) erase(lock);
  });
}

void QueueLocks::close(ClientKey key) {
  shorten(key);
  if (key.via.value != 0) return;
  const auto is_through_it = [&](const Taken& it) { return it.first.first == key.session; };
  for (auto it = taken_.lower_bound({{key.session, {}}, nullptr});
       it != taken_.end() && is_through_it(*it);
       it = taken_.lower_bound({{key.session, {}}, nullptr})) {
    shorten({.session = it->first.second, .via = key.session});
  }
}

void QueueLocks::shorten(ClientKey key) {
  for_each_of(key, [&](Locks::iterator lock) {
    lock->second.until -= limits::kQueueLockLife - limits::kQueueLockBelief;
    taken_.erase(taken(*lock));
  });
}

void QueueLocks::expire(Instant now) {
  for (auto lock = locks_.begin(); lock != locks_.end();) {
    lock = now > lock->second.until ? erase(lock) : std::next(lock);
  }
}

QueueLocks::Locks::iterator QueueLocks::erase(Locks::iterator lock) {
  taken_.erase(taken(*lock));
  return locks_.erase(lock);
}

template <class Each>
void QueueLocks::for_each_of(ClientKey key, Each each) {
  const std::pair connection{key.via, key.session};
  for (auto it = taken_.lower_bound({connection, nullptr});
       it != taken_.end() && it->first == connection;) {
    const auto lock = locks_.find(*(it++)->second);
    each(lock);
  }
}

}  // namespace sluice::broker
