#include "protocols/remoting/client/frame_buffer.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"

namespace sluice::remoting {

namespace {

/// Less room than this is not worth a receive.
constexpr std::size_t kReceiveBytesMin = 4096;

/// How much of a frame to make room for, with `kept` bytes of it there: a promise alone takes no
/// memory.
std::size_t bytes_to_trust(std::size_t kept) {
  return std::max(limits::kSessionReadBytes, 2 * kept);
}

}  // namespace

BytesView FrameBuffer::unread() const noexcept {
  if (!buffer_) return {};
  return {buffer_->data() + begin_, end_ - begin_};
}

Slice FrameBuffer::share(BytesView part) {
  if (part.empty()) return {};
  is_shared_ = true;
  return {part, SliceOwnerPtr(buffer_.get())};
}

std::span<std::byte> FrameBuffer::room(std::size_t frame_bytes) {
  const std::size_t kept = unread().size();
  const std::size_t needed =
      frame_bytes == 0 ? kept + kReceiveBytesMin : std::min(frame_bytes, bytes_to_trust(kept));
  const std::size_t capacity = buffer_ ? buffer_->size() : 0;
  if (begin_ + needed > capacity || end_ == capacity) make_room(needed);
  return {buffer_->data() + end_, buffer_->size() - end_};
}

void FrameBuffer::make_room(std::size_t needed) {
  const BytesView kept = unread();
  const bool can_move_in_place = buffer_ && !is_shared_ && needed <= buffer_->size();
  if (can_move_in_place) {
    std::ranges::copy(kept, buffer_->data());  // towards the front
  } else {
    auto next = Buffer::make(std::max(needed, limits::kSessionReadBytes));
    std::ranges::copy(kept, next->data());
    buffer_ = std::move(next);
    is_shared_ = false;
  }
  begin_ = 0;
  end_ = kept.size();
}

}  // namespace sluice::remoting
