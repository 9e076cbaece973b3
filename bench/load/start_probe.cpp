#include "bench/load/start_probe.hpp"

#include <algorithm>
#include <tuple>

#include "bench/load/blocking_client.hpp"
#include "bench/load/clock.hpp"
#include "bench/load/fail.hpp"
#include "bench/load/request.hpp"

namespace sluice::bench {
namespace {

constexpr double kReadySecondsMax = 60;
constexpr int kProbeIntervalMs = 1;
constexpr double kNsPerMs = 1e6;

double ms_since(std::int64_t begin_ns) {
  return static_cast<double>(now_ns() - begin_ns) / kNsPerMs;
}

std::string wait_for_ready_line(Child& child, std::int64_t deadline) {
  while (now_ns() < deadline) {
    const auto left_ms = static_cast<int>(static_cast<double>(deadline - now_ns()) / kNsPerMs) + 1;
    auto line = child.read_line(left_ms);
    if (line && line->starts_with("ready")) return *line;
  }
  fail("no ready line in {} s", kReadySecondsMax);
}

bool is_send_accepted(const Address& server) {
  auto client = BlockingClient::connect(server);
  if (!client) return false;
  SendFrame frame(
      {.topic = "bench_start", .broker_name = "broker", .body_bytes = 1024, .messages = 1});
  frame.patch(kOpaqueFirst, 0, wall_clock_ms());
  const auto response = client->try_call(frame.bytes());
  return response && response->code == kSuccess;
}

void wait_for_first_send(Child& child, const Address& server, std::int64_t deadline) {
  while (!is_send_accepted(server)) {
    if (now_ns() > deadline) fail("no send was accepted in {} s", kReadySecondsMax);
    std::ignore = child.read_line(kProbeIntervalMs);
  }
}

/// Lets time pass and takes what the server says meanwhile.
void settle(Child& child, double seconds) {
  const std::int64_t end = now_ns() + to_ns(seconds);
  while (now_ns() < end) {
    const double left_ms = static_cast<double>(end - now_ns()) / kNsPerMs;
    std::ignore = child.read_line(static_cast<int>(std::max(left_ms, 0.0)) + 1);
  }
}

}  // namespace

StartReport probe_start(const std::vector<std::string>& command,
                        const std::optional<Address>& probe, double settle_s) {
  const std::int64_t begin = now_ns();
  const std::int64_t deadline = begin + to_ns(kReadySecondsMax);
  StartReport report{};
  Child child(command);
  if (probe) {
    wait_for_first_send(child, *probe, deadline);
  } else {
    report.ready_line = wait_for_ready_line(child, deadline);
  }
  report.ready_ms = ms_since(begin);
  const double cpu_at_ready = process_cpu_seconds(child.pid());
  settle(child, settle_s);
  report.idle_cpu_s = process_cpu_seconds(child.pid()) - cpu_at_ready;
  report.idle_memory = resident_memory(child.pid());
  const std::int64_t stop_begin = now_ns();
  report.exit_code = child.stop();
  report.stop_ms = ms_since(stop_begin);
  return report;
}

}  // namespace sluice::bench
