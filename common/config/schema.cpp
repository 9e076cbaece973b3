#include "common/config/schema.hpp"

#include <algorithm>
#include <limits>

namespace sluice::config {

namespace {

constexpr RoleSet kEverywhere{Role::standalone, Role::gateway, Role::broker, Role::nameserver};
constexpr RoleSet kServesClients{Role::standalone, Role::gateway, Role::broker};
constexpr RoleSet kStores{Role::standalone, Role::broker};
constexpr RoleSet kTranslates{Role::standalone, Role::gateway};
constexpr RoleSet kFindsNameServers{Role::gateway, Role::broker};
constexpr RoleSet kKeepsRoutes{Role::standalone, Role::nameserver};

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kGiB = 1024 * 1024 * kKiB;
constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kHour = 3600 * kSecond;
constexpr std::int64_t kDay = 24 * kHour;

constexpr Range kAnyName{1, 255};
constexpr Range kBooleanRange{0, 1};

void add_process(std::vector<Key>& keys) {
  keys.push_back({.name = "role",
                  .type = Type::word,
                  .default_text = "standalone",
                  .range = {},
                  .words = {"standalone", "gateway", "broker", "nameserver"},
                  .roles = kEverywhere,
                  .doc = "What this process is. A standalone process is all the others in one."});
  keys.push_back({.name = "data",
                  .type = Type::path,
                  .default_text = "./data",
                  .range = {1, 4096},
                  .words = {},
                  .roles = kEverywhere,
                  .doc = "Directory for everything that is kept. Made if it does not exist."});
}

void add_cluster(std::vector<Key>& keys) {
  keys.push_back({.name = "cluster.name",
                  .type = Type::text,
                  .default_text = "DefaultCluster",
                  .range = kAnyName,
                  .words = {},
                  .roles = kServesClients,
                  .doc = "The cluster that routes name."});
  keys.push_back({.name = "cluster.nameservers",
                  .type = Type::host_ports,
                  .default_text = "127.0.0.1:9876",
                  .range = {1, 16},
                  .words = {},
                  .roles = kFindsNameServers,
                  .doc = "Name servers, ours or RocketMQ's: brokers register at all of them, "
                         "gateways ask them for routes. On the command line: --set "
                         "cluster.nameservers=a:9876,b:9876, with or without brackets."});
}

void add_gateway(std::vector<Key>& keys) {
  keys.push_back({.name = "gateway.advertised_host",
                  .type = Type::ip_address,
                  .default_text = "",
                  .range = {0, 64},
                  .words = {},
                  .roles = {Role::gateway},
                  .doc = "The address under which clients reach this gateway; routes name it. "
                         "Empty: listeners.remoting.bind."});
}

void add_broker(std::vector<Key>& keys) {
  keys.push_back({.name = "broker.name",
                  .type = Type::text,
                  .default_text = "broker-a",
                  .range = kAnyName,
                  .words = {},
                  .roles = kStores,
                  .doc = "The broker's name in routes: one name for a leader and its followers."});
  keys.push_back({.name = "broker.id",
                  .type = Type::integer,
                  .default_text = "0",
                  .range = {0, kNoLimit},
                  .words = {},
                  .roles = kStores,
                  .doc = "The broker's number among those of its name. 0 is the one that takes "
                         "messages."});
  keys.push_back({.name = "broker.number",
                  .type = Type::integer,
                  .default_text = "0",
                  .range = {0, 32'767},
                  .words = {},
                  .roles = kStores,
                  .doc =
                      "Stands in the high bits of every position this broker hands out. Different "
                      "for each broker of a cluster; never change it for a store."});
  keys.push_back({.name = "broker.advertised_host",
                  .type = Type::ip_address,
                  .default_text = "",
                  .range = {0, 64},
                  .words = {},
                  .roles = kStores,
                  .doc =
                      "The address under which clients reach this broker; routes and message ids "
                      "name it. Empty: listeners.remoting.bind."});
  keys.push_back({.name = "broker.auto_create_topics",
                  .type = Type::boolean,
                  .default_text = "true",
                  .range = kBooleanRange,
                  .words = {},
                  .roles = kStores,
                  .doc = "Makes a topic when the first message for it comes, as RocketMQ does."});
  keys.push_back({.name = "broker.auto_create_groups",
                  .type = Type::boolean,
                  .default_text = "true",
                  .range = kBooleanRange,
                  .words = {},
                  .roles = kStores,
                  .doc = "Makes a consumer group when its first member comes."});
  keys.push_back({.name = "broker.default_queues",
                  .type = Type::integer,
                  .default_text = "8",
                  .range = {1, 4096},
                  .words = {},
                  .roles = kStores,
                  .doc = "Most queues that a topic gets when it is made by its first message."});
}

void add_listener(std::vector<Key>& keys, std::string_view name, std::string_view what,
                  std::string_view port, RoleSet roles) {
  const std::string prefix = "listeners." + std::string(name) + ".";
  keys.push_back({.name = prefix + "enabled",
                  .type = Type::boolean,
                  .default_text = "true",
                  .range = kBooleanRange,
                  .words = {},
                  .roles = roles,
                  .doc = std::string(what)});
  keys.push_back({.name = prefix + "bind",
                  .type = Type::ip_address,
                  .default_text = "127.0.0.1",
                  .range = {1, 64},
                  .words = {},
                  .roles = roles,
                  .doc = "Address to listen on. 0.0.0.0 or :: is every address of the machine."});
  keys.push_back({.name = prefix + "port",
                  .type = Type::integer,
                  .default_text = std::string(port),
                  .range = {0, 65'535},
                  .words = {},
                  .roles = roles,
                  .doc = "TCP port. 0: any free one; the ready line says which."});
  keys.push_back({.name = prefix + "sessions_max",
                  .type = Type::integer,
                  .default_text = "100000",
                  .range = {1, 10'000'000},
                  .words = {},
                  .roles = roles,
                  .doc = "Connections at a time. One more is refused, and counted."});
}

/// What may come before a listener's own protocol.
void add_greeting(std::vector<Key>& keys, std::string_view listener, RoleSet roles) {
  const std::string prefix = "listeners." + std::string(listener) + ".";
  const auto add_word = [&](std::string_view name, std::string_view standard,
                            std::vector<std::string> words, std::string_view doc) {
    keys.push_back({.name = prefix + std::string(name),
                    .type = Type::word,
                    .default_text = std::string(standard),
                    .range = {},
                    .words = std::move(words),
                    .roles = roles,
                    .doc = std::string(doc)});
  };
  const auto add_file = [&](std::string_view name, std::string_view doc) {
    keys.push_back({.name = prefix + std::string(name),
                    .type = Type::path,
                    .default_text = "",
                    .range = {0, 4096},
                    .words = {},
                    .roles = roles,
                    .doc = std::string(doc)});
  };
  add_word(
      "proxy_protocol", "optional", {"off", "optional", "required"},
      "Whether a proxy may tell who its client is (PROXY protocol, versions 1 and 2). A client "
      "can tell it too, and name another address than its own: use off where addresses have "
      "to be right and there is no proxy, required where everybody comes through one.");
  add_word("tls", "permissive", {"disabled", "permissive", "enforcing"},
           "TLS on the same port: refused, served beside plain text, or the only way in.");
  add_file("tls_certificate",
           "PEM file with the server's certificate and then those of its issuers. Empty: one that "
           "the process makes and signs itself, which clients cannot verify.");
  add_file("tls_key", "PEM file with the key of tls_certificate, without a password.");
  add_word("tls_client_auth", "none", {"none", "optional", "required"},
           "Whether TLS clients have to show a certificate.");
  add_file("tls_client_ca", "PEM file: who may have issued the certificates of clients.");
}

void add_listeners(std::vector<Key>& keys) {
  add_listener(keys, "nameserver", "The name server: routes, for clients and brokers.", "9876",
               kKeepsRoutes);
  add_greeting(keys, "nameserver", kKeepsRoutes);
  add_listener(keys, "remoting", "The RocketMQ remoting protocol.", "10911", kServesClients);
  add_greeting(keys, "remoting", kServesClients);
  keys.push_back({.name = "listeners.remoting.vip",
                  .type = Type::boolean,
                  .default_text = "true",
                  .range = kBooleanRange,
                  .words = {},
                  .roles = kServesClients,
                  .doc =
                      "Also serves the port two below, where clients before RocketMQ 4.5 send to "
                      "(their VIP channel). Not done if port is 0; if that port is taken, the "
                      "log says so."});
  add_listener(keys, "http", "The REST resources over HTTP/1.1.", "8081", kTranslates);
  add_listener(keys, "admin",
               "Metrics (/metrics), health (/healthz) and the cluster (/v1/...) over HTTP/1.1.",
               "9090", kEverywhere);
}

// The bounds are those of the engine, which checks them too.
void add_log_engine(std::vector<Key>& keys) {
  const auto add_bytes = [&](std::string_view name, std::string_view standard, std::int64_t min,
                             std::int64_t max, std::string_view doc) {
    keys.push_back({.name = "storage.log." + std::string(name),
                    .type = Type::bytes,
                    .default_text = std::string(standard),
                    .range = {min, max},
                    .words = {},
                    .roles = kStores,
                    .doc = std::string(doc)});
  };
  add_bytes("segment_bytes", "64MiB", 16 * kKiB, kGiB,
            "Size of one segment file of the log. Retention frees whole segments.");
  add_bytes("tail_cache_bytes", "32MiB", 0, 64 * kGiB,
            "Newest records, kept in memory for consumers that keep up. 0: none.");
  add_bytes("read_cache_bytes", "16MiB", 0, 64 * kGiB,
            "Older records that were read a short while ago. 0: none.");
  add_bytes("index_cache_bytes", "16MiB", 64 * kKiB, 64 * kGiB,
            "Parts of the indexes of sealed segments.");
  keys.push_back({.name = "storage.log.open_files_max",
                  .type = Type::integer,
                  .default_text = "128",
                  .range = {4, 100'000},
                  .words = {},
                  .roles = kStores,
                  .doc = "Files of sealed segments and indexes that are kept open."});
}

void add_storage(std::vector<Key>& keys) {
  keys.push_back({.name = "storage.engine",
                  .type = Type::word,
                  .default_text = "log",
                  .range = {},
                  .words = {"log", "memory"},
                  .roles = kStores,
                  .doc =
                      "Where messages are kept: in an append-only log on disk, or, for trials and "
                      "tests, in memory until the process ends."});
  keys.push_back({.name = "storage.durability",
                  .type = Type::word,
                  .default_text = "synced",
                  .range = {},
                  .words = {"synced", "buffered"},
                  .roles = kStores,
                  .doc = "What an acknowledged message survives: the loss of power (synced, "
                         "RocketMQ's SYNC_FLUSH) or the end of the process (buffered, "
                         "ASYNC_FLUSH)."});
  add_log_engine(keys);
}

void add_retention(std::vector<Key>& keys) {
  keys.push_back({.name = "retention.bytes",
                  .type = Type::bytes,
                  .default_text = "0",
                  .range = {0, kNoLimit},
                  .words = {},
                  .roles = kStores,
                  .doc = "Forgets the oldest messages while the store is larger. 0: no limit."});
  keys.push_back({.name = "retention.age",
                  .type = Type::duration,
                  .default_text = "72h",
                  .range = {0, 36'500 * kDay},
                  .words = {},
                  .roles = kStores,
                  .doc = "Forgets messages that were stored longer ago. 0: keeps them for ever."});
  keys.push_back({.name = "retention.check_interval",
                  .type = Type::duration,
                  .default_text = "10s",
                  .range = {100, kDay},
                  .words = {},
                  .roles = kStores,
                  .doc = "How often size and age are looked at."});
}

void add_runtime(std::vector<Key>& keys) {
  keys.push_back({.name = "runtime.loops",
                  .type = Type::integer,
                  .default_text = "0",
                  .range = {0, 64},
                  .words = {},
                  .roles = kEverywhere,
                  .doc = "Event loops, each a thread. 0: one for every two cores."});
  keys.push_back({.name = "runtime.workers",
                  .type = Type::integer,
                  .default_text = "2",
                  .range = {1, 64},
                  .words = {},
                  .roles = kEverywhere,
                  .doc = "Threads for work that blocks, such as reading old messages from disk."});
  keys.push_back({.name = "log.level",
                  .type = Type::word,
                  .default_text = "info",
                  .range = {},
                  .words = {"trace", "debug", "info", "warn", "error", "off"},
                  .roles = kEverywhere,
                  .doc = "The least important entries that are still written to standard error."});
}

std::vector<Key> make_schema() {
  std::vector<Key> keys;
  add_process(keys);
  add_cluster(keys);
  add_gateway(keys);
  add_broker(keys);
  add_listeners(keys);
  add_storage(keys);
  add_retention(keys);
  add_runtime(keys);
  return keys;
}

}  // namespace

std::string_view to_string(Role role) noexcept {
  switch (role) {
    case Role::standalone:
      return "standalone";
    case Role::gateway:
      return "gateway";
    case Role::broker:
      return "broker";
    case Role::nameserver:
      return "nameserver";
  }
  return {};
}

std::optional<Role> role_of(std::string_view word) noexcept {
  for (const Role role : kRoles) {
    if (to_string(role) == word) return role;
  }
  return std::nullopt;
}

const std::vector<Key>& schema() {
  static const std::vector<Key> keys = make_schema();
  return keys;
}

const Key* find_key(std::string_view name) {
  const auto found = std::ranges::find(schema(), name, &Key::name);
  return found == schema().end() ? nullptr : &*found;
}

bool is_section(std::string_view name) {
  return std::ranges::any_of(schema(), [name](const Key& key) {
    return key.name.size() > name.size() && key.name.starts_with(name) &&
           key.name[name.size()] == '.';
  });
}

}  // namespace sluice::config
