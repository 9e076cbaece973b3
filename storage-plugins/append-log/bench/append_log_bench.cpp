// What one event loop gets out of the engine: commits and reads a second, and processor time each.
//
//     sluice_append_log_bench DIRECTORY [SECONDS]
//
// DIRECTORY must not hold a store; it is left behind with what was written.

#include <sys/resource.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/base/unique_function.hpp"
#include "common/runtime/runtime.hpp"
#include "common/runtime/spawn.hpp"
#include "storage-plugins/append-log/plugin.hpp"

namespace {

using namespace sluice;  // NOLINT(google-build-using-namespace): a program of one file
using namespace sluice::storage;

constexpr std::uint64_t kLogs = 8;

struct Load {
  StorageEngine* engine = nullptr;
  Environment* environment = nullptr;
  Environment::Instant end{};
  std::size_t payload_bytes = 1024;
  std::size_t records_per_commit = 1;
  Durability durability = Durability::buffered;
  std::uint64_t commits = 0;
  int running = 0;
  UniqueFunction<void(int)> on_end;
};

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string memory_in_use() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("RssAnon")) return line;
  }
  return "";
}

void print(const char* what, std::uint64_t count, double seconds, double processor) {
  const auto n = static_cast<double>(count);
  std::printf("%-44s %10.0f /s  %8.2f us CPU each\n", what, n / seconds, processor * 1e6 / n);
  std::fflush(stdout);
}

Task<> commit_until_the_end(Load* load, std::uint64_t id) {
  const Slice payload = Slice::copy_of(std::string(load->payload_bytes, 'x'));
  ++load->running;
  while (load->environment->steady_now() < load->end) {
    WriteBatch batch;
    for (std::size_t i = 0; i < load->records_per_commit; ++i) {
      NewRecord record;
      record.logs.push_back(LogId{1 + id % kLogs});
      record.payload = payload;
      batch.append(std::move(record));
    }
    const auto receipt = co_await load->engine->commit(std::move(batch), load->durability);
    if (!receipt) {
      std::fprintf(stderr, "%s\n", describe(receipt.error()).c_str());
      std::abort();
    }
    ++load->commits;
  }
  if (--load->running == 0) load->on_end(0);
  co_return Result<>{};
}

/// Runs `count` committers on one loop for `seconds`.
class Committers {
 public:
  Committers(Runtime& runtime, StorageEngine& engine) : runtime_(runtime), engine_(engine) {}

  Task<> run(const char* what, Load load, int count, double seconds) {
    load.engine = &engine_;
    load.environment = &runtime_.environment();
    load_ = std::move(load);
    const auto begin = runtime_.environment().steady_now();
    load_.end = begin + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
    const double processor_begin = processor_seconds();
    bool is_over = false;
    load_.on_end = [&is_over](int) { is_over = true; };
    for (int i = 0; i < count; ++i) {
      spawn(runtime_.loop(0), commit_until_the_end(&load_, static_cast<std::uint64_t>(i)));
    }
    while (!is_over) {
      const auto slept = co_await sleep_for(runtime_, std::chrono::milliseconds(20));
      static_cast<void>(slept);
    }
    const std::chrono::duration<double> took = runtime_.environment().steady_now() - begin;
    print(what, load_.commits * load_.records_per_commit, took.count(),
          processor_seconds() - processor_begin);
    co_return Result<>{};
  }

 private:
  Runtime& runtime_;
  StorageEngine& engine_;
  Load load_;
};

/// Pulls 32 records at a time from the logs in turn, from `from` on, `rounds` times.
Task<> pull(Runtime* runtime, StorageEngine* engine, const char* what, bool from_the_first,
            std::uint64_t rounds) {
  std::vector<Offset> cursors;
  for (std::uint64_t log = 1; log <= kLogs; ++log) {
    const auto bounds = co_await engine->bounds(LogId{log});
    const Offset near_end{std::max(bounds->first.value, bounds->next.value - 2000)};
    cursors.push_back(from_the_first ? bounds->first : near_end);
  }
  const std::vector<Offset> begins = cursors;
  const auto begin = runtime->environment().steady_now();
  const double processor_begin = processor_seconds();
  std::uint64_t pulls = 0;
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const std::uint64_t log = i % kLogs;
    const auto result = co_await engine->read(LogId{1 + log}, cursors[log], ReadLimits{}, {});
    if (!result) {
      std::fprintf(stderr, "%s\n", describe(result.error()).c_str());
      std::abort();
    }
    for (const Record& record : result->records) bytes += record.payload.size();
    cursors[log] = result->records.size() < 32 ? begins[log] : result->next;
    ++pulls;
  }
  const std::chrono::duration<double> took = runtime->environment().steady_now() - begin;
  print(what, pulls, took.count(), processor_seconds() - processor_begin);
  if (bytes == 0) std::printf("nothing was read\n");
  co_return Result<>{};
}

Task<std::unique_ptr<StorageEngine>> open(Runtime* runtime, PositionCounter* positions,
                                          std::filesystem::path directory) {
  EngineOptions options;
  options.data_directory = std::move(directory);
  options.runtime = runtime;
  options.positions = positions;
  options.disk = &runtime->disk();
  const auto plugin = append_log::make_plugin();
  const auto begin = runtime->environment().steady_now();
  auto engine = co_await plugin->open(options);
  const std::chrono::duration<double, std::milli> took =
      runtime->environment().steady_now() - begin;
  std::printf("open: %.2f ms, %s\n", took.count(), memory_in_use().c_str());
  co_return engine;
}

Task<> run_all(Runtime* runtime, PositionCounter* positions, std::filesystem::path directory,
               double seconds) {
  auto opened = co_await open(runtime, positions, directory);
  if (!opened) {
    std::fprintf(stderr, "%s\n", describe(opened.error()).c_str());
    std::abort();
  }
  std::unique_ptr<StorageEngine> engine = *std::move(opened);
  Committers committers(*runtime, *engine);
  Load one;
  auto ran = co_await committers.run("1 KiB, buffered, 64 committers", std::move(one), 64, seconds);
  Load batches;
  batches.records_per_commit = 32;
  ran = co_await committers.run("32 x 1 KiB a commit, buffered, 64 committers", std::move(batches),
                                64, seconds / 2);
  Load small;
  small.records_per_commit = 32;
  small.payload_bytes = 128;
  ran = co_await committers.run("32 x 128 B a commit, buffered, 64 committers", std::move(small),
                                64, seconds / 2);
  Load synced;
  synced.durability = Durability::synced;
  ran = co_await committers.run("1 KiB, synced, 64 committers", std::move(synced), 64, seconds);
  Load alone;
  ran = co_await committers.run("1 KiB, buffered, 1 committer", std::move(alone), 1, seconds / 2);
  Load again;
  ran = co_await committers.run("1 KiB, buffered, 64 committers, again", std::move(again), 64,
                                seconds / 2);
  ran = co_await pull(runtime, engine.get(), "pull 32 x 1 KiB at the tail", false, 200'000);
  std::printf("%s\n", memory_in_use().c_str());
  ran = co_await pull(runtime, engine.get(), "pull 32 records from the first on", true, 100'000);
  std::printf("%s\n", memory_in_use().c_str());
  ran = co_await engine->close();
  engine.reset();
  opened = co_await open(runtime, positions, directory);
  engine = *std::move(opened);
  ran = co_await pull(runtime, engine.get(), "the same after opening anew", true, 100'000);
  ran = co_await engine->close();
  engine.reset();
  runtime->stop();
  co_return Result<>{};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s DIRECTORY [SECONDS]\n", argv[0]);
    return 2;
  }
  const double seconds = argc > 2 ? std::atof(argv[2]) : 3;
  Runtime runtime(Runtime::Options{});
  PositionCounter positions(1);
  spawn(runtime.loop(0), run_all(&runtime, &positions, argv[1], seconds));
  runtime.run();
}
