#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::bench {

/// CPU time of a process, all its threads, user and system, in seconds (/proc/<pid>/stat).
[[nodiscard]] double process_cpu_seconds(pid_t pid);

/// CPU time of this process in seconds.
[[nodiscard]] double own_cpu_seconds();

/// Resident memory of a process in KiB (/proc/<pid>/status): what it allocated, and files.
struct ResidentMemory {
  std::int64_t anonymous_kib = 0;
  std::int64_t file_kib = 0;
};
[[nodiscard]] ResidentMemory resident_memory(pid_t pid);

/// Ticks that all cores spent since the machine started (/proc/stat).
struct MachineTime {
  std::int64_t total = 0;
  std::int64_t idle = 0;    ///< Waiting for a disk counts as idle.
  std::int64_t stolen = 0;  ///< Taken by the host of a virtual machine.
};
[[nodiscard]] MachineTime machine_time();

/// A child process whose standard output is read here; standard error is ours. It dies with us.
class Child {
 public:
  explicit Child(const std::vector<std::string>& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// The next line of its standard output, waiting at most `timeout_ms`; nullopt if none came.
  /// Fails if the child has closed its output: it has ended, or cannot say anything any more.
  [[nodiscard]] std::optional<std::string> read_line(int timeout_ms);

  /// SIGTERM, and SIGKILL after 30 seconds. Returns the exit code, or 128 + the signal that ended
  /// it.
  int stop();

 private:
  std::optional<std::string> take_line();

  pid_t pid_ = -1;
  int output_fd_ = -1;
  std::string output_;
};

}  // namespace sluice::bench
