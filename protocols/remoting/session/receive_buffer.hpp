#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/slice.hpp"
#include "common/base/types.hpp"
#include "protocols/remoting/session/receive_memory.hpp"

namespace sluice::remoting {

/// Receive buffers of limits::kSessionReadBytes that nobody uses, of one loop.
class BufferPool {
 public:
  [[nodiscard]] ReceiveMemoryPtr take();

  /// Keeps `buffer` for the next take(), unless somebody still reads from it or enough are kept.
  void give_back(ReceiveMemoryPtr buffer);

 private:
  std::vector<ReceiveMemoryPtr> free_;
};

/// What one connection has received and not yet served.
///
/// Grows over limits::kSessionReadBytes only as the bytes of a large frame arrive, never on its
/// promise; what all connections take beyond that is bounded by limits::kLargeFrameBytesMax. Bytes
/// that somebody holds a slice of are never overwritten.
class ReceiveBuffer {
 public:
  explicit ReceiveBuffer(BufferPool& pool) noexcept : pool_(&pool) {}
  ~ReceiveBuffer();
  ReceiveBuffer(const ReceiveBuffer&) = delete;
  ReceiveBuffer& operator=(const ReceiveBuffer&) = delete;

  /// What was received and not yet consumed.
  [[nodiscard]] BytesView unread() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

  /// `part` of unread(), to be written to by its owner.
  [[nodiscard]] std::span<std::byte> writable(BytesView part) noexcept;

  /// Keeps what unread() shows, and what it has shown since the last room().
  [[nodiscard]] SliceOwnerPtr owner() const noexcept { return buffer_; }

  /// Drops the first `size` bytes of unread().
  void consume(std::size_t size) noexcept { begin_ += static_cast<std::uint32_t>(size); }

  /// Where to receive to: at least one byte. Moves unread(). `frame_bytes`: what the frame at the
  /// front of unread() promises to have, 0 if that is not known yet.
  /// \return quota_exceeded if all large frames of the process take too much.
  [[nodiscard]] Result<std::span<std::byte>> room(std::size_t frame_bytes);

  /// That many bytes of room() were received.
  void add(std::size_t size) noexcept { end_ += static_cast<std::uint32_t>(size); }

  /// Takes no more memory than unread() needs.
  void park();

  /// Takes no memory: what is unread is gone.
  void release();

  /// Bytes of memory held.
  [[nodiscard]] std::size_t capacity() const noexcept { return buffer_ ? buffer_->size() : 0; }

 private:
  [[nodiscard]] Result<std::size_t> capacity_for(std::size_t frame_bytes) const;
  void replace(ReceiveMemoryPtr next);
  void hold(ReceiveMemoryPtr next);

  BufferPool* pool_;
  ReceiveMemoryPtr buffer_;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace sluice::remoting
