#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "common/base/unique_function.hpp"
#include "common/model/reply.hpp"
#include "common/runtime/task.hpp"

namespace sluice::gateway {

/// Events on their way to one session. Equal events that wait are one; past
/// limits::kEventsPerSessionMax, or limits::kClientRequestsPerSessionMax questions, the oldest goes
/// and is counted: an event is a hint to ask again, a question is waited for only so long.
/// Safe from any thread.
class Mailbox {
 public:
  void post(model::Event event);

  /// Waits for at least one event; returns at most `events_max` of them. One call at a time.
  /// `this` must live until it ends.
  /// \return cancelled once close() was called.
  Task<std::vector<model::Event>> take(std::uint32_t events_max);

  void close() noexcept;

 private:
  /// Calls `resume` once there is something to take: at once, or in post() or close().
  void wait(UniqueFunction<void(bool)> resume);
  void drop_old_question(const model::Event& event);
  [[nodiscard]] bool is_ready() const { return is_closed_ || !events_.empty(); }

  std::mutex mutex_;
  std::deque<model::Event> events_;
  bool is_closed_ = false;
  UniqueFunction<void(bool)> waiting_;
};

}  // namespace sluice::gateway
