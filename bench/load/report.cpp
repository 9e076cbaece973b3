#include "bench/load/report.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>

namespace sluice::bench {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

std::string to_cell(const boost::json::value& value) {
  if (value.is_double()) return fmt::format("{:.4g}", value.get_double());
  if (value.is_string()) return std::string(value.get_string());
  return boost::json::serialize(value);
}

}  // namespace

boost::json::object to_json(const Measurement& measurement) {
  const auto messages = static_cast<double>(measurement.messages);
  const Histogram& latency = measurement.latency;
  return {
      {"seconds", measurement.seconds},
      {"messages", measurement.messages},
      {"messages_per_s", ratio(messages, measurement.seconds)},
      {"per_server_cpu_s", ratio(messages, measurement.server_cpu_s)},
      {"server_cores", ratio(measurement.server_cpu_s, measurement.seconds)},
      {"client_cores", ratio(measurement.client_cpu_s, measurement.seconds)},
      {"idle_share", measurement.idle_share},
      {"stolen_share", measurement.stolen_share},
      {"p50_ms", latency.percentile_ms(0.5)},
      {"p99_ms", latency.percentile_ms(0.99)},
      {"p999_ms", latency.percentile_ms(0.999)},
      {"refused", measurement.refused},
      {"rss_anon_kib", measurement.server_memory.anonymous_kib},
      {"rss_file_kib", measurement.server_memory.file_kib},
  };
}

boost::json::object to_json(const DiskProbe& probe) {
  return {
      {"block_bytes", probe.block_bytes},
      {"writes", probe.writes},
      {"write_and_fdatasync_us", probe.mean_s * kMicrosecondsPerSecond},
  };
}

boost::json::object to_json(const StartReport& report) {
  return {
      {"ready_ms", report.ready_ms},
      {"ready_line", report.ready_line},
      {"idle_rss_anon_kib", report.idle_memory.anonymous_kib},
      {"idle_rss_file_kib", report.idle_memory.file_kib},
      {"idle_cpu_s", report.idle_cpu_s},
      {"stop_ms", report.stop_ms},
      {"exit_code", report.exit_code},
  };
}

void print_report(const boost::json::object& report, ReportForm form) {
  if (form == ReportForm::json) {
    fmt::print("{}\n", boost::json::serialize(report));
    return;
  }
  for (const auto& [key, value] : report) {
    fmt::print("{:<24} {}\n", std::string_view(key), to_cell(value));
  }
}

}  // namespace sluice::bench
