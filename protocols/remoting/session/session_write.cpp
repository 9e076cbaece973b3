#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "common/base/limits.hpp"
#include "common/runtime/one_shot.hpp"
#include "protocols/remoting/session/session.hpp"
#include "protocols/remoting/session/session_parts.hpp"

namespace sluice::remoting {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// A string that grew over this is given back once it is written.
constexpr std::size_t kKeptBytes = 256U * 1024;

void reset(std::string& bytes) {
  if (bytes.capacity() > kKeptBytes) {
    bytes = {};
  } else {
    bytes.clear();
  }
}

}  // namespace

std::size_t Session::unwritten() const noexcept {
  return outbound_.size() + writing_.size() - written_;
}

bool Session::has_room() const noexcept {
  return unwritten() < limits::kSessionOutboundBytesMax;
}

// Usually the system takes everything at once, which spares a turn of the loop.
void Session::flush() {
  if (is_writing_ || is_closed_ || outbound_.empty()) return;
  error_code error;
  const std::size_t size = stream_.write_some(asio::buffer(outbound_), error);
  const bool is_full = error == asio::error::would_block || error == asio::error::try_again;
  if (error && !is_full) return close();
  has_progressed_ = true;
  if (size == outbound_.size()) return reset(outbound_);
  writing_.swap(outbound_);
  written_ = size;
  is_writing_ = true;
  write_more();
}

/// One flush for all that is answered in this round of the loop.
void Session::flush_soon() {
  if (std::exchange(is_flush_posted_, true)) return;
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->is_flush_posted_ = false;
    self->flush();
  });
}

void Session::write_more() {
  stream_.async_write_some(asio::buffer(writing_) + written_,
                           [self = shared_from_this()](const error_code& error, std::size_t size) {
                             self->on_written(error, size);
                           });
}

void Session::on_written(const error_code& error, std::size_t size) {
  if (is_closed_) return;
  // Aborted: what was meant was the read (stop(), on_timer()).
  if (error && error != asio::error::operation_aborted) return close();
  has_progressed_ = true;
  written_ += size;
  if (written_ < writing_.size()) {
    write_more();
  } else {
    reset(writing_);
    written_ = 0;
    is_writing_ = false;
    flush();
  }
  const bool is_waited_for = extras_ && extras_->resume_writer;
  if (is_waited_for && unwritten() <= extras_->resume_at) wake_waiting_writer();
}

Task<> Session::wait_until_written(std::size_t bytes_max) {
  flush();
  while (!is_closed_ && unwritten() > bytes_max) {
    auto start = [this, bytes_max](UniqueFunction<void(bool)> resume) {
      extras().resume_at = bytes_max;
      extras().resume_writer = std::move(resume);
    };
    co_await wait_for_completion<bool>(start);
  }
  co_return Result<>{};
}

/// Posted, since it may end the session that calls.
void Session::wake_waiting_writer() {
  if (!extras_ || !extras_->resume_writer) return;
  asio::post(stream_.get_executor(),
             [resume = std::exchange(extras_->resume_writer, {})]() mutable { resume(true); });
}

}  // namespace sluice::remoting
