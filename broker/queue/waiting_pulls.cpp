#include "broker/queue/waiting_pulls.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace sluice::broker {

WaitingPulls::Pull::Pull(WaitingPulls& pulls, ClientKey key) : pulls_(pulls), key_(key) {
  const std::lock_guard lock(pulls_.mutex_);
  pulls_.by_key_.insert(*this);
}

WaitingPulls::Pull::~Pull() {
  const std::lock_guard lock(pulls_.mutex_);
  pulls_.by_key_.erase(pulls_.by_key_.iterator_to(*this));
}

void WaitingPulls::Pull::wait_at(std::shared_ptr<Queue> queue) {
  const std::lock_guard lock(pulls_.mutex_);
  queue_ = std::move(queue);
}

void WaitingPulls::close(ClientKey key) {
  constexpr model::SessionId kLast{std::numeric_limits<std::uint64_t>::max()};
  std::vector<std::pair<std::shared_ptr<Queue>, const std::atomic<bool>*>> waits;
  {
    const std::lock_guard lock(mutex_);
    const auto end = [&](model::SessionId via, model::SessionId first, model::SessionId last) {
      const auto until = by_key_.upper_bound({via, last});
      for (auto it = by_key_.lower_bound({via, first}); it != until; ++it) {
        it->is_over_ = true;
        if (it->queue_) waits.emplace_back(it->queue_, &it->is_over_);
      }
    };
    end(key.via, key.session, key.session);
    if (key.via.value == 0) end(key.session, {}, kLast);
  }
  // Whoever begins to wait from here on sees that it is over.
  for (const auto& [queue, is_over] : waits) queue->waiters.release_over(is_over);
}

}  // namespace sluice::broker
