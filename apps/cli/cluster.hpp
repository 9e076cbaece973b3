#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/console.hpp"
#include "common/model/route.hpp"
#include "common/runtime/runtime.hpp"
#include "protocols/remoting/client/broker_client.hpp"
#include "protocols/remoting/client/name_server_client.hpp"
#include "protocols/remoting/client/remoting_client_pool.hpp"

namespace sluice::cli {

/// One queue of a topic and where it is.
struct QueuePlace {
  std::string broker_name;
  std::string address;  ///< `host:port` of the broker that takes messages.
  std::int32_t queue = 0;
};

/// The queues of a route that have `permission` (model::permission), by broker name and number;
/// those of brokers without a leader are left out.
[[nodiscard]] std::vector<QueuePlace> queues_of(const model::Route& route, std::int32_t permission);

/// `a:1,b:2` or `a:1;b:2`, as RocketMQ's tools have it.
[[nodiscard]] std::vector<std::string> split_addresses(std::string_view text);

/// What a command talks to: name servers and the brokers they name. On one loop.
class Cluster {
 public:
  Cluster(Runtime& runtime, std::vector<std::string> name_servers);

  [[nodiscard]] Runtime& runtime() noexcept { return runtime_; }
  [[nodiscard]] remoting::NameServerClient& name_server() noexcept { return name_server_; }

  /// How to ask the broker at `address`. On the loop.
  [[nodiscard]] remoting::BrokerRequest broker(std::string_view address);

  /// Whether a server that was asked took no connection. On the loop.
  [[nodiscard]] bool has_unreached() { return pool_.has_unreached(runtime_.loop(0)); }

  Task<> close() { return pool_.close(); }

 private:
  Runtime& runtime_;
  remoting::RemotingClientPool pool_;
  remoting::NameServerClient name_server_;
};

/// What to do if a name server knows no broker at all.
[[nodiscard]] Error no_broker();

/// \return no_broker() if that is so: then a missing route says nothing about the topic. A gateway
///         answers for routes only, and is taken to have a broker.
Task<> check_has_brokers(Cluster* cluster);

/// Runs `command` on a loop of its own until it ends; prints its error.
/// \return the exit code.
[[nodiscard]] int run_on_cluster(const Console& console, const std::string& name_servers,
                                 const std::function<Task<>(Cluster*)>& command);

}  // namespace sluice::cli
