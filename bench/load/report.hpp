#pragma once

#include <boost/json/object.hpp>

#include "bench/load/disk_probe.hpp"
#include "bench/load/meter.hpp"
#include "bench/load/start_probe.hpp"

namespace sluice::bench {

/// \file What is measured, as JSON. Members end in their unit; `per_server_cpu_s` is the main
/// figure.

enum class ReportForm { table, json };

[[nodiscard]] boost::json::object to_json(const Measurement& measurement);
[[nodiscard]] boost::json::object to_json(const DiskProbe& probe);
[[nodiscard]] boost::json::object to_json(const StartReport& report);

/// Prints it to standard output: a row for each member, or one line of JSON.
void print_report(const boost::json::object& report, ReportForm form);

}  // namespace sluice::bench
