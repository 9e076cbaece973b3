#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "storage-plugins/append-log/accounting.hpp"
#include "storage-plugins/append-log/store.hpp"

namespace sluice::append_log {

/// What is done beside the commits, on the store's upkeep strand: index files and checkpoints after
/// a segment is sealed, retirement of segments without live records.
class Upkeep {
 public:
  explicit Upkeep(Store& store) : store_(store), accounting_(store) {}

  void keep_alive_with(std::weak_ptr<void> owner) { owner_ = std::move(owner); }

  /// There may be something to do. Any thread.
  void schedule();

  /// Makes everything durable and leaves a checkpoint of all. Blocks; on the strand, and nothing
  /// commits any more.
  [[nodiscard]] Result<> finish();

 private:
  void run();
  [[nodiscard]] Result<> write_indexes();
  [[nodiscard]] Result<> write_index(const SegmentPtr& segment);
  void forget_indexes();
  [[nodiscard]] bool is_checkpoint_due() const;
  [[nodiscard]] Result<> take_checkpoint();
  [[nodiscard]] Result<> retire_segments();
  [[nodiscard]] Result<> let_go_of(const SegmentPtr& segment);
  [[nodiscard]] Result<> reuse_files();

  Store& store_;
  Accounting accounting_;
  std::weak_ptr<void> owner_;
  std::atomic<bool> is_scheduled_{false};
  std::vector<SegmentPtr> retiring_;  ///< Out of the store's list; a read may still use them.
};

}  // namespace sluice::append_log
