#include "apps/wiring/serve.hpp"

#include <sys/resource.h>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <thread>

#include <boost/asio/signal_set.hpp>

#include "apps/wiring/process.hpp"
#include "common/base/log.hpp"
#include "common/runtime/spawn.hpp"

namespace sluice::apps {

namespace {

/// Every connection is a descriptor: takes as many as the system gives.
void raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Runtime::Options runtime_options(const config::Config& config) {
  Runtime::Options options;
  const std::int64_t loops = config.integer("runtime.loops");
  // docs/adr/0007: the other half is the kernel's, and for what must not run on a loop.
  options.loops = loops > 0 ? static_cast<std::uint32_t>(loops)
                            : std::max(1U, std::thread::hardware_concurrency() / 2);
  options.workers = static_cast<std::uint32_t>(config.integer("runtime.workers"));
  return options;
}

using Signals = boost::asio::basic_signal_set<Executor>;

/// SIGHUP, which a closed terminal sends, ends the process too, unless it was started to outlive
/// its terminal (nohup).
void add_hangup(Signals* signals) {
  struct sigaction current{};
  const bool is_ignored =
      ::sigaction(SIGHUP, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
  if (is_ignored) return;
  boost::system::error_code error;
  signals->add(SIGHUP, error);
  if (error) log::warn("SIGHUP will end the process without a drain: {}", error.message());
}

std::string_view name_of(int signal) noexcept {
  if (signal == SIGHUP) return "SIGHUP";
  return signal == SIGTERM ? "SIGTERM" : "SIGINT";
}

/// Starts, says so, waits for a signal, stops.
Task<> run_process(Runtime* runtime, Process* process, int* exit_code) {
  Signals signals(runtime->loop(0), SIGTERM, SIGINT);
  add_hangup(&signals);
  auto started = co_await process->start();
  if (started) {
    std::printf("ready %s\n", process->describe_listeners().c_str());
    std::fflush(stdout);
    const int signal = co_await signals.async_wait(kAwait);
    log::info("{}: draining", name_of(signal));
  } else {
    std::fprintf(stderr, "sluice: %s\n", started.error().text.c_str());
  }
  auto stopped = co_await process->stop();
  *exit_code = started && stopped ? cli::kExitDone : cli::kExitFailed;
  runtime->stop();
  co_return Result<>{};
}

}  // namespace

int serve(cli::ServeOptions options) {
  auto config = cli::load_config(options);
  if (!config) {
    std::fprintf(stderr, "sluice: %s\n", config.error().text.c_str());
    return cli::kExitUsage;
  }
  if (auto logging = log::start(config->text("log.level")); !logging) {
    std::fprintf(stderr, "sluice: %s\n", logging.error().text.c_str());
    return cli::kExitUsage;
  }
  std::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit();
  int exit_code = cli::kExitFailed;
  Runtime runtime(runtime_options(*config));
  Process process(runtime, std::move(*config));
  spawn(runtime.loop(0), run_process(&runtime, &process, &exit_code));
  runtime.run();
  return exit_code;
}

}  // namespace sluice::apps
