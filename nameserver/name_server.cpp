#include "nameserver/name_server.hpp"

#include <mutex>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/log.hpp"
#include "nameserver/silent_stream.hpp"

namespace sluice::nameserver {

namespace {

Task<model::Reply> refuse(Error error) {
  co_return fail(std::move(error));
}

Error switched_off(std::string_view setting) {
  return {Errc::conflict,
          "disable: this name server lists no topics while " + std::string(setting) + " is false"};
}

}  // namespace

NameServer::NameServer(Runtime& runtime, NameServerOptions options,
                       std::unique_ptr<Authorizer> authorizer)
    : runtime_(runtime),
      options_(std::move(options)),
      authorizer_(std::move(authorizer)),
      session_ids_(runtime.environment()),
      config_(std::make_shared<ConfigStore>(runtime)),
      scan_(runtime, runtime.loop(0), options_.scan_interval, [this] { expire(); }) {}

Result<> NameServer::open() {
  if (options_.data_directory.empty()) return {};
  return config_->keep_in(options_.data_directory);
}

// --- what is asked ---------------------------------------------------------------------------

Task<model::Reply> NameServer::handle(model::CallContext context, model::Command command) {
  auto authorized = authorizer_->authorize(context, access_of(command));
  if (!authorized) return refuse(std::move(authorized).error());
  if (auto* const asked = std::get_if<model::NameServerCommand>(&command)) {
    if (auto* const entry = std::get_if<model::PutKv>(asked)) {
      return change([entry = std::move(*entry)](KeptConfig& config) { return config.put(entry); });
    }
    if (auto* const entry = std::get_if<model::DeleteKv>(asked)) {
      return change([entry = std::move(*entry)](KeptConfig& config) {
        config.erase(entry);
        return Result<>{};
      });
    }
    if (auto* const update = std::get_if<model::UpdateSettings>(asked)) {
      return change([settings = std::move(update->settings)](KeptConfig& config) {
        return config.update(settings);
      });
    }
  }
  auto reply = [](Answer answered) -> Task<model::Reply> { co_return std::move(answered); };
  return reply(answer(context, command));
}

Task<model::Reply> NameServer::change(std::function<Result<>(KeptConfig&)> change) {
  auto changed = co_await ConfigStore::change(config_, std::move(change));
  SLUICE_CO_TRY(changed);
  co_return model::Acknowledged{};
}

template <class Request>
NameServer::Answer NameServer::answer(const model::CallContext& context, const Request& request) {
  if constexpr (requires { std::variant_size<Request>::value; }) {
    return std::visit([&](const auto& one) { return answer(context, one); }, request);
  } else if constexpr (requires { serve(context, request); }) {
    return serve(context, request);
  } else if constexpr (requires { serve(request); }) {
    return serve(request);
  } else {
    return fail(Errc::unsupported, "a name server does not serve this request");
  }
}

// --- brokers ---------------------------------------------------------------------------------

NameServer::Answer NameServer::serve(const model::CallContext& context,
                                     const model::RegisterBroker& registration) {
  const model::SessionId session = context.session ? context.session->id : model::SessionId{};
  const auto now = runtime_.environment().steady_now();
  const auto config = config_->current();
  const auto unnamed = config->settings().forget_unregistered ? RouteTable::Unnamed::forgotten
                                                              : RouteTable::Unnamed::kept;
  Result<> registered;
  model::RegisteredReply reply;
  {
    const std::lock_guard lock(mutex_);
    registered = table_.register_broker(registration, session, now, unnamed);
    if (registered) reply = table_.leader_of(registration.broker_name, registration.broker_id);
  }
  if (!registered) {
    // Not the names: a peer may put anything there, at any length.
    log::warn("name server: refused a broker: {}", describe(registered.error()));
    return fail(std::move(registered).error());
  }
  const model::TextMap* const order_topics = config->find(model::kOrderTopicNamespace);
  if (config->settings().return_order_topics && order_topics != nullptr) {
    reply.order_topics = *order_topics;
  }
  return model::NameServerReply(std::move(reply));
}

NameServer::Answer NameServer::serve(const model::UnregisterBroker& broker) {
  const std::lock_guard lock(mutex_);
  table_.unregister_broker(broker);
  return model::Acknowledged{};
}

NameServer::Answer NameServer::serve(const model::QueryBrokerVersion& query) {
  const std::lock_guard lock(mutex_);
  table_.touch(query.broker, runtime_.environment().steady_now());
  const auto known = table_.version_of(query.broker);
  return model::NameServerReply(
      model::BrokerVersionReply{.is_changed = known != query.version, .known = known});
}

NameServer::Answer NameServer::serve(const model::BrokerHeartbeat& heartbeat) {
  const std::lock_guard lock(mutex_);
  table_.touch(heartbeat.broker, runtime_.environment().steady_now());
  return model::Acknowledged{};
}

NameServer::Answer NameServer::serve(const model::QueryBrokerGroup& query) {
  const std::shared_lock lock(mutex_);
  return model::NameServerReply(model::BrokerGroupReply{table_.group_of(query)});
}

NameServer::Answer NameServer::serve(const model::SetWritePermission& change) {
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    count = table_.set_write_permission(change);
  }
  log::info("name server: write permission of {} topics of broker \"{}\" {}", count,
            change.broker_name,
            change.permission == model::WritePermission::wiped ? "wiped" : "granted");
  return model::NameServerReply(model::CountReply{static_cast<std::int64_t>(count)});
}

NameServer::Answer NameServer::serve(const model::QueryCluster& /*query*/) {
  const std::shared_lock lock(mutex_);
  return model::ClusterReply{table_.brokers()};
}

// --- topics ----------------------------------------------------------------------------------

NameServer::Answer NameServer::serve(const model::QueryRoute& query) {
  const auto config = config_->current();
  const auto acting =
      config->settings().acting_leaders ? RouteTable::Acting::leaders : RouteTable::Acting::none;
  Result<model::Route> route;
  {
    const std::shared_lock lock(mutex_);
    route = table_.route(query.topic, acting);
  }
  SLUICE_TRY(route);
  if (config->settings().order_messages) {
    const std::string* const order = config->find(model::kOrderTopicNamespace, query.topic);
    if (order != nullptr) route->order_config = *order;
  }
  return model::RouteReply{std::move(*route)};
}

NameServer::Answer NameServer::serve(const model::QueryTopics& query) {
  if (query.topic.empty() && !config_->current()->settings().list_all_topics) {
    return fail(switched_off("enableAllTopicList"));
  }
  const std::shared_lock lock(mutex_);
  return model::TopicsReply{query.topic.empty() ? table_.topics() : table_.topics(query.topic)};
}

NameServer::Answer NameServer::serve(const model::ListTopicNames& query) {
  const bool is_system = query.selection == model::TopicSelection::system;
  if (!is_system && !config_->current()->settings().list_topics) {
    return fail(switched_off("enableTopicList"));
  }
  const std::shared_lock lock(mutex_);
  return model::NameServerReply(table_.names(query));
}

NameServer::Answer NameServer::serve(const model::ForgetTopic& topic) {
  const std::lock_guard lock(mutex_);
  table_.forget_topic(topic);
  return model::Acknowledged{};
}

NameServer::Answer NameServer::serve(const model::RegisterTopic& topic) {
  const std::lock_guard lock(mutex_);
  const auto registered = table_.register_topic(topic);
  SLUICE_TRY(registered);
  return model::Acknowledged{};
}

// --- configuration ---------------------------------------------------------------------------

NameServer::Answer NameServer::serve(const model::GetKv& query) {
  const auto config = config_->current();
  const std::string* const value = config->find(query.name_space, query.key);
  if (value != nullptr) return model::NameServerReply(model::TextReply{*value});
  return fail(Errc::not_found,
              "No config item, Namespace: \"" + query.name_space + "\" Key: \"" + query.key + "\"");
}

NameServer::Answer NameServer::serve(const model::ListKv& query) {
  const auto config = config_->current();
  const model::TextMap* const table = config->find(query.name_space);
  if (table != nullptr) return model::NameServerReply(model::TextMapReply{*table});
  return fail(Errc::not_found, "No config item, Namespace: \"" + query.name_space + "\"");
}

NameServer::Answer NameServer::serve(const model::ListKvNamespaces& /*query*/) {
  return model::NameServerReply(
      model::NamesReply{.names = config_->current()->name_spaces(), .broker_address = {}});
}

NameServer::Answer NameServer::serve(const model::FindKvKeys& query) {
  std::string keys = config_->current()->keys_of(query.name_space, query.value);
  if (!keys.empty()) return model::NameServerReply(model::TextReply{std::move(keys)});
  return fail(Errc::not_found, "No config item, Namespace: \"" + query.name_space + "\" Value: \"" +
                                   query.value + "\"");
}

NameServer::Answer NameServer::serve(const model::QuerySettings& /*query*/) {
  return model::NameServerReply(model::TextMapReply{config_->current()->settings().to_texts()});
}

// --- what else a handler has -----------------------------------------------------------------

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
