#include "common/base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>

namespace sluice::log {

Result<> start(std::string_view level) {
  const auto parsed = spdlog::level::from_str(std::string(level));
  if (parsed == spdlog::level::off && level != "off") {
    return fail(Errc::invalid_argument, "log.level: '" + std::string(level) +
                                            "' is none of trace, debug, info, warn, error, off");
  }
  auto logger =
      std::make_shared<spdlog::logger>("sluice", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v", spdlog::pattern_time_type::utc);
  logger->set_level(parsed);
  spdlog::set_default_logger(std::move(logger));
  return {};
}

}  // namespace sluice::log
