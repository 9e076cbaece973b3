#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "tests/crash/ledger.hpp"

namespace sluice::crash {

/// Producers and consumers of kTopic, each a thread with a connection of its own: sends with
/// pipelining, client batches, pulls that wait, and progress of consumers. What the server
/// promises goes into the ledger. Runs until the server is gone.
class Load {
 public:
  /// `ledger` outlives the load.
  Load(std::uint16_t port, Ledger& ledger);

  /// Waits for the threads: kill the server first.
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  /// From now on the server may refuse: it was told to end.
  void expect_refusals() noexcept { may_refuse_ = true; }

 private:
  void start(std::function<void()> work);

  std::atomic<bool> may_refuse_{false};
  std::vector<std::thread> threads_;
};

}  // namespace sluice::crash
