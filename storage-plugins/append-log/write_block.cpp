#include "storage-plugins/append-log/write_block.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice::append_log {

void WriteBlock::dispose() noexcept {
  if (capacity_ == kBytes) pool_->take_back(std::move(memory_));
  delete this;
}

WriteBlockPtr BlockPool::make(std::uint64_t segment, std::uint64_t file_begin,
                              std::size_t size_min) {
  const std::size_t capacity = std::max(size_min, WriteBlock::kBytes);
  WriteBlock::Memory memory;
  if (capacity == WriteBlock::kBytes) {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      memory = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!memory) memory = std::make_unique_for_overwrite<std::byte[]>(capacity);
  return WriteBlockPtr(
      new WriteBlock(shared_from_this(), std::move(memory), capacity, segment, file_begin));
}

void BlockPool::take_back(WriteBlock::Memory memory) noexcept {
  const std::lock_guard lock(mutex_);
  if (spare_.size() < kSpareMax) spare_.push_back(std::move(memory));
}

void TailCache::add(WriteBlockPtr block) {
  bytes_ += block->capacity();
  blocks_.push_back(std::move(block));
  while (bytes_ > bytes_max_ && !blocks_.empty()) {
    bytes_ -= blocks_.front()->capacity();
    blocks_.pop_front();
  }
}

const WriteBlock* TailCache::find(std::uint64_t segment, std::uint64_t at,
                                  std::size_t size) const noexcept {
  const auto key = std::tuple(segment, at);
  auto it = std::ranges::upper_bound(blocks_, key, {}, [](const WriteBlockPtr& block) {
    return std::tuple(block->segment(), block->file_begin());
  });
  if (it == blocks_.begin()) return nullptr;
  const WriteBlock& block = **--it;
  if (block.segment() != segment || !block.holds(at, size)) return nullptr;
  return &block;
}

}  // namespace sluice::append_log
