#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/frame.hpp"
#include "protocols/remoting/session/session.hpp"
#include "protocols/remoting/session/session_parts.hpp"

namespace sluice::remoting {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// The begin of a frame of up to this size waits without a buffer of the usual size.
constexpr std::size_t kParkedBytesMax = 4096;

asio::mutable_buffer to_buffer(std::span<std::byte> room) {
  return {room.data(), room.size()};
}

}  // namespace

// One frame for all: this is what an idle connection keeps.
Task<> Session::run() {
  arm();
  while (is_open()) {
    std::size_t size = 0;
    if (is_parked_) {
      error_code error;
      co_await stream_.async_wait_readable(asio::redirect_error(kAwait, error));
      size = error ? failed_to_receive(error) : receive_now();
    } else {
      const auto received = co_await receive();
      size = *received;
    }
    if (size == 0) continue;
    has_progressed_ = true;
    received_.add(size);
    const auto frames = co_await serve();
    flush();
    settle(*frames);
    if (!has_room()) co_await wait_until_written(limits::kSessionOutboundBytesMax / 2);
  }
  co_await finish();
  co_return Result<>{};
}

std::size_t Session::receive_now() {
  const auto last_progress = last_progress_;
  unpark();
  const auto into = room();
  if (!into) return 0;
  error_code error;
  const std::size_t size = stream_.read_some(to_buffer(*into), error);
  if (!error) return size;
  last_progress_ = last_progress;  // Of TLS, part of a record: that is not progress.
  return failed_to_receive(error);
}

Task<std::size_t> Session::receive() {
  const auto into = room();
  if (!into) co_return std::size_t{0};
  is_receiving_ = true;
  error_code error;
  const std::size_t size =
      co_await stream_.async_read_some(to_buffer(*into), asio::redirect_error(kAwait, error));
  is_receiving_ = false;
  co_return error ? failed_to_receive(error) : size;
}

std::size_t Session::failed_to_receive(const error_code& error) {
  const bool goes_on = error == asio::error::operation_aborted ||
                       error == asio::error::would_block || error == asio::error::try_again;
  if (!goes_on) is_ending_ = true;
  if (is_open()) park();
  return 0;
}

Result<std::span<std::byte>> Session::room() {
  const auto needed = frame_bytes_needed(received_.unread());
  const std::size_t frame_bytes = needed ? needed->value_or(0) : 0;
  auto into = received_.room(frame_bytes);
  if (!into) end(metrics().no_memory);
  return into;
}

/// After what came was served as far as it goes.
void Session::settle(std::size_t frames_served) {
  if (!is_open()) return;
  if (received_.empty()) {
    frame_deadline_ = Environment::Instant::max();
    if (!is_busy_) park();
    return;
  }
  const bool is_begun_now = frames_served > 0 || frame_deadline_ == Environment::Instant::max();
  if (is_begun_now) frame_deadline_ = now() + limits::kPartialFrameAgeMax;
  // Whoever has not finished a frame since it was silent gets no buffer for a few bytes.
  const bool is_little = received_.unread().size() < kParkedBytesMax;
  if (is_little && (frames_served == 0 || !is_busy_)) park();
}

void Session::park() {
  received_.park();
  if (!is_writing_) {
    outbound_.shrink_to_fit();
    writing_ = {};
  }
  is_parked_ = true;
  has_progressed_ = false;  // last_progress_ knows.
  arm();
}

void Session::unpark() {
  const auto at = now();
  is_busy_ = at - last_progress_ < limits::kSessionIdleBufferAge;
  last_progress_ = at;
  is_parked_ = false;
  arm();
}

/// Lets what was answered be written, and the peer be told that this is the end.
Task<> Session::finish() {
  received_.release();
  co_await wait_until_written(0);
  if (is_stopping_ && !is_closed_) co_await linger();
  close();
  co_await end_notices();
  services_->handler.session_closed(identity_->id, model::SessionId{});
  co_return Result<>{};
}

/// To close a socket with unread bytes resets the connection, and the peer's system throws away
/// what it has not read: the last answers. So the peer is let hang up first.
Task<> Session::linger() {
  error_code error;
  stream_.shutdown_send(error);
  is_lingering_ = true;
  services_->timers.arm(timer_, now() + limits::kSessionLingerMax);
  while (!error) {
    co_await stream_.async_read_some(asio::buffer(services_->discarded),
                                     asio::redirect_error(kAwait, error));
  }
  co_return Result<>{};
}

}  // namespace sluice::remoting
