#include "broker/offsets/resets.hpp"

namespace sluice::broker {

Result<> Resets::set(keys::TopicNumber topic, std::int32_t queue, std::string_view group,
                     std::int64_t offset) {
  const std::lock_guard lock(mutex_);
  const Key key{topic, queue, std::string(group)};
  const bool is_new = !offsets_.contains(key);
  if (is_new && offsets_.size() >= max_) {
    return fail(Errc::quota_exceeded,
                std::to_string(max_) + " resets wait for the groups' next pulls already");
  }
  offsets_[key] = offset;
  count_.store(offsets_.size(), std::memory_order_release);
  return {};
}

bool Resets::has(keys::TopicNumber topic, std::int32_t queue, std::string_view group) const {
  if (is_empty()) return false;
  const std::lock_guard lock(mutex_);
  return offsets_.contains({topic, queue, std::string(group)});
}

std::optional<std::int64_t> Resets::take(keys::TopicNumber topic, std::int32_t queue,
                                         std::string_view group) {
  if (is_empty()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto found = offsets_.find({topic, queue, std::string(group)});
  if (found == offsets_.end()) return std::nullopt;
  const std::int64_t offset = found->second;
  offsets_.erase(found);
  count_.store(offsets_.size(), std::memory_order_release);
  return offset;
}

void Resets::forget(keys::TopicNumber topic) {
  const std::lock_guard lock(mutex_);
  const auto first = offsets_.lower_bound({topic, 0, {}});
  auto last = first;
  while (last != offsets_.end() && std::get<0>(last->first) == topic) ++last;
  offsets_.erase(first, last);
  count_.store(offsets_.size(), std::memory_order_release);
}

}  // namespace sluice::broker
