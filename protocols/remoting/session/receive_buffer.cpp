#include "protocols/remoting/session/receive_buffer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"

namespace sluice::remoting {

namespace {

/// Enough for the connections of one round of the loop; more would only be memory.
constexpr std::size_t kKeptBuffers = 64;

metrics::Gauge& large_frame_bytes() {
  static metrics::Gauge& gauge =
      metrics::gauge("sluice_remoting_large_frame_bytes", "",
                     "Memory of receive buffers that grew for frames over the usual size.");
  return gauge;
}

metrics::Gauge& receive_bytes() {
  static metrics::Gauge& gauge = metrics::gauge(
      "sluice_remoting_receive_bytes", "", "Memory of the receive buffers that connections hold.");
  return gauge;
}

std::int64_t size_of(const ReceiveMemoryPtr& buffer) {
  return buffer ? static_cast<std::int64_t>(buffer->size()) : 0;
}

std::int64_t excess_of(const ReceiveMemoryPtr& buffer) {
  if (!buffer || buffer->size() <= limits::kSessionReadBytes) return 0;
  return static_cast<std::int64_t>(buffer->size() - limits::kSessionReadBytes);
}

}  // namespace

ReceiveMemoryPtr BufferPool::take() {
  if (free_.empty()) return ReceiveMemory::make(limits::kSessionReadBytes);
  ReceiveMemoryPtr buffer = std::move(free_.back());
  free_.pop_back();
  return buffer;
}

void BufferPool::give_back(ReceiveMemoryPtr buffer) {
  const bool is_wanted = buffer->size() == limits::kSessionReadBytes && !buffer->is_shared() &&
                         free_.size() < kKeptBuffers;
  if (is_wanted) free_.push_back(std::move(buffer));
}

ReceiveBuffer::~ReceiveBuffer() {
  release();
}

BytesView ReceiveBuffer::unread() const noexcept {
  if (!buffer_) return {};
  return {buffer_->data() + begin_, end_ - begin_};
}

std::span<std::byte> ReceiveBuffer::writable(BytesView part) noexcept {
  return {buffer_->data() + (part.data() - buffer_->data()), part.size()};
}

Result<std::span<std::byte>> ReceiveBuffer::room(std::size_t frame_bytes) {
  const auto capacity = capacity_for(frame_bytes);
  SLUICE_TRY(capacity);
  const bool can_stay = buffer_ && buffer_->size() == *capacity && !buffer_->is_shared();
  if (!can_stay) {
    replace(*capacity == limits::kSessionReadBytes ? pool_->take()
                                                   : ReceiveMemory::make(*capacity));
  } else if (begin_ > 0) {
    std::copy(buffer_->data() + begin_, buffer_->data() + end_, buffer_->data());
    end_ -= begin_;
    begin_ = 0;
  }
  return std::span(buffer_->data() + end_, buffer_->size() - end_);
}

/// The usual size, or, for a frame that is larger, twice what of it has come.
Result<std::size_t> ReceiveBuffer::capacity_for(std::size_t frame_bytes) const {
  const std::size_t size = end_ - begin_;
  if (size < limits::kSessionReadBytes) return limits::kSessionReadBytes;
  if (size < capacity()) return capacity();
  const std::size_t wanted = std::min(2 * size, std::max(frame_bytes, size + 1));
  const auto more = static_cast<std::int64_t>(wanted - limits::kSessionReadBytes);
  const std::int64_t total = large_frame_bytes().value() - excess_of(buffer_) + more;
  if (total > limits::kLargeFrameBytesMax) {
    return fail(Errc::quota_exceeded,
                fmt::format("frames over {} bytes take more than {} bytes at the moment",
                            limits::kSessionReadBytes, limits::kLargeFrameBytesMax));
  }
  return wanted;
}

/// Moves what is unread to the front of `next`.
void ReceiveBuffer::replace(ReceiveMemoryPtr next) {
  if (buffer_) std::copy(buffer_->data() + begin_, buffer_->data() + end_, next->data());
  end_ -= begin_;
  begin_ = 0;
  hold(std::move(next));
}

void ReceiveBuffer::hold(ReceiveMemoryPtr next) {
  large_frame_bytes().add(excess_of(next) - excess_of(buffer_));
  receive_bytes().add(size_of(next) - size_of(buffer_));
  ReceiveMemoryPtr last = std::exchange(buffer_, std::move(next));
  if (last) pool_->give_back(std::move(last));
}

void ReceiveBuffer::park() {
  if (empty()) return release();
  replace(ReceiveMemory::make(end_ - begin_));
}

void ReceiveBuffer::release() {
  begin_ = 0;
  end_ = 0;
  if (buffer_) hold(nullptr);
}

}  // namespace sluice::remoting
