#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "common/runtime/runtime.hpp"

namespace sluice::append_log {

/// Runs jobs one after another on the runtime's worker threads.
class WorkerStrand {
 public:
  explicit WorkerStrand(Runtime& runtime) : core_(std::make_shared<Core>(runtime)) {}
  ~WorkerStrand() { stop(); }
  WorkerStrand(const WorkerStrand&) = delete;
  WorkerStrand& operator=(const WorkerStrand&) = delete;

  /// Jobs posted after stop() are dropped.
  void post(std::function<void()> job);

  /// Drops the jobs that have not begun, and waits for the one that runs. Not from a job.
  void stop();

 private:
  struct Core {
    explicit Core(Runtime& runtime_in) : runtime(runtime_in) {}

    Runtime& runtime;
    std::mutex mutex;
    std::condition_variable idle;
    std::deque<std::function<void()>> jobs;
    bool is_running = false;  ///< A job runs, or the workers were asked to run one.
    bool is_inside = false;   ///< A job runs.
    bool is_stopped = false;
  };

  static void run(const std::shared_ptr<Core>& core);

  std::shared_ptr<Core> core_;
};

}  // namespace sluice::append_log
