#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/crash/ledger.hpp"
#include "tests/crash/load.hpp"
#include "tests/crash/server_process.hpp"
#include "tests/crash/server_view.hpp"
#include "tests/crash/settings.hpp"
#include "tests/crash/store_view.hpp"
#include "tests/crash/work_directory.hpp"

/// \file
/// kill -9, again and again. SLUICE_CRASH_KILLS: how often (20). SLUICE_CRASH_SEED: chooses the
/// moments; printed, and another one each time if not set. The same seed gives the same plan, not
/// the same interleaving.

namespace sluice::crash {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int kKillsDefault = 20;
/// Kills that one store goes through before a fresh one bounds the size.
constexpr int kKillsPerStore = 10;
constexpr milliseconds kLoadMin{50};
constexpr milliseconds kLoadMax{400};
/// A start on a small store takes about so long.
constexpr milliseconds kStartMax{30};
constexpr milliseconds kStopMax{30};
/// One in so many servers is killed while it starts, and one while it stops.
constexpr unsigned kOneInStarts = 3;
constexpr unsigned kOneInStops = 5;
/// What a store may keep where old messages are forgotten, and the least it must: the engine may
/// count its spare segments, indexes and checkpoint, and forgets whole segments.
constexpr std::uint64_t kRetentionBytes = std::uint64_t{16} * 1024 * 1024;
constexpr std::uint64_t kKeptBytesMin = kRetentionBytes / 4;

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

/// One store, over several kills.
class Store {
 public:
  Store(Forgetting forgetting, std::mt19937_64& random)
      : forgetting_(forgetting), random_(random) {}

  /// Starts a server, checks what it serves, loads it, kills it, and checks what it left.
  void survive_kill(int kill) {
    if (random_() % kOneInStarts == 0) kill_at_start(kill);
    ServerProcess server(options_of(kill));
    if (!server.wait_until_ready()) {
      ADD_FAILURE() << "the server does not start any more";
      return;
    }
    check_served(server.port("remoting"));
    if (testing::Test::HasFailure()) return;
    load_and_kill(server);
    check_left();
  }

  /// Ends it in peace, after which everything must be there too.
  void end_in_peace() {
    ServerProcess server(options_of(0));
    ASSERT_TRUE(server.wait_until_ready());
    check_served(server.port("remoting"));
    EXPECT_EQ(server.terminate(), 0);
    check_left();
  }

  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }

 private:
  [[nodiscard]] ServerOptions options_of(int kill) const {
    ServerOptions options;
    options.program = SLUICE_PROGRAM;
    options.data = directory_.data();
    options.settings = {fmt::format("storage.durability={}", kill % 2 == 0 ? "buffered" : "synced"),
                        fmt::format("storage.log.segment_bytes={}", kSegmentBytes)};
    if (forgetting_ == Forgetting::by_size) {
      options.settings.push_back(fmt::format("retention.bytes={}", kRetentionBytes));
      options.settings.emplace_back("retention.check_interval=100ms");
    }
    return options;
  }

  /// Waits: the moment of the kill is what this test is about.
  void let_pass(milliseconds min, milliseconds max) {
    std::uniform_int_distribution<std::int64_t> micros(min.count() * 1000, max.count() * 1000);
    std::this_thread::sleep_for(std::chrono::microseconds(micros(random_)));
  }

  void kill_at_start(int kill) {
    ServerProcess server(options_of(kill));
    let_pass(milliseconds(0), kStartMax);
    server.kill();
  }

  void load_and_kill(ServerProcess& server) {
    Load load(server.port("remoting"), ledger_);
    let_pass(kLoadMin, kLoadMax);
    const bool was_running = server.is_running();
    if (random_() % kOneInStops == 0) {
      load.expect_refusals();
      server.ask_to_end();
      let_pass(milliseconds(0), kStopMax);
    }
    server.kill();
    if (!was_running) ledger_.report("the server has ended by itself under load");
  }

  /// The log as the kill left it, read from a copy: the next server recovers the original itself.
  void check_left() {
    const fs::path copy = directory_.path() / "copy";
    fs::remove_all(copy);
    fs::create_directories(copy);
    if (fs::exists(directory_.store())) {
      fs::copy(directory_.store(), copy, fs::copy_options::recursive);
    }
    Problems problems;
    log_ = read_store(copy, ledger_.issued(), problems);
    ledger_.compare(log_, forgetting_, problems);
    const bool has_forgotten = log_.queues[0].first > 0;
    if (has_forgotten && log_.payload_bytes < kKeptBytesMin) {
      problems.add(fmt::format("only {} bytes of messages are kept of {} allowed",
                               log_.payload_bytes, kRetentionBytes));
    }
    if (!problems.empty()) {
      ADD_FAILURE() << "the store after the kill:\n" << problems.to_string();
      return;
    }
    fs::remove_all(copy);
  }

  void check_served(std::uint16_t port) {
    Problems problems;
    compare_with_server(log_, port, forgetting_, problems);
    if (!problems.empty()) {
      ADD_FAILURE() << "the server after the restart:\n" << problems.to_string();
    }
  }

  WorkDirectory directory_;
  Forgetting forgetting_;
  std::mt19937_64& random_;
  Ledger ledger_;
  StoreView log_;
};

struct Totals {
  std::uint64_t acknowledged = 0;
  std::uint64_t delivered = 0;
  std::uint64_t commits = 0;

  void add(const Ledger& ledger) {
    acknowledged += ledger.count(Evidence::acknowledged);
    delivered += ledger.count(Evidence::delivered);
    commits += ledger.commits();
  }
};

TEST(Kill, LosesNothingThatWasAcknowledgedDeliveredOrCommitted) {
  const auto kills = static_cast<int>(number_from("SLUICE_CRASH_KILLS", kKillsDefault));
  const std::uint64_t seed = number_from("SLUICE_CRASH_SEED", std::random_device{}());
  std::printf("SLUICE_CRASH_SEED=%llu SLUICE_CRASH_KILLS=%d\n",
              static_cast<unsigned long long>(seed), kills);
  std::fflush(stdout);
  std::mt19937_64 random(seed);
  std::unique_ptr<Store> store;
  Totals totals;
  for (int kill = 0; kill < kills; ++kill) {
    SCOPED_TRACE(fmt::format("seed {}, kill {} of {}", seed, kill + 1, kills));
    if (kill % kKillsPerStore == 0) {
      const bool forgets = kill / kKillsPerStore % 2 == 1;
      store = std::make_unique<Store>(forgets ? Forgetting::by_size : Forgetting::never, random);
    }
    store->survive_kill(kill);
    const bool is_last = (kill + 1) % kKillsPerStore == 0 || kill + 1 == kills;
    if (is_last && !HasFailure()) store->end_in_peace();
    if (HasFailure()) return;
    if (is_last) totals.add(store->ledger());
  }
  std::printf("%d kills: %llu messages acknowledged, %llu delivered, %llu offsets committed\n",
              kills, static_cast<unsigned long long>(totals.acknowledged),
              static_cast<unsigned long long>(totals.delivered),
              static_cast<unsigned long long>(totals.commits));
  // Otherwise the kills came before anything was at stake.
  EXPECT_GT(totals.acknowledged, static_cast<std::uint64_t>(kills) * 100);
  EXPECT_GT(totals.delivered, static_cast<std::uint64_t>(kills) * 10);
  EXPECT_GT(totals.commits, static_cast<std::uint64_t>(kills));
}

}  // namespace
}  // namespace sluice::crash
