#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "common/base/slice.hpp"

namespace sluice::append_log {

class BlockPool;

/// Memory into which frames are encoded and from which they are written: an image of a range of a
/// segment's file. Slices of records point into it, so what is written stays readable for as long
/// as somebody holds it. One writer; bytes that are published never change.
class WriteBlock final : public SliceOwner {
 public:
  static constexpr std::size_t kBytes = 1024 * 1024;  ///< Unless a frame needs more.

  [[nodiscard]] std::uint64_t segment() const noexcept { return segment_; }
  [[nodiscard]] std::uint64_t file_begin() const noexcept { return file_begin_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::span<std::byte> memory() noexcept { return {memory_.get(), capacity_}; }
  [[nodiscard]] BytesView memory() const noexcept { return {memory_.get(), capacity_}; }

  /// Whether the writer may put [at, at + size) of the file here.
  [[nodiscard]] bool has_room(std::uint64_t at, std::size_t size) const noexcept {
    return at >= file_begin_ && at + size <= file_begin_ + capacity_;
  }

  /// Up to `file_end` it holds what is in the file. The store's mutex guards this and holds().
  void publish(std::uint64_t file_end) noexcept { published_end_ = file_end; }
  /// Whether [at, at + size) of the file can be read here. Not all of the memory can: a frame that
  /// does not fit behind the last one goes to the next block.
  [[nodiscard]] bool holds(std::uint64_t at, std::size_t size) const noexcept {
    return at >= file_begin_ && at + size <= published_end_;
  }
  [[nodiscard]] Slice slice(std::uint64_t at, std::size_t size) const noexcept {
    return {memory().subspan(at - file_begin_, size), SliceOwnerPtr(this)};
  }

 private:
  friend class BlockPool;
  using Memory = std::unique_ptr<std::byte[]>;

  WriteBlock(std::shared_ptr<BlockPool> pool, Memory memory, std::size_t capacity,
             std::uint64_t segment, std::uint64_t file_begin) noexcept
      : pool_(std::move(pool)),
        memory_(std::move(memory)),
        capacity_(capacity),
        segment_(segment),
        file_begin_(file_begin),
        published_end_(file_begin) {}
  void dispose() noexcept override;

  std::shared_ptr<BlockPool> pool_;
  Memory memory_;
  std::size_t capacity_;
  std::uint64_t segment_;
  std::uint64_t file_begin_;
  std::uint64_t published_end_;
};
using WriteBlockPtr = boost::intrusive_ptr<WriteBlock>;

/// Keeps the memory of a few blocks for the next ones: fresh pages cost more than writing them.
/// Thread-safe.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
 public:
  /// \param size_min  Of a frame; more than WriteBlock::kBytes gives a block of that size.
  [[nodiscard]] WriteBlockPtr make(std::uint64_t segment, std::uint64_t file_begin,
                                   std::size_t size_min);

 private:
  friend class WriteBlock;
  static constexpr std::size_t kSpareMax = 4;

  void take_back(WriteBlock::Memory memory) noexcept;

  std::mutex mutex_;
  std::vector<WriteBlock::Memory> spare_;
};

/// The newest blocks, for readers at the tail. Not thread-safe: the store's mutex guards it.
class TailCache {
 public:
  explicit TailCache(std::uint64_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  /// `block` lies behind all others.
  void add(WriteBlockPtr block);

  /// The block that holds all of [at, at + size) of a segment's file; nullptr if none does.
  [[nodiscard]] const WriteBlock* find(std::uint64_t segment, std::uint64_t at,
                                       std::size_t size) const noexcept;

 private:
  std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 0;
  std::deque<WriteBlockPtr> blocks_;
};

}  // namespace sluice::append_log
