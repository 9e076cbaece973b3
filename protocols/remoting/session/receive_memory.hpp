#pragma once

#include <cstddef>

#include "common/base/slice.hpp"

namespace sluice::remoting {

/// One block of memory to receive into, shared by the slices of what was received.
///
/// Blocks of limits::kSessionReadBytes and more come from the system and go back there: from the
/// heap, blocks between things that stay would keep their pages for ever once thousands of
/// connections had been active at the same time.
class ReceiveMemory final : public SliceOwner {
 public:
  [[nodiscard]] static boost::intrusive_ptr<ReceiveMemory> make(std::size_t size);

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  ReceiveMemory(std::byte* data, std::size_t size, bool is_mapped) noexcept
      : data_(data), size_(size), is_mapped_(is_mapped) {}
  ~ReceiveMemory() override;

  std::byte* data_;
  std::size_t size_;
  bool is_mapped_;
};

using ReceiveMemoryPtr = boost::intrusive_ptr<ReceiveMemory>;

}  // namespace sluice::remoting
