#include "nameserver/name_server.hpp"

#include <mutex>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/log.hpp"
#include "nameserver/silent_stream.hpp"

namespace sluice::nameserver {

NameServer::NameServer(Runtime& runtime, NameServerOptions options)
    : runtime_(runtime),
      session_ids_(runtime.environment()),
      scan_(runtime, runtime.loop(0), options.scan_interval, [this] { expire(); }) {}

Task<model::Reply> NameServer::handle(model::CallContext context, model::Command command) {
  co_return answer(context, command);
}

Result<model::Reply> NameServer::answer(const model::CallContext& context,
                                        const model::Command& command) {
  return std::visit(
      [&](const auto& request) -> Result<model::Reply> {
        if constexpr (requires { serve(context, request); }) {
          return serve(context, request);
        } else {
          return fail(Errc::unsupported, "a name server does not serve this request");
        }
      },
      command);
}

Result<model::Reply> NameServer::serve(const model::CallContext& context,
                                       const model::RegisterBroker& registration) {
  const model::SessionId session = context.session ? context.session->id : model::SessionId{};
  const auto now = runtime_.environment().steady_now();
  Result<> registered;
  {
    const std::lock_guard lock(mutex_);
    registered = table_.register_broker(registration, session, now);
  }
  if (!registered) {
    log::warn("name server: refused broker \"{}\" at \"{}\": {}", registration.broker_name,
              registration.address, describe(registered.error()));
    return fail(std::move(registered).error());
  }
  return model::Acknowledged{};
}

Result<model::Reply> NameServer::serve(const model::CallContext& /*context*/,
                                       const model::UnregisterBroker& broker) {
  const std::lock_guard lock(mutex_);
  table_.unregister_broker(broker);
  return model::Acknowledged{};
}

Result<model::Reply> NameServer::serve(const model::CallContext& /*context*/,
                                       const model::QueryRoute& query) {
  const std::shared_lock lock(mutex_);
  auto route = table_.route(query.topic);
  SLUICE_TRY(route);
  return model::RouteReply{std::move(*route)};
}

Result<model::Reply> NameServer::serve(const model::CallContext& /*context*/,
                                       const model::QueryCluster& /*query*/) {
  const std::shared_lock lock(mutex_);
  return model::ClusterReply{table_.brokers()};
}

Result<model::Reply> NameServer::serve(const model::CallContext& /*context*/,
                                       const model::QueryTopics& query) {
  const std::shared_lock lock(mutex_);
  return model::TopicsReply{query.topic.empty() ? table_.topics() : table_.topics(query.topic)};
}

Result<model::Reply> NameServer::serve(const model::CallContext& /*context*/,
                                       const model::DeleteTopic& remove) {
  const std::lock_guard lock(mutex_);
  table_.delete_topic(remove.topic);
  return model::Acknowledged{};
}

Task<std::vector<Result<model::SendReply>>> NameServer::send(model::CallContext /*context*/,
                                                             std::vector<model::Send> sends) {
  co_return std::vector<Result<model::SendReply>>(
      sends.size(), fail(Errc::unsupported, "a name server takes no messages"));
}

std::unique_ptr<protocol::DeliveryStream> NameServer::attach(model::CallContext /*context*/) {
  return std::make_unique<SilentStream>();
}

Task<model::WatchReply> NameServer::watch(model::CallContext /*context*/, model::Watch /*watch*/) {
  co_return fail(Errc::unsupported, "a name server has no sessions to watch");
}

model::SessionId NameServer::next_session_id() noexcept {
  return session_ids_.next();
}

void NameServer::session_closed(model::SessionId session, model::SessionId /*via*/) noexcept {
  const std::lock_guard lock(mutex_);
  table_.close(session);
}

void NameServer::expire() {
  std::vector<std::string> gone;
  {
    const std::lock_guard lock(mutex_);
    gone = table_.expire(runtime_.environment().steady_now());
  }
  for (const std::string& address : gone) {
    log::warn("name server: the broker at \"{}\" has been silent too long and is dropped", address);
  }
}

}  // namespace sluice::nameserver
