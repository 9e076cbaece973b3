#include "protocols/remoting/session/session.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/session/session_parts.hpp"

namespace sluice::remoting {

namespace {

model::Session identity(protocol::RequestHandler& handler, const model::Endpoint& peer) {
  return {.id = handler.next_session_id(), .via = {}, .peer = peer, .protocol = "remoting"};
}

metrics::Counter& closed(std::string_view labels) {
  return metrics::counter("sluice_remoting_closed_total", labels,
                          "Connections closed for what their peer did, by reason.");
}

}  // namespace

const Session::Metrics& Session::metrics() {
  static const Metrics metrics{
      .malformed_frame = closed("reason=\"malformed_frame\""),
      .malformed_header = closed("reason=\"malformed_header\""),
      .unfinished_frame = closed("reason=\"unfinished_frame\""),
      .silent = closed("reason=\"silent\""),
      .no_memory = closed("reason=\"large_frames\""),
      .unsupported = metrics::counter("sluice_remoting_unsupported_total", "",
                                      "Requests with a code that is not served, answered with 3."),
  };
  return metrics;
}

Session::Session(std::shared_ptr<LoopServices> services, transport::Stream stream,
                 model::Endpoint peer)
    : services_(std::move(services)),
      stream_(std::move(stream)),
      identity_(std::make_shared<const model::Session>(identity(services_->handler, peer))),
      received_(services_->buffers),
      timer_([this] { on_timer(); }),
      last_progress_(now() - limits::kSessionIdleBufferAge) {}

Session::~Session() = default;

Session::Extras& Session::extras() {
  if (!extras_) extras_ = std::make_unique<Extras>();
  return *extras_;
}

void Session::stop() noexcept {
  is_stopping_ = true;
  is_ending_ = true;
  if (is_parked_ || is_receiving_) stream_.cancel();
}

void Session::close() noexcept {
  if (is_closed_) return;
  is_closed_ = true;
  is_ending_ = true;
  timer_.cancel();
  stream_.close();
  outbound_ = {};
  wake_waiting_writer();
}

void Session::end(metrics::Counter& reason) {
  is_ending_ = true;
  reason.add();
}

Environment::Instant Session::now() const noexcept {
  return services_->runtime.environment().steady_now();
}

void Session::arm() {
  const auto due = is_parked_ ? std::min(last_progress_ + limits::kSessionIdleMax, frame_deadline_)
                              : now() + limits::kSessionIdleBufferAge;
  services_->timers.arm(timer_, due);
}

// Looks once a second at a connection that is not parked, and else when it has to end. The hot path
// only sets has_progressed_.
void Session::on_timer() {
  const auto at = now();
  if (is_lingering_) return close();
  const bool is_waiting_for_peer = is_parked_ || is_receiving_ || is_writing_;
  if (std::exchange(has_progressed_, false) || !is_waiting_for_peer) last_progress_ = at;
  const bool is_silent = at - last_progress_ >= limits::kSessionIdleMax;
  if (is_silent) metrics().silent.add();
  const bool is_unfinished = (is_parked_ || is_receiving_) && at >= frame_deadline_;
  if (is_unfinished) metrics().unfinished_frame.add();
  if (is_silent || is_unfinished) return close();
  const bool may_park = is_receiving_ && !is_writing_ && last_progress_ != at;
  if (may_park) stream_.cancel();
  arm();
}

}  // namespace sluice::remoting
