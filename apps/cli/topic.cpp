#include "apps/cli/topic.hpp"

#include <map>
#include <ostream>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "apps/cli/cluster.hpp"
#include "apps/cli/table.hpp"
#include "common/model/names.hpp"
#include "common/runtime/join.hpp"

namespace sluice::cli {

namespace {

namespace json = boost::json;

/// A broker that takes messages.
struct Leader {
  std::string broker_name;
  std::string address;
};

std::vector<Leader> leaders_of(const std::vector<model::BrokerData>& brokers) {
  std::vector<Leader> leaders;
  for (const model::BrokerData& broker : brokers) {
    const auto leader = broker.addresses.find(model::kLeaderId);
    if (leader != broker.addresses.end()) {
      leaders.push_back({broker.broker_name, leader->second});
    }
  }
  return leaders;
}

std::string permission_text(std::int32_t permission) {
  std::string text;
  if ((permission & model::permission::kRead) != 0) text += 'r';
  if ((permission & model::permission::kWrite) != 0) text += 'w';
  return text.empty() ? "-" : text;
}

json::array to_json(const std::vector<std::string>& names) {
  json::array list;
  for (const std::string& name : names) list.emplace_back(name);
  return list;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Error no_such_topic(const std::string& topic) {
  return {Errc::topic_not_found,
          "topic '" + topic + "' does not exist: `sluice topic list` shows those that do"};
}

Task<model::Route> find_topic(Cluster* cluster, std::string topic) {
  auto route = co_await cluster->name_server().fetch_route(topic);
  if (route || route.error().code != Errc::topic_not_found) co_return route;
  const auto known = co_await check_has_brokers(cluster);
  SLUICE_CO_TRY(known);
  co_return fail(no_such_topic(topic));
}

// --- create ----------------------------------------------------------------------------------

Task<std::vector<Leader>> leaders_for(Cluster* cluster, std::string broker_name) {
  auto brokers = co_await cluster->name_server().fetch_cluster();
  SLUICE_CO_TRY(brokers);
  if (brokers->empty()) co_return fail(no_broker());
  std::vector<Leader> leaders = leaders_of(*brokers);
  if (!broker_name.empty()) {
    std::erase_if(leaders, [&](const Leader& leader) { return leader.broker_name != broker_name; });
  }
  if (!leaders.empty()) co_return leaders;
  co_return fail(Errc::unavailable,
                 broker_name.empty()
                     ? std::string("the name server knows no broker that takes messages")
                     : "the name server knows no broker '" + broker_name + "' that takes messages");
}

/// A topic is not changed unawares.
Task<> check_is_new(Cluster* cluster, CreateTopicOptions options) {
  if (options.updates) co_return Result<>{};
  const auto route = co_await cluster->name_server().fetch_route(options.topic);
  if (!route && route.error().code == Errc::topic_not_found) co_return Result<>{};
  SLUICE_CO_TRY(route);
  for (const model::QueueData& data : route->queues) {
    const bool is_other_broker =
        !options.broker_name.empty() && data.broker_name != options.broker_name;
    const bool is_equal = data.write_queues == options.queues &&
                          data.read_queues == options.queues &&
                          data.permission == options.permission;
    if (is_other_broker || is_equal) continue;
    co_return fail(Errc::topic_exists, "topic '" + options.topic + "' exists with " +
                                           std::to_string(data.write_queues) + " queues (" +
                                           permission_text(data.permission) + ") on " +
                                           data.broker_name + ": --update changes it");
  }
  co_return Result<>{};
}

Task<> run_create(Cluster* cluster, CreateTopicOptions options, Console console) {
  if (model::is_reserved_topic(options.topic)) {
    co_return fail(Errc::permission_denied,
                   "topic '" + options.topic + "' is reserved: brokers make their own topics and " +
                       "those of retries and dead letters themselves");
  }
  const auto checked = co_await check_is_new(cluster, options);
  SLUICE_CO_TRY(checked);
  const auto leaders = co_await leaders_for(cluster, options.broker_name);
  SLUICE_CO_TRY(leaders);
  model::CreateTopic create;
  create.config.name = options.topic;
  create.config.read_queues = create.config.write_queues = options.queues;
  create.config.permission = options.permission;
  std::vector<std::string> names;
  for (const Leader& leader : *leaders) {
    const auto created = co_await remoting::create_topic(cluster->broker(leader.address), create);
    if (!created) {
      co_return fail(created.error().code, leader.broker_name + ": " + created.error().text);
    }
    names.push_back(leader.broker_name);
  }
  if (options.format == Format::json) {
    json::object result;
    result["topic"] = options.topic;
    result["queues"] = options.queues;
    result["permission"] = permission_text(options.permission);
    result["brokers"] = to_json(names);
    console.out << json::serialize(result) << '\n';
  } else {
    console.out << "topic " << options.topic << " has " << options.queues
                << (options.queues == 1 ? " queue on " : " queues on ") << joined(names) << '\n';
  }
  co_return Result<>{};
}

// --- delete ----------------------------------------------------------------------------------

Task<> run_delete(Cluster* cluster, TopicOptions options, Console console) {
  const auto route = co_await find_topic(cluster, options.topic);
  SLUICE_CO_TRY(route);
  std::vector<std::string> names;
  for (const Leader& leader : leaders_of(route->brokers)) {
    const auto deleted = co_await remoting::delete_topic(cluster->broker(leader.address),
                                                         model::DeleteTopic{options.topic});
    if (!deleted) {
      co_return fail(deleted.error().code, leader.broker_name + ": " + deleted.error().text);
    }
    names.push_back(leader.broker_name);
  }
  if (options.format == Format::json) {
    json::object result;
    result["topic"] = options.topic;
    result["brokers"] = to_json(names);
    console.out << json::serialize(result) << '\n';
  } else {
    console.out << "topic " << options.topic << " is deleted on " << joined(names) << '\n';
  }
  co_return Result<>{};
}

// --- list ------------------------------------------------------------------------------------

/// A topic as all its brokers have it together.
struct TopicSum {
  std::int32_t queues = 0;
  std::int32_t permission = 0;
  std::vector<std::string> brokers;
};

bool is_hidden(const ListTopicsOptions& options, const std::string& topic) {
  return !options.shows_system && model::is_reserved_topic(topic);
}

void print_topics(const std::map<std::string, TopicSum>& topics, Format format, std::ostream& out) {
  if (format == Format::json) {
    json::array list;
    for (const auto& [name, sum] : topics) {
      json::object topic;
      topic["topic"] = name;
      topic["queues"] = sum.queues;
      topic["permission"] = permission_text(sum.permission);
      topic["brokers"] = to_json(sum.brokers);
      list.push_back(std::move(topic));
    }
    out << json::serialize(json::object{{"topics", std::move(list)}}) << '\n';
    return;
  }
  Table table({{"TOPIC"}, {"QUEUES", Table::Align::right}, {"MAY"}, {"BROKERS"}});
  for (const auto& [name, sum] : topics) {
    table.add({printable(name, 255), std::to_string(sum.queues), permission_text(sum.permission),
               joined(sum.brokers)});
  }
  table.print(out);
}

Task<> run_list(Cluster* cluster, ListTopicsOptions options, Console console) {
  const auto leaders = co_await leaders_for(cluster, "");
  SLUICE_CO_TRY(leaders);
  std::map<std::string, TopicSum> topics;
  for (const Leader& leader : *leaders) {
    const auto reply =
        co_await remoting::query_topics(cluster->broker(leader.address), model::QueryTopics{});
    SLUICE_CO_TRY(reply);
    for (const model::TopicConfig& config : reply->topics) {
      if (is_hidden(options, config.name)) continue;
      TopicSum& sum = topics[config.name];
      sum.queues += config.write_queues;
      sum.permission |= config.permission;
      sum.brokers.push_back(leader.broker_name);
    }
  }
  print_topics(topics, options.format, console.out);
  co_return Result<>{};
}

// --- show ------------------------------------------------------------------------------------

struct QueueState {
  QueuePlace place;
  model::BoundsReply bounds;
  std::int64_t oldest_ms = -1;  ///< -1: the queue is empty.
};

Task<QueueState> ask_queue(Cluster* cluster, std::string topic, QueuePlace place) {
  QueueState state{.place = place, .bounds = {}};
  const auto bounds = co_await remoting::query_bounds(
      cluster->broker(place.address), model::QueryBounds{topic, place.queue, place.broker_name});
  SLUICE_CO_TRY(bounds);
  state.bounds = *bounds;
  const auto oldest = co_await remoting::query_earliest_time(
      cluster->broker(place.address),
      model::QueryEarliestTime{topic, place.queue, place.broker_name});
  SLUICE_CO_TRY(oldest);
  state.oldest_ms = oldest->offset;
  co_return state;
}

void print_queues(const std::vector<QueueState>& queues, const TopicOptions& options,
                  std::ostream& out) {
  if (options.format == Format::json) {
    json::array list;
    for (const QueueState& state : queues) {
      json::object queue;
      queue["broker"] = state.place.broker_name;
      queue["queue"] = state.place.queue;
      queue["first_offset"] = state.bounds.first;
      queue["next_offset"] = state.bounds.next;
      if (state.oldest_ms >= 0) queue["oldest_at"] = state.oldest_ms;
      list.push_back(std::move(queue));
    }
    out << json::serialize(json::object{{"topic", options.topic}, {"queues", std::move(list)}})
        << '\n';
    return;
  }
  using Align = Table::Align;
  Table table({{"BROKER"},
               {"QUEUE", Align::right},
               {"FIRST", Align::right},
               {"NEXT", Align::right},
               {"MESSAGES", Align::right},
               {"OLDEST (UTC)"}});
  for (const QueueState& state : queues) {
    table.add({state.place.broker_name, std::to_string(state.place.queue),
               std::to_string(state.bounds.first), std::to_string(state.bounds.next),
               grouped(static_cast<std::uint64_t>(state.bounds.next - state.bounds.first)),
               human_time(state.oldest_ms)});
  }
  table.print(out);
}

Task<> run_show(Cluster* cluster, TopicOptions options, Console console) {
  const auto route = co_await find_topic(cluster, options.topic);
  SLUICE_CO_TRY(route);
  std::vector<Task<QueueState>> questions;
  for (QueuePlace& place : queues_of(*route, model::permission::kRead)) {
    questions.push_back(ask_queue(cluster, options.topic, std::move(place)));
  }
  auto answers = co_await wait_for_all(std::move(questions));
  std::vector<QueueState> queues;
  for (auto& answer : answers) {
    SLUICE_CO_TRY(answer);
    queues.push_back(std::move(*answer));
  }
  print_queues(queues, options, console.out);
  co_return Result<>{};
}

}  // namespace

int create_topic(CreateTopicOptions options, const Console& console) {
  return run_on_cluster(console, options.name_servers,
                        [&](Cluster* cluster) { return run_create(cluster, options, console); });
}

int delete_topic(TopicOptions options, const Console& console) {
  return run_on_cluster(console, options.name_servers,
                        [&](Cluster* cluster) { return run_delete(cluster, options, console); });
}

int list_topics(ListTopicsOptions options, const Console& console) {
  return run_on_cluster(console, options.name_servers,
                        [&](Cluster* cluster) { return run_list(cluster, options, console); });
}

int show_topic(TopicOptions options, const Console& console) {
  return run_on_cluster(console, options.name_servers,
                        [&](Cluster* cluster) { return run_show(cluster, options, console); });
}

}  // namespace sluice::cli
