#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/runtime/disk.hpp"
#include "common/runtime/task.hpp"
#include "common/runtime/timer_wheel.hpp"

namespace sluice {

/// The threads of a process, and the outside world as everything else may see it.
///
/// Loops: one io_context per core, each run by one thread; a connection and all that serves it stay
/// on one loop. Nothing that blocks runs there. Workers: a few threads for what blocks (disk, DNS).
class Runtime {
 public:
  struct Options {
    std::uint32_t loops = 1;    ///< Event loops, 1 to 64.
    std::uint32_t workers = 2;  ///< Threads for blocking work, 1 to 64.
    Environment* environment = &system_environment();
    Disk* disk = &system_disk();
  };

  explicit Runtime(Options options);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Runs the loops: loop 0 on the calling thread, the others on their own. Returns after stop().
  void run();

  /// Ends run() soon. Safe from any thread, and from a signal handler's asio callback.
  void stop();

  [[nodiscard]] std::uint32_t loop_count() const noexcept;
  [[nodiscard]] Executor loop(std::uint32_t index) const noexcept;

  /// The next loop, round robin: where a new connection goes. Any thread.
  [[nodiscard]] Executor next_loop() noexcept;

  /// The timer wheel of a loop (10 ms a tick). Use it only on that loop.
  [[nodiscard]] TimerWheel& timers(Executor executor) noexcept;

  /// Runs `work` on a worker thread, soon. Any thread.
  void run_blocking(std::function<void()> work);

  [[nodiscard]] Environment& environment() const noexcept { return *options_.environment; }
  [[nodiscard]] Disk& disk() const noexcept { return *options_.disk; }

 private:
  struct Loop;
  class Workers;

  Options options_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::unique_ptr<Workers> workers_;
  std::atomic<std::uint32_t> next_{0};
};

/// Suspends for `duration` on the current loop's wheel. `runtime` must outlive the wait.
[[nodiscard]] Task<> sleep_for(Runtime& runtime, std::chrono::milliseconds duration);

}  // namespace sluice
