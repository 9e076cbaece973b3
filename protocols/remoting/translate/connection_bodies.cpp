#include "protocols/remoting/translate/connection_bodies.hpp"

#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/subscription_json.hpp"
#include "protocols/remoting/translate/subscription.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

constexpr std::string_view kWhat = "connections";
constexpr std::string_view kSet = "connectionSet";
// As many as a broker may have connections.
constexpr std::size_t kConnectionsMax = 1'000'000;

model::Connection read_connection(const JsonObject& object) {
  return {.client_id = object.text("clientId"),
          .address = object.text("clientAddr"),
          .language = object.text("language"),
          .version = object.int32("version"),
          .last_seen_ms = 0};
}

std::vector<model::Connection> read_connections(const JsonObject& object) {
  std::vector<model::Connection> connections;
  object.for_each(kSet, kConnectionsMax, [&](const json::value& connection) {
    connections.push_back(read_connection(JsonObject(connection, kSet, object.errors())));
  });
  return connections;
}

void write_connections(JsonWriter& writer, const std::vector<model::Connection>& connections) {
  writer.key(kSet);
  writer.begin_array();
  for (const model::Connection& connection : connections) {
    writer.begin_object();
    writer.key("clientAddr");
    writer.text(connection.address);
    writer.key("clientId");
    writer.text(connection.client_id);
    writer.key("language");
    writer.text(connection.language);
    writer.key("version");
    writer.number(connection.version);
    writer.end_object();
  }
  writer.end_array();
}

// Java writes an address as InetSocketAddress does.
constexpr std::string_view kAddressPrefix = "/";

void write_producer(JsonWriter& writer, const model::Connection& connection) {
  writer.begin_object();
  writer.key("clientId");
  writer.text(connection.client_id);
  writer.key("language");
  writer.text(connection.language);
  writer.key("lastUpdateTimestamp");
  writer.number(connection.last_seen_ms);
  writer.key("remoteIP");
  writer.text(std::string(kAddressPrefix) + connection.address);
  writer.key("version");
  writer.number(connection.version);
  writer.end_object();
}

model::Connection read_producer(const JsonObject& object) {
  model::Connection connection{.client_id = object.text("clientId"),
                               .address = object.text("remoteIP"),
                               .language = object.text("language"),
                               .version = object.int32("version"),
                               .last_seen_ms = object.int64("lastUpdateTimestamp")};
  if (connection.address.starts_with(kAddressPrefix)) connection.address.erase(0, 1);
  return connection;
}

}  // namespace

Result<model::ConsumersReply> decode_consumer_connection(BytesView body) {
  constexpr std::string_view kTable = "subscriptionTable";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  model::ConsumersReply reply;
  reply.connections = read_connections(object);
  reply.type = to_model(consume_type(object.text("consumeType")));
  reply.model = to_model(message_model(object.text("messageModel")));
  reply.consume_from_where =
      static_cast<std::int32_t>(consume_from_where(object.text("consumeFromWhere")));
  object.for_each_member(kTable, limits::kSubscriptionsPerGroupMax,
                         [&](std::string_view /*topic*/, const json::value& subscription) {
                           reply.subscriptions.push_back(to_model(
                               read_subscription(JsonObject(subscription, kTable, errors))));
                         });
  return errors.finish(std::move(reply));
}

void append_consumer_connection(std::string& out, const model::ConsumersReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  write_connections(writer, reply.connections);
  writer.key("consumeFromWhere");
  writer.text(name_of(consume_from_where(std::to_string(reply.consume_from_where))));
  writer.key("consumeType");
  writer.text(name_of(to_wire(reply.type)));
  writer.key("messageModel");
  writer.text(name_of(to_wire(reply.model)));
  writer.key("subscriptionTable");
  writer.begin_object();
  for (const model::Subscription& subscription : reply.subscriptions) {
    writer.key(subscription.topic);
    write_subscription(writer, to_wire(subscription));
  }
  writer.end_object();
  writer.end_object();
}

Result<model::ProducersReply> decode_producer_connection(BytesView body) {
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  model::ProducersReply reply;
  reply.groups.emplace_back().connections = read_connections(JsonObject(*value, kWhat, errors));
  return errors.finish(std::move(reply));
}

void append_producer_connection(std::string& out, const model::ProducersReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  std::vector<model::Connection> connections;
  for (const auto& group : reply.groups) {
    connections.insert(connections.end(), group.connections.begin(), group.connections.end());
  }
  write_connections(writer, connections);
  writer.end_object();
}

Result<model::ProducersReply> decode_producer_table(BytesView body) {
  constexpr std::string_view kTable = "data";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  model::ProducersReply reply;
  JsonObject(*value, kWhat, errors)
      .for_each_member(
          kTable, limits::kGroupsMax, [&](std::string_view name, const json::value& producers) {
            const json::array* const array = producers.if_array();
            if (array == nullptr) return errors.add(kTable, "holds no array");
            auto& group = reply.groups.emplace_back();
            group.name = name;
            for (const json::value& producer : *array) {
              group.connections.push_back(read_producer(JsonObject(producer, kTable, errors)));
            }
          });
  return errors.finish(std::move(reply));
}

void append_producer_table(std::string& out, const model::ProducersReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("data");
  writer.begin_object();
  for (const auto& group : reply.groups) {
    writer.key(group.name);
    writer.begin_array();
    for (const model::Connection& connection : group.connections) {
      write_producer(writer, connection);
    }
    writer.end_array();
  }
  writer.end_object();
  writer.end_object();
}

Result<model::SubscriptionReply> decode_group_subscription(BytesView body) {
  constexpr std::string_view kData = "subscriptionData";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  model::SubscriptionReply reply;
  reply.group = object.text("group");
  reply.topic = object.text("topic");
  if (object.has(kData)) reply.subscription = to_model(read_subscription(object.object(kData)));
  return errors.finish(std::move(reply));
}

void append_group_subscription(std::string& out, const model::SubscriptionReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("group");
  writer.text(reply.group);
  if (reply.subscription) {
    writer.key("subscriptionData");
    write_subscription(writer, to_wire(*reply.subscription));
  }
  writer.key("topic");
  writer.text(reply.topic);
  writer.end_object();
}

}  // namespace sluice::remoting
