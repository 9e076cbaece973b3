#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "broker/statistics/statistics.hpp"

namespace sluice::broker {

/// The counts of one topic, kept with it: found among the broker's at their first use. Any thread.
class TopicTraffic {
 public:
  /// What is sent to the topic.
  [[nodiscard]] Traffic& put(Statistics& statistics, std::string_view topic);

  /// What the group gets of it.
  [[nodiscard]] std::shared_ptr<Traffic> got(Statistics& statistics, std::string_view topic,
                                             std::string_view group);

 private:
  std::atomic<Traffic*> put_{nullptr};  ///< Kept by `put_owner_`, set once.
  std::shared_mutex mutex_;             ///< For what follows.
  std::shared_ptr<Traffic> put_owner_;
  std::map<std::string, std::shared_ptr<Traffic>, std::less<>> got_;
};

}  // namespace sluice::broker
