#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "broker/metadata/keys.hpp"
#include "common/base/error.hpp"
#include "common/base/limits.hpp"

namespace sluice::broker {

/// Progress that an operator moved and the group has not been told of: its next pull is, and until
/// then updates of its progress do not count. In memory only: the progress itself is kept where all
/// progress is. Safe from any loop; costs a pull one load while there is none.
class Resets {
 public:
  explicit Resets(std::size_t max = limits::kPendingResetsMax) noexcept : max_(max) {}

  /// \return quota_exceeded if there are `max` already.
  [[nodiscard]] Result<> set(keys::TopicNumber topic, std::int32_t queue, std::string_view group,
                             std::int64_t offset);

  [[nodiscard]] bool has(keys::TopicNumber topic, std::int32_t queue, std::string_view group) const;

  /// Where the group goes on; the reset is then over.
  [[nodiscard]] std::optional<std::int64_t> take(keys::TopicNumber topic, std::int32_t queue,
                                                 std::string_view group);

  void forget(keys::TopicNumber topic);

 private:
  using Key = std::tuple<keys::TopicNumber, std::int32_t, std::string>;

  [[nodiscard]] bool is_empty() const noexcept {
    return count_.load(std::memory_order_acquire) == 0;
  }

  const std::size_t max_;
  std::atomic<std::size_t> count_{0};
  mutable std::mutex mutex_;
  std::map<Key, std::int64_t> offsets_;
};

}  // namespace sluice::broker
