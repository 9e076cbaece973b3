#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sluice::append_log {

/// Grows without moving what it holds, so that adding never costs more than one small allocation.
template <class T, std::size_t kChunk = 512>
class ChunkedVector {
 public:
  T& push_back(T value) {
    const std::size_t in_chunk = size_ % kChunk;
    if (in_chunk == 0) chunks_.push_back(std::make_unique<Chunk>());
    T& slot = (*chunks_[size_ / kChunk])[in_chunk];
    slot = std::move(value);
    ++size_;
    return slot;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return (*chunks_[i / kChunk])[i % kChunk];
  }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return (*chunks_[i / kChunk])[i % kChunk]; }
  [[nodiscard]] const T& back() const noexcept { return (*this)[size_ - 1]; }

 private:
  using Chunk = std::array<T, kChunk>;

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace sluice::append_log
