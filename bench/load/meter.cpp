#include "bench/load/meter.hpp"

#include <algorithm>

#include "bench/load/clock.hpp"

namespace sluice::bench {

void Meter::open() {
  begin_ = take_snapshot();
  is_open_ = true;
}

void Meter::close() {
  is_open_ = false;
  const Snapshot end = take_snapshot();
  const auto ticks = std::max<std::int64_t>(end.machine.total - begin_.machine.total, 1);
  const auto share = [ticks](std::int64_t part) {
    return static_cast<double>(part) / static_cast<double>(ticks);
  };
  measurement_.seconds = static_cast<double>(end.time_ns - begin_.time_ns) / kNsPerSecond;
  measurement_.server_cpu_s = end.server_cpu_s - begin_.server_cpu_s;
  measurement_.client_cpu_s = end.client_cpu_s - begin_.client_cpu_s;
  measurement_.idle_share = share(end.machine.idle - begin_.machine.idle);
  measurement_.stolen_share = share(end.machine.stolen - begin_.machine.stolen);
  measurement_.server_memory = resident_memory(server_pid_);
}

Meter::Snapshot Meter::take_snapshot() const {
  return {.time_ns = now_ns(),
          .server_cpu_s = process_cpu_seconds(server_pid_),
          .client_cpu_s = own_cpu_seconds(),
          .machine = machine_time()};
}

}  // namespace sluice::bench
