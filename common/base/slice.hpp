#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "common/base/types.hpp"

namespace sluice {

/// Memory that slices point into. Freed (or handed back to its pool) when the last slice goes.
/// Counting is safe from any thread.
class SliceOwner {
 public:
  SliceOwner() = default;
  SliceOwner(const SliceOwner&) = delete;
  SliceOwner& operator=(const SliceOwner&) = delete;

  /// True if somebody else holds a slice as well. For the holder of a reference: what is unshared
  /// stays so until that holder makes a copy.
  [[nodiscard]] bool is_shared() const noexcept {
    return references_.load(std::memory_order_acquire) > 1;
  }

  void add_reference() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release_reference() const noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const_cast<SliceOwner*>(this)->dispose();
    }
  }

 protected:
  virtual ~SliceOwner() = default;

  /// No slice points here any more.
  virtual void dispose() noexcept { delete this; }

 private:
  mutable std::atomic<std::uint32_t> references_{0};
};

inline void intrusive_ptr_add_ref(const SliceOwner* owner) noexcept {
  owner->add_reference();
}
inline void intrusive_ptr_release(const SliceOwner* owner) noexcept {
  owner->release_reference();
}

using SliceOwnerPtr = boost::intrusive_ptr<const SliceOwner>;

/// A view of bytes together with a share in what keeps them alive. Copying costs one atomic
/// increment. Immutable: whoever holds a slice sees the same bytes for ever.
class Slice {
 public:
  Slice() = default;
  Slice(BytesView bytes, SliceOwnerPtr owner) noexcept : bytes_(bytes), owner_(std::move(owner)) {}

  /// Copies.
  [[nodiscard]] static Slice copy_of(BytesView bytes);
  [[nodiscard]] static Slice copy_of(std::string_view text) { return copy_of(as_bytes(text)); }

  [[nodiscard]] BytesView bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::string_view text() const noexcept { return as_text(bytes_); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] const std::byte* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] const SliceOwnerPtr& owner() const noexcept { return owner_; }

  /// Bytes [first, first + size) of this slice, sharing its owner. Must lie inside.
  [[nodiscard]] Slice part(std::size_t first, std::size_t size) const noexcept {
    return {bytes_.subspan(first, size), owner_};
  }

  friend bool operator==(const Slice& a, const Slice& b) noexcept { return a.text() == b.text(); }

 private:
  BytesView bytes_;
  SliceOwnerPtr owner_;
};

/// One block of memory, filled by one writer and then only read through slices.
class Buffer final : public SliceOwner {
 public:
  [[nodiscard]] static boost::intrusive_ptr<Buffer> make(std::size_t size);

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Bytes [first, first + size), sharing this buffer.
  [[nodiscard]] Slice slice(std::size_t first, std::size_t size) const noexcept {
    return {BytesView(data_ + first, size), SliceOwnerPtr(this)};
  }

 private:
  Buffer(std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}
  void dispose() noexcept override;

  std::byte* data_;
  std::size_t size_;
};

}  // namespace sluice
