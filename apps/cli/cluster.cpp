#include "apps/cli/cluster.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "apps/cli/cli.hpp"
#include "common/base/log.hpp"
#include "common/runtime/spawn.hpp"

namespace sluice::cli {

namespace {

const std::string* leader_of(const model::Route& route, std::string_view broker_name) {
  for (const model::BrokerData& broker : route.brokers) {
    if (broker.broker_name != broker_name) continue;
    const auto leader = broker.addresses.find(model::kLeaderId);
    return leader == broker.addresses.end() ? nullptr : &leader->second;
  }
  return nullptr;
}

/// Only if nobody was there: a server that refuses says why.
std::string hint_for(const Error& error, Cluster* cluster) {
  if (!is_out_of_reach(error) || !cluster->has_unreached()) return {};
  return "\n  Is a server running there? `sluice serve` starts one; --nameserver says where to "
         "ask.";
}

Task<> run_root(Cluster* cluster, Task<> command, Result<>* outcome) {
  *outcome = co_await std::move(command);
  if (!*outcome) outcome->error().text += hint_for(outcome->error(), cluster);
  const auto closed = co_await cluster->close();
  static_cast<void>(closed);  // What was asked is answered; nothing is lost with a connection.
  cluster->runtime().stop();
  co_return Result<>{};
}

}  // namespace

std::vector<QueuePlace> queues_of(const model::Route& route, std::int32_t permission) {
  std::vector<QueuePlace> places;
  for (const model::QueueData& data : route.queues) {
    const std::string* address = leader_of(route, data.broker_name);
    if (address == nullptr || (data.permission & permission) == 0) continue;
    const std::int32_t count =
        permission == model::permission::kWrite ? data.write_queues : data.read_queues;
    for (std::int32_t queue = 0; queue < count; ++queue) {
      places.push_back({data.broker_name, *address, queue});
    }
  }
  return places;
}

std::vector<std::string> split_addresses(std::string_view text) {
  std::vector<std::string> addresses;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",;"), text.size());
    if (end > 0) addresses.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return addresses;
}

Cluster::Cluster(Runtime& runtime, std::vector<std::string> name_servers)
    : runtime_(runtime), pool_(runtime), name_server_(pool_, std::move(name_servers)) {}

remoting::BrokerRequest Cluster::broker(std::string_view address) {
  return {.client = pool_.get(runtime_.loop(0), address), .caller = {}};
}

Error no_broker() {
  return {Errc::unavailable,
          "the name server knows no broker: start one whose cluster.nameservers names it, or see "
          "why none registers"};
}

Task<> check_has_brokers(Cluster* cluster) {
  const auto brokers = co_await cluster->name_server().fetch_cluster();
  if (brokers && brokers->empty()) co_return fail(no_broker());
  co_return Result<>{};
}

int run_on_cluster(const Console& console, const std::string& name_servers,
                   const std::function<Task<>(Cluster*)>& command) {
  const auto logging = log::start("error");
  static_cast<void>(logging);  // The level is one of the words.
  Runtime runtime({.loops = 1, .workers = 1});
  Cluster cluster(runtime, split_addresses(name_servers));
  Result<> outcome;
  spawn(runtime.loop(0), run_root(&cluster, command(&cluster), &outcome));
  runtime.run();
  console.out.flush();
  if (outcome) return kExitDone;
  console.err << "sluice: " << outcome.error().text << '\n';
  return outcome.error().code == Errc::invalid_argument ? kExitUsage : kExitFailed;
}

}  // namespace sluice::cli
