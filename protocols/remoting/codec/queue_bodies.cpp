#include "protocols/remoting/codec/queue_bodies.hpp"

#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_reader.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

MessageQueue read_queue(const JsonObject& object) {
  return {.broker_name = object.text("brokerName"),
          .topic = object.text("topic"),
          .queue_id = object.int32("queueId")};
}

std::vector<MessageQueue> read_queues(const JsonObject& object, std::string_view name) {
  std::vector<MessageQueue> queues;
  object.for_each(name, limits::kQueuesPerLockMax, [&](const json::value& value) {
    queues.push_back(read_queue(JsonObject(value, name, object.errors())));
  });
  return queues;
}

/// The keys are queues, each a text by now (parse_json).
QueueOffsets read_offsets(const JsonObject& object, std::string_view name) {
  QueueOffsets offsets;
  JsonErrors& errors = object.errors();
  object.for_each_member(name, limits::kQueuesPerLockMax,
                         [&](std::string_view key, const json::value& value) {
                           const auto queue = parse_json(as_bytes(key), name);
                           const auto offset = scalar_int64(value);
                           if (!queue || !queue->is_object())
                             return errors.add(name, "has a key that is no queue");
                           if (!offset) return errors.add(name, "has a value that is no offset");
                           offsets[read_queue(JsonObject(*queue, name, errors))] = *offset;
                         });
  return offsets;
}

void write_queue(JsonWriter& writer, const MessageQueue& queue) {
  writer.begin_object();
  writer.key("brokerName");
  writer.text(queue.broker_name);
  writer.key("queueId");
  writer.number(queue.queue_id);
  writer.key("topic");
  writer.text(queue.topic);
  writer.end_object();
}

void write_queues(JsonWriter& writer, std::string_view name,
                  const std::vector<MessageQueue>& queues) {
  writer.key(name);
  writer.begin_array();
  for (const MessageQueue& queue : queues) write_queue(writer, queue);
  writer.end_array();
}

void write_offsets(JsonWriter& writer, const QueueOffsets& offsets) {
  writer.begin_object();
  for (const auto& [queue, offset] : offsets) {
    std::string key;
    JsonWriter key_writer(key);
    write_queue(key_writer, queue);
    // quote_bare_keys() leaves it alone then.
    const bool has_escapes = key.find('\\') != std::string::npos;
    if (has_escapes) {
      writer.key(key);
    } else {
      writer.bare_key(key);
    }
    writer.number(offset);
  }
  writer.end_object();
}

}  // namespace

Result<QueueLockRequest> decode_queue_lock_request(BytesView body) {
  constexpr std::string_view kWhat = "queue lock";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  QueueLockRequest request;
  request.client_id = object.text("clientId");
  request.consumer_group = object.text("consumerGroup");
  request.queues = read_queues(object, "mqSet");
  return errors.finish(std::move(request));
}

Result<QueueLockAnswer> decode_queue_lock_answer(BytesView body) {
  constexpr std::string_view kWhat = "locked queues";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  QueueLockAnswer answer{.locked = read_queues(object, "lockOKMQSet")};
  return errors.finish(std::move(answer));
}

Result<ResetOffsetBody> decode_reset_offset_body(BytesView body) {
  constexpr std::string_view kWhat = "offsets";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  ResetOffsetBody result{.offsets = read_offsets(object, "offsetTable")};
  return errors.finish(std::move(result));
}

Result<ConsumerStatusBody> decode_consumer_status_body(BytesView body) {
  constexpr std::string_view kWhat = "consumer status";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  ConsumerStatusBody result{.offsets = read_offsets(object, "messageQueueTable")};
  const JsonObject clients = object.object("consumerTable");
  object.for_each_member("consumerTable", limits::kQueuesPerLockMax,
                         [&](std::string_view client, const json::value& /*offsets*/) {
                           result.by_client[std::string(client)] = read_offsets(clients, client);
                         });
  return errors.finish(std::move(result));
}

void append_queue_lock_request(std::string& out, const QueueLockRequest& request) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("clientId");
  writer.text(request.client_id);
  writer.key("consumerGroup");
  writer.text(request.consumer_group);
  write_queues(writer, "mqSet", request.queues);
  writer.end_object();
}

void append_queue_lock_answer(std::string& out, const QueueLockAnswer& answer) {
  JsonWriter writer(out);
  writer.begin_object();
  write_queues(writer, "lockOKMQSet", answer.locked);
  writer.end_object();
}

void append_reset_offset_body(std::string& out, const ResetOffsetBody& body) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("offsetTable");
  write_offsets(writer, body.offsets);
  writer.end_object();
}

void append_consumer_status_body(std::string& out, const ConsumerStatusBody& body) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("consumerTable");
  writer.begin_object();
  for (const auto& [client, offsets] : body.by_client) {
    writer.key(client);
    write_offsets(writer, offsets);
  }
  writer.end_object();
  writer.key("messageQueueTable");
  write_offsets(writer, body.offsets);
  writer.end_object();
}

}  // namespace sluice::remoting
