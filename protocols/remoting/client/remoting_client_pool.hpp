#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/text_hash.hpp"
#include "common/runtime/runtime.hpp"
#include "protocols/remoting/client/remoting_client.hpp"

namespace sluice::remoting {

/// One connection for each loop and server, so that nobody changes threads to ask something. Safe
/// from any loop.
class RemotingClientPool {
 public:
  /// `runtime` outlives the pool.
  explicit RemotingClientPool(Runtime& runtime, RemotingClientOptions options = {});

  /// The client of `executor`'s loop for `address` (`host:port`). Call it on that loop.
  [[nodiscard]] std::shared_ptr<RemotingClient> get(Executor executor, std::string_view address);

  /// Whether a client of `executor`'s loop was never connected. Call it on that loop.
  [[nodiscard]] bool has_unreached(Executor executor);

  /// Closes all clients, writing out what waits. Requests on them, and on clients that are got
  /// later, fail. Once.
  Task<> close();

 private:
  /// On its loop only.
  struct PerLoop {
    std::unordered_map<std::string, std::shared_ptr<RemotingClient>, TextHash, std::equal_to<>>
        clients;
    bool is_closed = false;
  };

  [[nodiscard]] PerLoop& of(Executor executor) noexcept;
  Task<> close_loop(PerLoop* per_loop);

  Runtime& runtime_;
  RemotingClientOptions options_;
  std::vector<std::unique_ptr<PerLoop>> loops_;
};

}  // namespace sluice::remoting
