#include "protocols/remoting/translate/broker_bodies.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

// --- rates -----------------------------------------------------------------------------------

void write_rate(JsonWriter& writer, std::string_view key, const model::Rate& rate) {
  writer.key(key);
  writer.begin_object();
  writer.key("avgpt");
  writer.real(rate.per_call);
  writer.key("sum");
  writer.number(static_cast<std::int64_t>(rate.sum));
  writer.key("tps");
  writer.real(rate.per_second);
  writer.end_object();
}

model::Rate read_rate(const JsonObject& object) {
  return {.sum = static_cast<std::uint64_t>(object.int64("sum")),
          .per_second = object.real("tps"),
          .per_call = object.real("avgpt")};
}

}  // namespace

Result<model::RatesReply> decode_rates(BytesView body) {
  constexpr std::string_view kWhat = "rates";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  return errors.finish(model::RatesReply{.minute = read_rate(object.object("statsMinute")),
                                         .hour = read_rate(object.object("statsHour")),
                                         .day = read_rate(object.object("statsDay"))});
}

void append_rates(std::string& out, const model::RatesReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  write_rate(writer, "statsDay", reply.day);
  write_rate(writer, "statsHour", reply.hour);
  write_rate(writer, "statsMinute", reply.minute);
  writer.end_object();
}

// --- tables ----------------------------------------------------------------------------------

Result<std::vector<model::NameValue>> decode_table(BytesView body) {
  constexpr std::string_view kWhat = "table";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  std::vector<model::NameValue> table;
  JsonObject(*value, kWhat, errors)
      .for_each_member(kWhat, limits::kSettingsPerRequestMax,
                       [&](std::string_view name, const json::value& text) {
                         table.emplace_back(name, scalar_text(text).value_or(std::string{}));
                       });
  return errors.finish(std::move(table));
}

void append_table(std::string& out, const std::vector<model::NameValue>& table) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("table");
  writer.begin_object();
  for (const auto& [name, value] : table) {
    writer.key(name);
    writer.text(value);
  }
  writer.end_object();
  writer.end_object();
}

// --- topics ----------------------------------------------------------------------------------

namespace {

model::CreateTopic read_topic(const JsonObject& object) {
  model::CreateTopic create;
  model::TopicConfig& config = create.config;
  config.name = object.text("topicName");
  config.read_queues = object.int32("readQueueNums", config.read_queues);
  config.write_queues = object.int32("writeQueueNums", config.write_queues);
  config.permission = object.int32("perm", config.permission);
  config.system_flag = object.int32("topicSysFlag");
  config.is_ordered = object.boolean("order");
  config.filter_type = object.text("topicFilterType", config.filter_type);
  object.for_each_member("attributes", limits::kTopicAttributesMax,
                         [&](std::string_view name, const json::value& value) {
                           if (name.starts_with('-')) {
                             create.removed_attributes.emplace_back(name.substr(1));
                             return;
                           }
                           if (name.starts_with('+')) name.remove_prefix(1);
                           config.attributes[std::string(name)] =
                               scalar_text(value).value_or(std::string{});
                         });
  return create;
}

}  // namespace

Result<model::CreateTopics> decode_topic_configs(BytesView body) {
  constexpr std::string_view kWhat = "topic list";
  constexpr std::string_view kList = "topicConfigList";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  model::CreateTopics create;
  JsonObject(*value, kWhat, errors)
      .for_each(kList, limits::kTopicsPerRequestMax, [&](const json::value& topic) {
        create.topics.push_back(read_topic(JsonObject(topic, kList, errors)));
      });
  return errors.finish(std::move(create));
}

}  // namespace sluice::remoting
