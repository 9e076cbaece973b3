#include "protocols/remoting/codec/heartbeat_body.hpp"

#include <array>
#include <optional>
#include <span>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"
#include "protocols/remoting/codec/subscription_json.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

// Names in the order of their numbers.
constexpr std::array<std::string_view, 6> kConsumeFromWhereNames = {
    "CONSUME_FROM_LAST_OFFSET",  "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST",
    "CONSUME_FROM_MIN_OFFSET",   "CONSUME_FROM_MAX_OFFSET",
    "CONSUME_FROM_FIRST_OFFSET", "CONSUME_FROM_TIMESTAMP"};
constexpr std::array<std::string_view, 3> kConsumeTypeNames = {"CONSUME_ACTIVELY",
                                                               "CONSUME_PASSIVELY", "CONSUME_POP"};
constexpr std::array<std::string_view, 2> kMessageModelNames = {"BROADCASTING", "CLUSTERING"};

template <class Enum>
Enum to_enum(std::string_view text, std::span<const std::string_view> names, Enum fallback) {
  const auto number = parse_decimal<std::size_t>(text);
  if (number) return *number < names.size() ? static_cast<Enum>(*number) : fallback;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return fallback;
}

template <class Enum>
std::string_view name_in(std::span<const std::string_view> names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

ConsumerData read_consumer(const JsonObject& object) {
  ConsumerData data;
  data.group_name = object.text("groupName");
  data.consume_type = consume_type(object.text("consumeType"));
  data.message_model = message_model(object.text("messageModel"));
  data.consume_from_where = consume_from_where(object.text("consumeFromWhere"));
  data.unit_mode = object.boolean("unitMode");
  object.for_each(
      "subscriptionDataSet", limits::kSubscriptionsPerGroupMax, [&](const json::value& value) {
        data.subscriptions.push_back(
            read_subscription(JsonObject(value, "subscriptionDataSet", object.errors())));
      });
  return data;
}

void write_consumer(JsonWriter& writer, const ConsumerData& data) {
  writer.begin_object();
  writer.key("consumeFromWhere");
  writer.text(name_of(data.consume_from_where));
  writer.key("consumeType");
  writer.text(name_of(data.consume_type));
  writer.key("groupName");
  writer.text(data.group_name);
  writer.key("messageModel");
  writer.text(name_of(data.message_model));
  writer.key("subscriptionDataSet");
  writer.begin_array();
  for (const SubscriptionData& subscription : data.subscriptions) {
    write_subscription(writer, subscription);
  }
  writer.end_array();
  writer.key("unitMode");
  writer.boolean(data.unit_mode);
  writer.end_object();
}

}  // namespace

SubscriptionData read_subscription(const JsonObject& object) {
  SubscriptionData data;
  data.topic = object.text("topic");
  data.sub_string = object.text("subString");
  data.expression_type = object.text("expressionType", data.expression_type);
  data.sub_version = object.int64("subVersion");
  data.class_filter_mode = object.boolean("classFilterMode");
  object.for_each("tagsSet", limits::kTagsPerSubscriptionMax, [&](const json::value& value) {
    auto tag = scalar_text(value);
    if (!tag) return object.errors().add("tagsSet", "holds something that is not a text");
    data.tags_set.push_back(*std::move(tag));
  });
  object.for_each("codeSet", limits::kTagsPerSubscriptionMax, [&](const json::value& value) {
    const auto code = scalar_int64(value);
    if (!code) return object.errors().add("codeSet", "holds something that is not an integer");
    data.code_set.push_back(static_cast<std::int32_t>(*code));
  });
  return data;
}

void write_subscription(JsonWriter& writer, const SubscriptionData& data) {
  writer.begin_object();
  writer.key("classFilterMode");
  writer.boolean(data.class_filter_mode);
  writer.key("codeSet");
  writer.begin_array();
  for (const std::int32_t code : data.code_set) writer.number(code);
  writer.end_array();
  writer.key("expressionType");
  writer.text(data.expression_type);
  writer.key("subString");
  writer.text(data.sub_string);
  writer.key("subVersion");
  writer.number(data.sub_version);
  writer.key("tagsSet");
  writer.begin_array();
  for (const std::string& tag : data.tags_set) writer.text(tag);
  writer.end_array();
  writer.key("topic");
  writer.text(data.topic);
  writer.end_object();
}

std::string_view name_of(ConsumeFromWhere from) noexcept {
  return name_in(kConsumeFromWhereNames, from);
}

std::string_view name_of(ConsumeType type) noexcept {
  return name_in(kConsumeTypeNames, type);
}

std::string_view name_of(MessageModel model) noexcept {
  return name_in(kMessageModelNames, model);
}

ConsumeFromWhere consume_from_where(std::string_view text) noexcept {
  return to_enum(text, kConsumeFromWhereNames, ConsumeFromWhere::last_offset);
}

ConsumeType consume_type(std::string_view text) noexcept {
  return to_enum(text, kConsumeTypeNames, ConsumeType::passively);
}

MessageModel message_model(std::string_view text) noexcept {
  return to_enum(text, kMessageModelNames, MessageModel::clustering);
}

Result<HeartbeatData> decode_heartbeat(BytesView body) {
  constexpr std::string_view kWhat = "heartbeat";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  HeartbeatData heartbeat;
  heartbeat.client_id = object.text("clientID");
  heartbeat.heartbeat_fingerprint = object.int32("heartbeatFingerprint");
  heartbeat.without_sub = object.boolean("withoutSub");
  object.for_each("producerDataSet", limits::kGroupsPerSessionMax, [&](const json::value& entry) {
    const JsonObject producer(entry, "producerDataSet", errors);
    heartbeat.producer_groups.push_back(producer.text("groupName"));
  });
  object.for_each("consumerDataSet", limits::kGroupsPerSessionMax, [&](const json::value& entry) {
    heartbeat.consumers.push_back(read_consumer(JsonObject(entry, "consumerDataSet", errors)));
  });
  return errors.finish(std::move(heartbeat));
}

Result<CheckClientRequest> decode_check_client_request(BytesView body) {
  constexpr std::string_view kWhat = "client check";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  CheckClientRequest request;
  request.client_id = object.text("clientId");
  request.group = object.text("group");
  request.name_space = object.text("namespace");
  request.subscription = read_subscription(object.object("subscriptionData"));
  return errors.finish(std::move(request));
}

Result<UnregisterClient> decode_unregister_client(const Fields& fields) {
  const auto client_id = fields.text("clientID");
  SLUICE_TRY(client_id);
  return UnregisterClient{.client_id = *client_id,
                          .producer_group = fields.text_or("producerGroup", {}),
                          .consumer_group = fields.text_or("consumerGroup", {})};
}

void append_heartbeat(std::string& out, const HeartbeatData& heartbeat) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("clientID");
  writer.text(heartbeat.client_id);
  writer.key("consumerDataSet");
  writer.begin_array();
  for (const ConsumerData& consumer : heartbeat.consumers) write_consumer(writer, consumer);
  writer.end_array();
  writer.key("heartbeatFingerprint");
  writer.number(heartbeat.heartbeat_fingerprint);
  writer.key("producerDataSet");
  writer.begin_array();
  for (const std::string& group : heartbeat.producer_groups) {
    writer.begin_object();
    writer.key("groupName");
    writer.text(group);
    writer.end_object();
  }
  writer.end_array();
  writer.key("withoutSub");
  writer.boolean(heartbeat.without_sub);
  writer.end_object();
}

void append_check_client_request(std::string& out, const CheckClientRequest& request) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("clientId");
  writer.text(request.client_id);
  writer.key("group");
  writer.text(request.group);
  if (!request.name_space.empty()) {
    writer.key("namespace");
    writer.text(request.name_space);
  }
  writer.key("subscriptionData");
  write_subscription(writer, request.subscription);
  writer.end_object();
}

void write_fields(FrameWriter& writer, const UnregisterClient& request) {
  writer.field("clientID", request.client_id);
  if (!request.producer_group.empty()) writer.field("producerGroup", request.producer_group);
  if (!request.consumer_group.empty()) writer.field("consumerGroup", request.consumer_group);
}

}  // namespace sluice::remoting
