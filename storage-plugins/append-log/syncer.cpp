#include "storage-plugins/append-log/syncer.hpp"

#include <algorithm>
#include <utility>

#include "common/base/log.hpp"

namespace sluice::append_log {

using storage::Sequence;

void Syncer::note_written(const std::shared_ptr<DiskFile>& file, Sequence sequence) {
  const std::lock_guard lock(mutex_);
  if (dirty_.empty() || dirty_.back() != file) dirty_.push_back(file);
  written_ = std::max(written_, sequence);
}

void Syncer::add(CommitList commits) {
  if (commits.empty()) return;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    waiting_.splice(std::move(commits));
    wake = std::exchange(is_idle_, false);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  if (wake) changed_.notify_one();
}

Result<> Syncer::sync_now() {
  const std::lock_guard sync_lock(sync_mutex_);
  std::vector<std::shared_ptr<DiskFile>> files;
  Sequence target;
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return fail(*failure_);
    files.swap(dirty_);
    target = written_;
  }
  for (const auto& file : files) {
    const auto synced = file->sync();
    if (synced) continue;
    const Error error{.code = Errc::io_error,
                      .text =
                          "a sync failed, so nothing is written until the store is opened "
                          "anew: " +
                          synced.error().text};
    fence(error);
    return fail(error);
  }
  if (target.value > synced_) synced_.store(target.value, std::memory_order_release);
  return {};
}

void Syncer::fence(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (failure_) return;
  log::error("log: {}", error.text);
  failure_ = Error{.code = Errc::io_error, .text = error.text};
  has_failed_.store(true, std::memory_order_release);
}

std::optional<Error> Syncer::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Syncer::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return;
  waiting_.fail_all({.code = Errc::cancelled, .text = "the store was closed"});
  loops_.complete(std::move(waiting_));
}

void Syncer::run() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      is_idle_ = waiting_.empty();
      changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      is_idle_ = false;
      if (is_stopping_) return;
    }
    static_cast<void>(sync_now());  // What went wrong stands in failure_.
    complete_synced();
  }
}

void Syncer::complete_synced() {
  const Sequence durable = synced();
  CommitList done;
  {
    const std::lock_guard lock(mutex_);
    while (!waiting_.empty() && waiting_.front()->sequence() <= durable) {
      done.push_back(waiting_.pop_front());
    }
    if (failure_) {
      waiting_.fail_all(*failure_);
      done.splice(std::move(waiting_));
    }
  }
  loops_.complete(std::move(done));
}

}  // namespace sluice::append_log
