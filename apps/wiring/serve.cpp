#include "apps/wiring/serve.hpp"

#include <sys/resource.h>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
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

/// Starts, says so, waits for a signal, stops.
Task<> run_process(Runtime* runtime, Process* process, int* exit_code) {
  boost::asio::basic_signal_set<Executor> signals(runtime->loop(0), SIGTERM, SIGINT);
  auto started = co_await process->start();
  if (started) {
    std::printf("ready %s\n", process->describe_listeners().c_str());
    std::fflush(stdout);
    const int signal = co_await signals.async_wait(kAwait);
    log::info("{}: draining", signal == SIGTERM ? "SIGTERM" : "SIGINT");
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
