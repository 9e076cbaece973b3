#pragma once

#include <sys/types.h>

#include <cstdint>

#include "bench/load/histogram.hpp"
#include "bench/load/process.hpp"

namespace sluice::bench {

/// What one run measured, between the end of its warm-up and its end.
struct Measurement {
  double seconds = 0;
  std::uint64_t messages = 0;
  double server_cpu_s = 0;
  double client_cpu_s = 0;
  double idle_share = 0;         ///< Of all cores, 0 to 1.
  double stolen_share = 0;       ///< By the host of a virtual machine, 0 to 1.
  std::uint64_t refused = 0;     ///< Answers "system busy"; such a request is sent again.
  ResidentMemory server_memory;  ///< At the end.
  Histogram latency;
};

/// Counts while it is open, and compares the processor times at both ends.
class Meter {
 public:
  explicit Meter(pid_t server_pid) : server_pid_(server_pid) {}

  void open();
  void close();

  /// `messages` arrived together, `latency_ns` after their request left.
  void record(std::int64_t latency_ns, std::uint64_t messages) {
    if (!is_open_) return;
    measurement_.latency.record(latency_ns);
    measurement_.messages += messages;
  }

  void record_refusal() {
    if (is_open_) ++measurement_.refused;
  }

  [[nodiscard]] const Measurement& measurement() const { return measurement_; }

 private:
  struct Snapshot {
    std::int64_t time_ns;
    double server_cpu_s;
    double client_cpu_s;
    MachineTime machine;
  };
  [[nodiscard]] Snapshot take_snapshot() const;

  pid_t server_pid_;
  bool is_open_ = false;
  Snapshot begin_{};
  Measurement measurement_;
};

}  // namespace sluice::bench
