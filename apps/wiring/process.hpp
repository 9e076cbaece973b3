#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/broker.hpp"
#include "broker/cluster/registrar.hpp"
#include "common/config/config.hpp"
#include "common/runtime/runtime.hpp"
#include "gateway/gateway.hpp"
#include "nameserver/name_server.hpp"
#include "protocols/remoting/client/remoting_client_pool.hpp"
#include "protocols/spi/protocol_plugin.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::apps {

/// All parts of one running process, wired as its role says. The only place that knows every name.
class Process {
 public:
  /// `runtime` outlives the process.
  Process(Runtime& runtime, config::Config config);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Starts everything, on loop 0. On failure nothing serves, and stop() is still to be called.
  Task<> start();

  /// What is served and where, as the JSON of the ready line.
  [[nodiscard]] std::string describe_listeners() const;

  /// Drains and ends everything that start() began, in the opposite order. On loop 0, once.
  Task<> stop();

 private:
  struct Named {
    std::string name;
    std::string bind_address;
    std::unique_ptr<protocol::Listener> listener;
  };

  [[nodiscard]] bool is(config::Role role) const noexcept { return config_.role() == role; }
  [[nodiscard]] bool stores() const noexcept {
    return is(config::Role::standalone) || is(config::Role::broker);
  }

  Result<> choose_ports();
  Result<> open_name_server();
  Task<> open_engine();
  Task<> open_broker();
  void make_gateway();
  void make_registrar();
  Result<> start_listeners();
  Result<> start_listener(const std::string& name, protocol::ListenerOptions options);
  void start_vip(protocol::ListenerOptions options);
  [[nodiscard]] protocol::RequestHandler& handler_of(std::string_view listener) noexcept;
  [[nodiscard]] model::Endpoint advertised() const;

  Runtime& runtime_;
  config::Config config_;
  std::uint16_t remoting_port_ = 0;
  std::unique_ptr<remoting::RemotingClientPool> clients_;
  std::unique_ptr<nameserver::NameServer> name_server_;
  storage::PositionCounter positions_;
  std::unique_ptr<storage::StoragePlugin> storage_plugin_;
  std::unique_ptr<storage::StorageEngine> engine_;
  std::unique_ptr<broker::Broker> broker_;
  std::unique_ptr<broker::Registrar> registrar_;
  std::unique_ptr<gateway::Gateway> gateway_;
  std::vector<std::unique_ptr<protocol::ProtocolPlugin>> plugins_;
  std::vector<Named> listeners_;
};

}  // namespace sluice::apps
