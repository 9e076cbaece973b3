#include "protocols/rest/admin/cluster.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/array.hpp>

#include "common/base/limits.hpp"

namespace sluice::rest::admin {

namespace {

namespace json = boost::json;

json::object to_json(const model::BrokerData& broker) {
  json::array addresses;
  for (const auto& [id, address] : broker.addresses) {
    addresses.push_back({{"id", id}, {"address", address}});
  }
  json::object object;
  object["name"] = broker.broker_name;
  object["cluster"] = broker.cluster;
  object["addresses"] = std::move(addresses);
  object["allows_acting_leader"] = broker.allows_acting_leader;
  if (!broker.zone.empty()) object["zone"] = broker.zone;
  return object;
}

json::object to_json(const model::QueueData& queues) {
  json::object object;
  object["broker"] = queues.broker_name;
  object["read_queues"] = queues.read_queues;
  object["write_queues"] = queues.write_queues;
  object["readable"] = (queues.permission & model::permission::kRead) != 0;
  object["writable"] = (queues.permission & model::permission::kWrite) != 0;
  object["system_flag"] = queues.topic_system_flag;
  return object;
}

template <class T>
json::array to_array(const std::vector<T>& values) {
  json::array array;
  for (const T& value : values) array.push_back(to_json(value));
  return array;
}

json::object brokers_object(const model::Reply& reply, const std::string&, const Page&) {
  json::object object;
  const auto* const cluster = std::get_if<model::ClusterReply>(&reply);
  if (cluster != nullptr) object["brokers"] = to_array(cluster->brokers);
  return object;
}

json::object clusters_object(const model::Reply& reply, const std::string&, const Page&) {
  const auto* const cluster = std::get_if<model::ClusterReply>(&reply);
  if (cluster == nullptr) return {};
  std::map<std::string_view, json::array> brokers;
  for (const model::BrokerData& broker : cluster->brokers) {
    brokers[broker.cluster].push_back(json::value(broker.broker_name));
  }
  json::array clusters;
  for (auto& [name, names] : brokers) {
    clusters.push_back({{"name", name}, {"brokers", std::move(names)}});
  }
  json::object object;
  object["clusters"] = std::move(clusters);
  return object;
}

json::object topics_object(const model::Reply& reply, const std::string&, const Page& page) {
  const auto* const topics = std::get_if<model::TopicsReply>(&reply);
  if (topics == nullptr) return {};
  std::vector<std::string_view> names;
  for (const model::TopicConfig& topic : topics->topics) {
    if (topic.name > page.after) names.push_back(topic.name);
  }
  const auto count = std::min(names.size(), static_cast<std::size_t>(page.max));
  std::ranges::partial_sort(names, names.begin() + static_cast<std::ptrdiff_t>(count));
  json::array array;
  for (std::size_t i = 0; i < count; ++i) array.push_back(json::value(names[i]));
  json::object object;
  object["topics"] = std::move(array);
  object["has_more"] = names.size() > count;
  return object;
}

json::object route_object(const model::Reply& reply, const std::string& topic, const Page&) {
  const auto* const found = std::get_if<model::RouteReply>(&reply);
  if (found == nullptr) return {};
  json::object object;
  object["topic"] = topic;
  object["queues"] = to_array(found->route.queues);
  object["brokers"] = to_array(found->route.brokers);
  if (found->route.order_config) object["order"] = *found->route.order_config;
  return object;
}

}  // namespace

Result<Question> to_brokers(const Target& target) {
  SLUICE_TRY(expect_no_parameters(target));
  return Question{.command = model::QueryCluster{}, .answer = brokers_object};
}

Result<Question> to_clusters(const Target& target) {
  SLUICE_TRY(expect_no_parameters(target));
  return Question{.command = model::QueryCluster{}, .answer = clusters_object};
}

Result<Question> to_topics(const Target& target) {
  Question question{.command = model::QueryTopics{}, .answer = topics_object};
  question.page.max = limits::kAdminNamesDefault;
  for (const auto& [name, value] : target.parameters) {
    if (name == "after") {
      question.page.after = value;
    } else if (name == "max") {
      const auto max = parse_number(name, value, 1, limits::kAdminNamesMax);
      SLUICE_TRY(max);
      question.page.max = *max;
    } else {
      return fail(Errc::invalid_argument,
                  "unknown parameter " + quoted(name) + ": after and max are known");
    }
  }
  return question;
}

Result<Question> to_route(const Target& target) {
  SLUICE_TRY(expect_no_parameters(target));
  const std::string& topic = target.segments[2];
  return Question{.command = model::QueryRoute{topic}, .answer = route_object, .name = topic};
}

}  // namespace sluice::rest::admin
