#pragma once

#include <cstddef>
#include <span>

#include "common/base/slice.hpp"
#include "common/base/types.hpp"

namespace sluice::remoting {

/// What a client has received and not yet looked at, so that the body of a frame can be kept as a
/// slice: bytes that were given out are never overwritten. Grows as the bytes of a large frame
/// arrive, not on its promise.
class FrameBuffer {
 public:
  /// What was received and not yet consumed.
  [[nodiscard]] BytesView unread() const noexcept;

  /// `part` of unread(), kept by the slice.
  [[nodiscard]] Slice share(BytesView part);

  /// Drops the first `size` bytes of unread().
  void consume(std::size_t size) noexcept { begin_ += size; }

  /// Where to receive to: at least one byte. What share() gave out stays as it is, unread() may
  /// move. `frame_bytes`: what the frame at the front of unread() is going to have, 0 if unknown.
  [[nodiscard]] std::span<std::byte> room(std::size_t frame_bytes);

  /// Keeps the bytes of room(), as long as a receive into it is under way.
  [[nodiscard]] SliceOwnerPtr owner() const noexcept { return SliceOwnerPtr(buffer_.get()); }

  /// That many bytes of room() were received.
  void add(std::size_t size) noexcept { end_ += size; }

 private:
  void make_room(std::size_t needed);

  boost::intrusive_ptr<Buffer> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_shared_ = false;  ///< A slice of buffer_ was given out.
};

}  // namespace sluice::remoting
