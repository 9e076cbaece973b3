#pragma once

#include <chrono>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "common/base/limits.hpp"
#include "common/model/session_ids.hpp"
#include "common/runtime/periodic.hpp"
#include "common/runtime/runtime.hpp"
#include "nameserver/route_table.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::nameserver {

struct NameServerOptions {
  /// How often silent brokers are looked for.
  std::chrono::milliseconds scan_interval = limits::kBrokerScanInterval;
};

/// Tells clients where topics are. Holds what brokers registered, and nothing else: it starts
/// empty, and is whole again once every broker has registered anew.
///
/// Serves RegisterBroker, UnregisterBroker, QueryRoute, QueryCluster, QueryTopics, and DeleteTopic,
/// which only forgets routes. Everything else: unsupported.
class NameServer final : public protocol::RequestHandler {
 public:
  explicit NameServer(Runtime& runtime, NameServerOptions options = {});

  Task<model::Reply> handle(model::CallContext context, model::Command command) override;
  Task<std::vector<Result<model::SendReply>>> send(model::CallContext context,
                                                   std::vector<model::Send> sends) override;
  std::unique_ptr<protocol::DeliveryStream> attach(model::CallContext context) override;
  Task<model::WatchReply> watch(model::CallContext context, model::Watch watch) override;
  [[nodiscard]] model::SessionId next_session_id() noexcept override;

  /// A broker lives as long as the connection it registered through.
  void session_closed(model::SessionId session, model::SessionId via) noexcept override;

 private:
  [[nodiscard]] Result<model::Reply> answer(const model::CallContext& context,
                                            const model::Command& command);
  [[nodiscard]] Result<model::Reply> serve(const model::CallContext& context,
                                           const model::RegisterBroker& registration);
  [[nodiscard]] Result<model::Reply> serve(const model::CallContext& context,
                                           const model::UnregisterBroker& broker);
  [[nodiscard]] Result<model::Reply> serve(const model::CallContext& context,
                                           const model::QueryRoute& query);
  [[nodiscard]] Result<model::Reply> serve(const model::CallContext& context,
                                           const model::QueryCluster& query);
  [[nodiscard]] Result<model::Reply> serve(const model::CallContext& context,
                                           const model::QueryTopics& query);
  [[nodiscard]] Result<model::Reply> serve(const model::CallContext& context,
                                           const model::DeleteTopic& remove);
  void expire();

  Runtime& runtime_;
  model::SessionIds session_ids_;
  std::shared_mutex mutex_;  ///< For table_.
  RouteTable table_;
  Periodic scan_;  ///< Last: it uses the members above.
};

}  // namespace sluice::nameserver
