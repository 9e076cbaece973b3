#include "storage-plugins/append-log/worker_strand.hpp"

#include <utility>

namespace sluice::append_log {

void WorkerStrand::post(std::function<void()> job) {
  const std::lock_guard lock(core_->mutex);
  if (core_->is_stopped) return;
  core_->jobs.push_back(std::move(job));
  if (std::exchange(core_->is_running, true)) return;
  core_->runtime.run_blocking([core = core_] { run(core); });
}

void WorkerStrand::stop() {
  std::deque<std::function<void()>> dropped;
  std::unique_lock lock(core_->mutex);
  core_->is_stopped = true;
  dropped.swap(core_->jobs);
  core_->idle.wait(lock, [this] { return !core_->is_inside; });
}

void WorkerStrand::run(const std::shared_ptr<Core>& core) {
  std::unique_lock lock(core->mutex);
  while (!core->jobs.empty()) {
    auto job = std::move(core->jobs.front());
    core->jobs.pop_front();
    core->is_inside = true;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    core->is_inside = false;
    core->idle.notify_all();
  }
  core->is_running = false;
}

}  // namespace sluice::append_log
