#include "broker/statistics/topic_traffic.hpp"

namespace sluice::broker {

Traffic& TopicTraffic::put(Statistics& statistics, std::string_view topic) {
  Traffic* const known = put_.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  const std::lock_guard lock(mutex_);
  if (!put_owner_) put_owner_ = statistics.find(Statistics::Kind::topic_put, topic);
  put_.store(put_owner_.get(), std::memory_order_release);
  return *put_owner_;
}

std::shared_ptr<Traffic> TopicTraffic::got(Statistics& statistics, std::string_view topic,
                                           std::string_view group) {
  {
    const std::shared_lock lock(mutex_);
    const auto known = got_.find(group);
    if (known != got_.end()) return known->second;
  }
  const std::string name = std::string(topic).append("@").append(group);
  auto found = statistics.find(Statistics::Kind::group_get, name);
  // A group over the bound is looked for at each pull: there is room again when a topic goes.
  if (found == statistics.uncounted()) return found;
  const std::lock_guard lock(mutex_);
  got_.emplace(group, found);
  return found;
}

}  // namespace sluice::broker
