#include "apps/wiring/process.hpp"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>

#include "apps/wiring/plugins.hpp"
#include "apps/wiring/ports.hpp"
#include "broker/cluster/remote_link.hpp"
#include "common/base/log.hpp"
#include "gateway/routing/cluster_routing.hpp"
#include "gateway/routing/local_routing.hpp"

namespace sluice::apps {

namespace {

/// Where RocketMQ's clients before 4.5 send to: so much below the port that routes name.
constexpr std::uint16_t kVipDistance = 2;

// Connections get this long to take the last answers when the process is told to end.
constexpr std::chrono::seconds kDrainGrace{5};

std::string host_text(const std::string& host) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return is_v6 ? "[" + host + "]" : host;
}

}  // namespace

Process::Process(Runtime& runtime, config::Config config)
    : runtime_(runtime),
      config_(std::move(config)),
      positions_(config_.has("broker.number")
                     ? static_cast<std::uint16_t>(config_.integer("broker.number"))
                     : std::uint16_t{0}) {}

Process::~Process() = default;

Task<> Process::start() {
  auto ports = choose_ports();
  SLUICE_CO_TRY(ports);
  clients_ = std::make_unique<remoting::RemotingClientPool>(runtime_);
  if (is(config::Role::standalone) || is(config::Role::nameserver)) {
    auto opened = open_name_server();
    SLUICE_CO_TRY(opened);
  }
  if (stores()) {
    auto opened = co_await open_engine();
    SLUICE_CO_TRY(opened);
    make_registrar();
    auto began = co_await open_broker();
    SLUICE_CO_TRY(began);
  }
  make_gateway();
  auto listening = start_listeners();
  SLUICE_CO_TRY(listening);
  if (registrar_) {
    auto registered = co_await registrar_->start();
    SLUICE_CO_TRY(registered);
  }
  co_return Result<>{};
}

Result<> Process::open_name_server() {
  nameserver::NameServerOptions options;
  options.data_directory = std::filesystem::path(config_.text("data")) / "nameserver";
  name_server_ = std::make_unique<nameserver::NameServer>(runtime_, std::move(options));
  return name_server_->open();
}

Result<> Process::choose_ports() {
  for (const config::ListenerConfig& listener : config_.listeners()) {
    const auto checked = check_can_listen(listener);
    SLUICE_TRY(checked);
    if (listener.name != "remoting") continue;
    remoting_port_ = listener.port;
    if (remoting_port_ != 0) continue;
    auto port = find_free_port(listener.bind_address);
    SLUICE_TRY(port);
    remoting_port_ = *port;
  }
  return {};
}

model::Endpoint Process::advertised() const {
  const std::string text =
      host_text(config_.advertised_host()) + ":" + std::to_string(remoting_port_);
  // The schema takes IP addresses only.
  return model::parse_endpoint(text).value_or(model::Endpoint{});
}

Task<> Process::open_engine() {
  const std::string& name = config_.text("storage.engine");
  storage_plugin_ = make_storage_plugin(name);
  storage::EngineOptions options;
  options.data_directory = std::filesystem::path(config_.text("data")) / "store";
  options.settings = config_.settings("storage." + name);
  options.runtime = &runtime_;
  options.positions = &positions_;
  options.disk = &runtime_.disk();
  auto engine = co_await storage_plugin_->open(std::move(options));
  SLUICE_CO_TRY(engine);
  engine_ = std::move(*engine);
  co_return Result<>{};
}

void Process::make_registrar() {
  std::vector<std::unique_ptr<broker::NameServerLink>> links;
  if (name_server_) {
    links.push_back(broker::make_local_link(*name_server_));
  } else {
    for (const std::string& address : config_.list("cluster.nameservers")) {
      links.push_back(broker::make_remote_link(*clients_, address));
    }
  }
  auto current = [this] { return broker_->registration(); };
  registrar_ = std::make_unique<broker::Registrar>(runtime_, std::move(links), current);
}

Task<> Process::open_broker() {
  broker::BrokerOptions options;
  options.cluster = config_.text("cluster.name");
  options.name = config_.text("broker.name");
  options.id = config_.integer("broker.id");
  options.advertised = advertised();
  options.durability = config_.text("storage.durability") == "synced"
                           ? storage::Durability::synced
                           : storage::Durability::buffered;
  options.auto_create_topics = config_.boolean("broker.auto_create_topics");
  options.auto_create_groups = config_.boolean("broker.auto_create_groups");
  options.default_queues = static_cast<std::int32_t>(config_.integer("broker.default_queues"));
  options.retention_age = config_.duration("retention.age");
  options.retention_bytes = config_.bytes("retention.bytes");
  options.retention_interval = config_.duration("retention.check_interval");
  options.on_topics_changed = [this] { return registrar_->register_now(); };
  options.disk_space = [this] { return runtime_.disk().space(config_.text("data")); };
  auto broker = co_await broker::Broker::open(runtime_, *engine_, std::move(options));
  SLUICE_CO_TRY(broker);
  broker_ = std::move(*broker);
  co_return Result<>{};
}

void Process::make_gateway() {
  if (is(config::Role::nameserver)) return;
  std::unique_ptr<gateway::Routing> routing;
  if (broker_) {
    gateway::LocalBroker about;
    about.cluster = config_.text("cluster.name");
    about.name = config_.text("broker.name");
    about.id = config_.integer("broker.id");
    about.address = model::to_string(advertised());
    routing = gateway::make_local_routing(*broker_, std::move(about));
  } else {
    gateway::ClusterRoutingOptions options;
    options.name_servers = config_.list("cluster.nameservers");
    options.advertised = model::to_string(advertised());
    routing = gateway::make_cluster_routing(runtime_, *clients_, std::move(options));
  }
  gateway_ = std::make_unique<gateway::Gateway>(runtime_, std::move(routing));
}

protocol::RequestHandler& Process::handler_of(std::string_view listener) noexcept {
  // Operators see all that is known, and a name server knows more than one broker.
  const bool asks_name_server = listener == "nameserver" || listener == "admin";
  const bool is_for_name_server = !gateway_ || (asks_name_server && name_server_);
  if (is_for_name_server) return *name_server_;
  return *gateway_;
}

Result<> Process::start_listeners() {
  for (const config::ListenerConfig& block : config_.listeners()) {
    protocol::ListenerOptions options;
    options.bind_address = block.bind_address;
    options.port = block.name == "remoting" ? remoting_port_ : block.port;
    options.sessions_max = block.sessions_max;
    options.settings = block.settings;
    const bool has_vip = options.settings.erase("vip") > 0 && block.port > kVipDistance &&
                         config_.boolean("listeners.remoting.vip");
    const protocol::ListenerOptions same = options;
    const auto started = start_listener(block.name, std::move(options));
    SLUICE_TRY(started);
    if (has_vip) start_vip(same);
  }
  return {};
}

Result<> Process::start_listener(const std::string& name, protocol::ListenerOptions options) {
  const std::string bind_address = options.bind_address;
  auto plugin = make_protocol_plugin(name);
  auto listener = plugin->listen(runtime_, std::move(options), handler_of(name));
  SLUICE_TRY(listener);
  if (auto started = (*listener)->start(); !started) {
    return fail(started.error().code, describe_listen_failure(name, started.error().text));
  }
  plugins_.push_back(std::move(plugin));
  listeners_.push_back({name, bind_address, std::move(*listener)});
  return {};
}

/// Only old clients miss it, and two brokers of one machine may well have neighbouring ports.
void Process::start_vip(protocol::ListenerOptions options) {
  options.port = static_cast<std::uint16_t>(options.port - kVipDistance);
  const auto started = start_listener("vip", std::move(options));
  if (started) return;
  log::warn("clients that send through the VIP channel are not served: {}", started.error().text);
}

std::string Process::describe_listeners() const {
  boost::json::object listeners;
  for (const Named& named : listeners_) {
    listeners[named.name] =
        host_text(named.bind_address) + ":" + std::to_string(named.listener->port());
  }
  boost::json::object all;
  all["role"] = config::to_string(config_.role());
  all["listeners"] = std::move(listeners);
  return boost::json::serialize(all);
}

Task<> Process::stop() {
  Result<> outcome;
  const auto note = [&outcome](Result<> ended) {
    if (ended) return;
    log::warn("{}", describe(ended.error()));
    if (outcome) outcome = std::move(ended);
  };
  if (registrar_) {
    auto left = co_await registrar_->stop();
    note(std::move(left));
  }
  for (const Named& named : listeners_) {
    auto drained = co_await named.listener->drain(kDrainGrace);
    if (!drained) log::info("{}: {}", named.name, drained.error().text);
  }
  if (broker_) {
    auto stopped = co_await broker_->stop();
    note(std::move(stopped));
  }
  if (gateway_) {
    auto stopped = co_await gateway_->stop();
    note(std::move(stopped));
  }
  if (clients_) co_await clients_->close();
  if (engine_) {
    auto closed = co_await engine_->close();
    note(std::move(closed));
  }
  co_return outcome;
}

}  // namespace sluice::apps
