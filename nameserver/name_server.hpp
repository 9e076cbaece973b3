#pragma once

#include <chrono>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "common/base/limits.hpp"
#include "common/model/session_ids.hpp"
#include "common/runtime/periodic.hpp"
#include "common/runtime/runtime.hpp"
#include "nameserver/access.hpp"
#include "nameserver/config_store.hpp"
#include "nameserver/route_table.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::nameserver {

struct NameServerOptions {
  /// How often silent brokers are looked for.
  std::chrono::milliseconds scan_interval = limits::kBrokerScanInterval;
  /// Where KV configuration and changed settings are kept. Empty: nowhere.
  std::filesystem::path data_directory = {};
};

/// Tells clients where topics are. Of routes it holds what brokers registered, and nothing else: it
/// starts without any, and is whole again once every broker has registered anew. It knows of no
/// other name server.
///
/// Serves RegisterBroker, UnregisterBroker, QueryRoute, QueryCluster, QueryTopics and every
/// NameServerCommand. Everything else: unsupported.
class NameServer final : public protocol::RequestHandler {
 public:
  explicit NameServer(Runtime& runtime, NameServerOptions options = {},
                      std::unique_ptr<Authorizer> authorizer = std::make_unique<AllowAll>());

  /// Takes what NameServerOptions::data_directory keeps. Blocks. Once, before the first request.
  /// \return as ConfigStore::keep_in().
  Result<> open();

  Task<model::Reply> handle(model::CallContext context, model::Command command) override;
  Task<std::vector<Result<model::SendReply>>> send(model::CallContext context,
                                                   std::vector<model::Send> sends) override;
  std::unique_ptr<protocol::DeliveryStream> attach(model::CallContext context) override;
  Task<model::WatchReply> watch(model::CallContext context, model::Watch watch) override;
  [[nodiscard]] model::SessionId next_session_id() noexcept override;

  /// A broker lives as long as the connection it registered through.
  void session_closed(model::SessionId session, model::SessionId via) noexcept override;

 private:
  using Answer = Result<model::Reply>;

  /// Runs `change` on what is kept.
  Task<model::Reply> change(std::function<Result<>(KeptConfig&)> change);

  // One for each command, by the type of its argument; unsupported for what has none.
  template <class Request>
  [[nodiscard]] Answer answer(const model::CallContext& context, const Request& request);
  [[nodiscard]] Answer serve(const model::CallContext& context,
                             const model::RegisterBroker& registration);
  [[nodiscard]] Answer serve(const model::UnregisterBroker& broker);
  [[nodiscard]] Answer serve(const model::QueryRoute& query);
  [[nodiscard]] Answer serve(const model::QueryCluster& query);
  [[nodiscard]] Answer serve(const model::QueryTopics& query);
  [[nodiscard]] Answer serve(const model::GetKv& query);
  [[nodiscard]] Answer serve(const model::ListKv& query);
  [[nodiscard]] Answer serve(const model::ListKvNamespaces& query);
  [[nodiscard]] Answer serve(const model::FindKvKeys& query);
  [[nodiscard]] Answer serve(const model::QueryBrokerVersion& query);
  [[nodiscard]] Answer serve(const model::BrokerHeartbeat& heartbeat);
  [[nodiscard]] Answer serve(const model::QueryBrokerGroup& query);
  [[nodiscard]] Answer serve(const model::SetWritePermission& change);
  [[nodiscard]] Answer serve(const model::ListTopicNames& query);
  [[nodiscard]] Answer serve(const model::ForgetTopic& topic);
  [[nodiscard]] Answer serve(const model::RegisterTopic& topic);
  [[nodiscard]] Answer serve(const model::QuerySettings& query);
  void expire();

  Runtime& runtime_;
  NameServerOptions options_;
  std::unique_ptr<Authorizer> authorizer_;
  model::SessionIds session_ids_;
  std::shared_ptr<ConfigStore> config_;
  std::shared_mutex mutex_;  ///< For table_.
  RouteTable table_;
  Periodic scan_;  ///< Last: it uses the members above.
};

}  // namespace sluice::nameserver
