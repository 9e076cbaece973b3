#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "common/runtime/runtime.hpp"
#include "common/runtime/task.hpp"

/// \file
/// What tests of coroutines share. Header only: a test links sluice_runtime and nothing else.

namespace sluice::test {

/// How long a test waits before it calls something stuck. Long: the machine may be busy, and a
/// sanitizer is slow.
inline constexpr std::chrono::seconds kPatience{120};

/// Starts `task` on `executor`. The future is ready when it has ended; wait with wait_for_result().
template <class T>
[[nodiscard]] std::future<Result<T>> start(Executor executor, Task<T> task) {
  auto promise = std::make_shared<std::promise<Result<T>>>();
  auto future = promise->get_future();
  boost::asio::co_spawn(executor, std::move(task),
                        [promise](std::exception_ptr bug, Result<T> result) {
                          if (bug) {
                            promise->set_exception(bug);
                          } else {
                            promise->set_value(std::move(result));
                          }
                        });
  return future;
}

/// Not on a thread of the runtime. A task that does not end within kPatience ends the program: what
/// it refers to must not be destroyed under it.
template <class T>
Result<T> wait_for_result(std::future<Result<T>> future) {
  if (future.wait_for(kPatience) != std::future_status::ready) {
    std::fprintf(stderr, "test: a task did not end within %lld s\n",
                 static_cast<long long>(kPatience.count()));
    std::abort();
  }
  return future.get();
}

/// Runs `task` on loop 0 to its end. Not on a thread of the runtime, which must be running.
template <class T>
Result<T> run(Runtime& runtime, Task<T> task) {
  return wait_for_result(start(runtime.loop(0), std::move(task)));
}

/// A runtime whose loops run on threads in the background, until it is destroyed.
class TestRuntime {
 public:
  explicit TestRuntime(Runtime::Options options = {})
      : runtime_(options), thread_([this] { runtime_.run(); }) {}

  ~TestRuntime() { stop(); }
  TestRuntime(const TestRuntime&) = delete;
  TestRuntime& operator=(const TestRuntime&) = delete;

  /// Stops the loops and waits for their threads. What was suspended stays suspended, and is
  /// destroyed with the runtime. Idempotent.
  void stop() {
    if (!thread_.joinable()) return;
    runtime_.stop();
    thread_.join();
  }

  [[nodiscard]] Runtime& get() noexcept { return runtime_; }
  Runtime& operator*() noexcept { return runtime_; }
  Runtime* operator->() noexcept { return &runtime_; }

 private:
  Runtime runtime_;
  std::thread thread_;
};

/// Asks `condition` again and again. \return false if it was still false at the deadline.
[[nodiscard]] inline bool wait_until(const std::function<bool()>& condition,
                                     std::chrono::milliseconds deadline = kPatience) {
  const auto give_up = std::chrono::steady_clock::now() + deadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= give_up) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// An empty directory, removed with all in it when this object goes.
class TempDirectory {
 public:
  TempDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      std::perror("test: mkdtemp");
      std::abort();
    }
    path_ = name;
  }

  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sluice::test
