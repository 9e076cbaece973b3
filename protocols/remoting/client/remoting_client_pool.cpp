#include "protocols/remoting/client/remoting_client_pool.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "common/runtime/join.hpp"

namespace sluice::remoting {

namespace {

/// A client that was closed before it was used: every request on it fails.
std::shared_ptr<RemotingClient> closed(std::shared_ptr<RemotingClient> client) {
  client->close_now();
  return client;
}

}  // namespace

RemotingClientPool::RemotingClientPool(Runtime& runtime, RemotingClientOptions options)
    : runtime_(runtime), options_(std::move(options)) {
  for (std::uint32_t i = 0; i < runtime.loop_count(); ++i) {
    loops_.push_back(std::make_unique<PerLoop>());
  }
}

RemotingClientPool::PerLoop& RemotingClientPool::of(Executor executor) noexcept {
  for (std::uint32_t i = 0; i < runtime_.loop_count(); ++i) {
    if (runtime_.loop(i) == executor) return *loops_[i];
  }
  SLUICE_ASSERT(false, "the executor is one of this runtime's loops");
  return *loops_[0];
}

std::shared_ptr<RemotingClient> RemotingClientPool::get(Executor executor,
                                                        std::string_view address) {
  PerLoop& per_loop = of(executor);
  const auto found = per_loop.clients.find(address);
  if (found != per_loop.clients.end()) return found->second;
  auto client = RemotingClient::make(runtime_, executor, std::string(address), options_);
  if (per_loop.is_closed) return closed(std::move(client));
  per_loop.clients.emplace(address, client);
  return client;
}

bool RemotingClientPool::has_unreached(Executor executor) {
  return std::ranges::any_of(of(executor).clients,
                             [](const auto& entry) { return entry.second->connections() == 0; });
}

Task<> RemotingClientPool::close() {
  std::vector<Task<>> tasks;
  for (std::uint32_t i = 0; i < runtime_.loop_count(); ++i) {
    tasks.push_back(run_on(runtime_.loop(i), close_loop(loops_[i].get())));
  }
  auto closed = co_await wait_for_all(std::move(tasks));
  co_return Result<>{};
}

Task<> RemotingClientPool::close_loop(PerLoop* per_loop) {
  per_loop->is_closed = true;
  std::vector<Task<>> tasks;
  for (auto& [address, client] : per_loop->clients) tasks.push_back(client->close());
  auto closed = co_await wait_for_all(std::move(tasks));
  per_loop->clients.clear();
  co_return Result<>{};
}

}  // namespace sluice::remoting
