#include "gateway/sessions/mailbox.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "common/base/assert.hpp"
#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "common/runtime/one_shot.hpp"

namespace sluice::gateway {

namespace {

metrics::Counter& dropped_events() {
  static metrics::Counter& counter =
      metrics::counter("sluice_gateway_events_dropped_total", "",
                       "Events that a session did not take before newer ones needed the room.");
  return counter;
}

}  // namespace

void Mailbox::post(model::Event event) {
  UniqueFunction<void(bool)> resume;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    const bool is_waiting = std::ranges::find(events_, event) != events_.end();
    if (is_waiting) return;
    if (events_.size() >= limits::kEventsPerSessionMax) {
      events_.pop_front();
      dropped_events().add();
    }
    drop_old_question(event);
    events_.push_back(std::move(event));
    resume = std::move(waiting_);
  }
  if (resume) resume(true);
}

/// Questions may carry a message each: a session that takes none keeps few of them.
void Mailbox::drop_old_question(const model::Event& event) {
  const auto is_question = [](const model::Event& it) {
    return std::holds_alternative<model::ClientRequest>(it);
  };
  if (!is_question(event)) return;
  const auto waiting = std::ranges::count_if(events_, is_question);
  if (static_cast<std::size_t>(waiting) < limits::kClientRequestsPerSessionMax) return;
  events_.erase(std::ranges::find_if(events_, is_question));
  dropped_events().add();
}

void Mailbox::wait(UniqueFunction<void(bool)> resume) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ready()) {
      SLUICE_ASSERT(!waiting_, "a mailbox has one reader");
      waiting_ = std::move(resume);
      return;
    }
  }
  resume(true);
}

Task<std::vector<model::Event>> Mailbox::take(std::uint32_t events_max) {
  auto start = [this](UniqueFunction<void(bool)> resume) { wait(std::move(resume)); };
  co_await wait_for_completion<bool>(start);
  std::vector<model::Event> taken;
  const std::lock_guard lock(mutex_);
  if (is_closed_) co_return fail(Errc::cancelled, "the stream was closed");
  const std::size_t count = std::min<std::size_t>(events_.size(), events_max);
  const auto end = events_.begin() + static_cast<std::ptrdiff_t>(count);
  std::move(events_.begin(), end, std::back_inserter(taken));
  events_.erase(events_.begin(), end);
  co_return taken;
}

void Mailbox::close() noexcept {
  UniqueFunction<void(bool)> resume;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    resume = std::move(waiting_);
  }
  if (resume) resume(true);
}

}  // namespace sluice::gateway
