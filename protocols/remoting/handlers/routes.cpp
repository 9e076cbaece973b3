#include "protocols/remoting/handlers/routes.hpp"

#include <algorithm>

#include "protocols/remoting/codec/language.hpp"
#include "protocols/remoting/codec/route_body.hpp"
#include "protocols/remoting/handlers/answer.hpp"

namespace sluice::remoting {

namespace {

BrokerData to_wire(const model::BrokerData& broker) {
  return {.cluster = broker.cluster,
          .broker_name = broker.broker_name,
          .broker_addrs = broker.addresses,
          .enable_acting_master = broker.allows_acting_leader,
          .zone_name = broker.zone};
}

QueueData to_wire(const model::QueueData& queues) {
  return {.broker_name = queues.broker_name,
          .read_queue_nums = queues.read_queues,
          .write_queue_nums = queues.write_queues,
          .perm = queues.permission,
          .topic_sys_flag = queues.topic_system_flag};
}

TopicRouteData to_wire(const model::Route& route) {
  TopicRouteData data;
  for (const model::QueueData& queues : route.queues) data.queue_datas.push_back(to_wire(queues));
  for (const model::BrokerData& broker : route.brokers) {
    data.broker_datas.push_back(to_wire(broker));
  }
  data.order_topic_conf = route.order_config;
  for (const model::QueueMapping& mapping : route.mappings) {
    data.topic_queue_mapping_by_broker.push_back({mapping.broker_name, mapping.json});
  }
  return data;
}

template <MapKeys keys>
void answer_route(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_topic_route(out, to_wire(reply_as<model::RouteReply>(reply).route), keys);
  answer.end();
}

void answer_cluster(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  ClusterInfo info;
  for (const model::BrokerData& broker : reply_as<model::ClusterReply>(reply).brokers) {
    info.broker_addr_table[broker.broker_name] = to_wire(broker);
    info.cluster_addr_table[broker.cluster].push_back(broker.broker_name);
  }
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_cluster_info(out, info);
  answer.end();
}

bool reads_quoted_keys(const Request& request) {
  return request.header.version >= kVersion4_9_4 ||
         request.fields().boolean_or("acceptStandardJsonOnly", false);
}

}  // namespace

Result<Call> to_query_route(const Request& request) {
  const auto topic = request.fields().text("topic");
  SLUICE_TRY(topic);
  return Call{.command = model::QueryRoute{.topic = std::string(*topic)},
              .answer = reads_quoted_keys(request) ? answer_route<MapKeys::quoted>
                                                   : answer_route<MapKeys::bare>};
}

Result<Call> to_query_cluster(const Request&) {
  return Call{.command = model::QueryCluster{}, .answer = answer_cluster};
}

}  // namespace sluice::remoting
