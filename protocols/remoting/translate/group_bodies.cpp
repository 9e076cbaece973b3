#include "protocols/remoting/translate/group_bodies.hpp"

#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"
#include "protocols/remoting/translate/version_json.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

constexpr std::string_view kWhat = "group configuration";
constexpr std::string_view kDefaultRetryPolicy = R"({"type":"CUSTOMIZED"})";

model::GroupConfig read_group(const JsonObject& object) {
  model::GroupConfig group;
  group.name = object.text("groupName");
  group.may_consume = object.boolean("consumeEnable", group.may_consume);
  group.may_broadcast = object.boolean("consumeBroadcastEnable", group.may_broadcast);
  group.consumes_from_first = object.boolean("consumeFromMinEnable", group.consumes_from_first);
  group.consumes_orderly = object.boolean("consumeMessageOrderly", group.consumes_orderly);
  group.tells_of_changes = object.boolean("notifyConsumerIdsChangedEnable", group.tells_of_changes);
  group.retry_queues = object.int32("retryQueueNums", group.retry_queues);
  group.retry_max = object.int32("retryMaxTimes", group.retry_max);
  group.consume_timeout_minutes =
      object.int32("consumeTimeoutMinute", group.consume_timeout_minutes);
  group.system_flag = object.int32("groupSysFlag", group.system_flag);
  group.broker_id = object.int64("brokerId", group.broker_id);
  group.broker_id_when_slow =
      object.int64("whichBrokerWhenConsumeSlowly", group.broker_id_when_slow);
  group.retry_policy = object.json("groupRetryPolicy");
  if (group.retry_policy == kDefaultRetryPolicy) group.retry_policy.clear();
  group.subscriptions = object.json("subscriptionDataSet");
  object.for_each_member("attributes", limits::kGroupAttributesMax,
                         [&](std::string_view key, const json::value& value) {
                           group.attributes[std::string(key)] =
                               scalar_text(value).value_or(std::string{});
                         });
  return group;
}

void write_group(JsonWriter& writer, const model::GroupConfig& group) {
  writer.begin_object();
  writer.key("attributes");
  writer.begin_object();
  for (const auto& [name, value] : group.attributes) {
    writer.key(name);
    writer.text(value);
  }
  writer.end_object();
  writer.key("brokerId");
  writer.number(group.broker_id);
  writer.key("consumeBroadcastEnable");
  writer.boolean(group.may_broadcast);
  writer.key("consumeEnable");
  writer.boolean(group.may_consume);
  writer.key("consumeFromMinEnable");
  writer.boolean(group.consumes_from_first);
  writer.key("consumeMessageOrderly");
  writer.boolean(group.consumes_orderly);
  writer.key("consumeTimeoutMinute");
  writer.number(group.consume_timeout_minutes);
  writer.key("groupName");
  writer.text(group.name);
  writer.key("groupRetryPolicy");
  writer.json(group.retry_policy.empty() ? kDefaultRetryPolicy : group.retry_policy);
  writer.key("groupSysFlag");
  writer.number(group.system_flag);
  writer.key("notifyConsumerIdsChangedEnable");
  writer.boolean(group.tells_of_changes);
  writer.key("retryMaxTimes");
  writer.number(group.retry_max);
  writer.key("retryQueueNums");
  writer.number(group.retry_queues);
  if (!group.subscriptions.empty()) {
    writer.key("subscriptionDataSet");
    writer.json(group.subscriptions);
  }
  writer.key("whichBrokerWhenConsumeSlowly");
  writer.number(group.broker_id_when_slow);
  writer.end_object();
}

}  // namespace

Result<model::GroupConfig> decode_group_config(BytesView body) {
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  return errors.finish(read_group(JsonObject(*value, kWhat, errors)));
}

void append_group_config(std::string& out, const model::GroupConfig& group) {
  JsonWriter writer(out);
  write_group(writer, group);
}

Result<std::vector<model::GroupConfig>> decode_group_list(BytesView body) {
  constexpr std::string_view kList = "groupConfigList";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  std::vector<model::GroupConfig> groups;
  JsonObject(*value, kWhat, errors)
      .for_each(kList, limits::kGroupsPerRequestMax, [&](const json::value& group) {
        groups.push_back(read_group(JsonObject(group, kList, errors)));
      });
  return errors.finish(std::move(groups));
}

void append_group_list(std::string& out, const std::vector<model::GroupConfig>& groups) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("groupConfigList");
  writer.begin_array();
  for (const model::GroupConfig& group : groups) write_group(writer, group);
  writer.end_array();
  writer.end_object();
}

Result<model::GroupsReply> decode_group_table(BytesView body) {
  constexpr std::string_view kTable = "subscriptionGroupTable";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  model::GroupsReply reply;
  reply.version = read_version(object.object("dataVersion"));
  object.for_each_member(kTable, limits::kGroupsMax,
                         [&](std::string_view name, const json::value& group) {
                           auto config = read_group(JsonObject(group, kTable, errors));
                           config.name = name;
                           reply.groups.push_back(std::move(config));
                         });
  return errors.finish(std::move(reply));
}

void append_group_table(std::string& out, const model::GroupsReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("dataVersion");
  write_version(writer, reply.version);
  writer.key("forbiddenTable");
  writer.begin_object();
  writer.end_object();
  writer.key("subscriptionGroupTable");
  writer.begin_object();
  for (const model::GroupConfig& group : reply.groups) {
    writer.key(group.name);
    write_group(writer, group);
  }
  writer.end_object();
  writer.end_object();
}

}  // namespace sluice::remoting
