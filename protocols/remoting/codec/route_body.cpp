#include "protocols/remoting/codec/route_body.hpp"

#include <utility>

#include <boost/json/serialize.hpp>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

std::map<std::int64_t, std::string> read_addresses(const JsonObject& object) {
  std::map<std::int64_t, std::string> addresses;
  object.for_each_member("brokerAddrs", limits::kBrokersPerNameServerMax,
                         [&](std::string_view key, const json::value& value) {
                           const auto id = parse_decimal<std::int64_t>(key);
                           auto address = scalar_text(value);
                           if (!id || !address) {
                             return object.errors().add("brokerAddrs", "is not ids to addresses");
                           }
                           addresses[*id] = *std::move(address);
                         });
  return addresses;
}

BrokerData read_broker(const JsonObject& object) {
  BrokerData data;
  data.cluster = object.text("cluster");
  data.broker_name = object.text("brokerName");
  data.enable_acting_master = object.boolean("enableActingMaster");
  data.zone_name = object.text("zoneName");
  data.broker_addrs = read_addresses(object);
  return data;
}

QueueData read_queue(const JsonObject& object) {
  QueueData data;
  data.broker_name = object.text("brokerName");
  data.read_queue_nums = object.int32("readQueueNums");
  data.write_queue_nums = object.int32("writeQueueNums");
  data.perm = object.int32("perm");
  // Java up to 4.8 has the second name.
  data.topic_sys_flag = object.int32("topicSysFlag", object.int32("topicSynFlag"));
  return data;
}

void write_addresses(JsonWriter& writer, const std::map<std::int64_t, std::string>& addresses,
                     MapKeys keys) {
  writer.key("brokerAddrs");
  writer.begin_object();
  for (const auto& [id, address] : addresses) {
    if (keys == MapKeys::quoted) {
      writer.key(std::to_string(id));
    } else {
      writer.bare_key(id);
    }
    writer.text(address);
  }
  writer.end_object();
}

void write_broker(JsonWriter& writer, const BrokerData& data, MapKeys keys) {
  writer.begin_object();
  write_addresses(writer, data.broker_addrs, keys);
  writer.key("brokerName");
  writer.text(data.broker_name);
  writer.key("cluster");
  writer.text(data.cluster);
  writer.key("enableActingMaster");
  writer.boolean(data.enable_acting_master);
  if (!data.zone_name.empty()) {
    writer.key("zoneName");
    writer.text(data.zone_name);
  }
  writer.end_object();
}

void write_queue(JsonWriter& writer, const QueueData& data) {
  writer.begin_object();
  writer.key("brokerName");
  writer.text(data.broker_name);
  writer.key("perm");
  writer.number(data.perm);
  writer.key("readQueueNums");
  writer.number(data.read_queue_nums);
  writer.key("topicSynFlag");
  writer.number(data.topic_sys_flag);
  writer.key("topicSysFlag");
  writer.number(data.topic_sys_flag);
  writer.key("writeQueueNums");
  writer.number(data.write_queue_nums);
  writer.end_object();
}

}  // namespace

Result<TopicRouteData> decode_topic_route(BytesView body) {
  constexpr std::string_view kWhat = "topic route";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  TopicRouteData route;
  if (object.has("orderTopicConf")) route.order_topic_conf = object.text("orderTopicConf");
  object.for_each("queueDatas", limits::kBrokersPerNameServerMax, [&](const json::value& entry) {
    route.queue_datas.push_back(read_queue(JsonObject(entry, "queueDatas", errors)));
  });
  object.for_each("brokerDatas", limits::kBrokersPerNameServerMax, [&](const json::value& entry) {
    route.broker_datas.push_back(read_broker(JsonObject(entry, "brokerDatas", errors)));
  });
  object.for_each_member(
      "topicQueueMappingByBroker", limits::kBrokersPerNameServerMax,
      [&](std::string_view key, const json::value& mapping) {
        route.topic_queue_mapping_by_broker.push_back({std::string(key), json::serialize(mapping)});
      });
  return errors.finish(std::move(route));
}

Result<ClusterInfo> decode_cluster_info(BytesView body) {
  constexpr std::string_view kWhat = "cluster info";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  ClusterInfo info;
  object.for_each_member("brokerAddrTable", limits::kBrokersPerNameServerMax,
                         [&](std::string_view key, const json::value& broker) {
                           info.broker_addr_table[std::string(key)] =
                               read_broker(JsonObject(broker, key, errors));
                         });
  const auto read_names = [&](std::string_view key, const json::value& names) {
    std::vector<std::string>& brokers = info.cluster_addr_table[std::string(key)];
    const json::array* const array = names.if_array();
    if (array == nullptr) return errors.add("clusterAddrTable", "is not clusters to broker names");
    for (const json::value& name : *array) {
      brokers.push_back(scalar_text(name).value_or(std::string{}));
    }
  };
  object.for_each_member("clusterAddrTable", limits::kBrokersPerNameServerMax, read_names);
  return errors.finish(std::move(info));
}

Result<BrokerMemberGroup> decode_broker_member_group(BytesView body) {
  constexpr std::string_view kWhat = "broker member group";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject outer(*value, kWhat, errors);
  const JsonObject object = outer.object("brokerMemberGroup");
  BrokerMemberGroup group{.cluster = object.text("cluster"),
                          .broker_name = object.text("brokerName"),
                          .broker_addrs = read_addresses(object)};
  return errors.finish(std::move(group));
}

void append_topic_route(std::string& out, const TopicRouteData& route, MapKeys keys) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("brokerDatas");
  writer.begin_array();
  for (const BrokerData& broker : route.broker_datas) write_broker(writer, broker, keys);
  writer.end_array();
  writer.key("filterServerTable");
  writer.begin_object();
  writer.end_object();
  if (route.order_topic_conf) {
    writer.key("orderTopicConf");
    writer.text(*route.order_topic_conf);
  }
  writer.key("queueDatas");
  writer.begin_array();
  for (const QueueData& queue : route.queue_datas) write_queue(writer, queue);
  writer.end_array();
  if (!route.topic_queue_mapping_by_broker.empty()) {
    writer.key("topicQueueMappingByBroker");
    writer.begin_object();
    for (const QueueMapping& mapping : route.topic_queue_mapping_by_broker) {
      writer.key(mapping.key);
      writer.json(mapping.json);
    }
    writer.end_object();
  }
  writer.end_object();
}

void append_cluster_info(std::string& out, const ClusterInfo& info) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("brokerAddrTable");
  writer.begin_object();
  for (const auto& [name, broker] : info.broker_addr_table) {
    writer.key(name);
    write_broker(writer, broker, MapKeys::bare);
  }
  writer.end_object();
  writer.key("clusterAddrTable");
  writer.begin_object();
  for (const auto& [cluster, brokers] : info.cluster_addr_table) {
    writer.key(cluster);
    writer.begin_array();
    for (const std::string& broker : brokers) writer.text(broker);
    writer.end_array();
  }
  writer.end_object();
  writer.end_object();
}

void append_broker_member_group(std::string& out, const BrokerMemberGroup& group) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("brokerMemberGroup");
  writer.begin_object();
  write_addresses(writer, group.broker_addrs, MapKeys::bare);
  writer.key("brokerName");
  writer.text(group.broker_name);
  writer.key("cluster");
  writer.text(group.cluster);
  writer.end_object();
  writer.end_object();
}

}  // namespace sluice::remoting
