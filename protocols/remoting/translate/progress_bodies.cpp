#include "protocols/remoting/translate/progress_bodies.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/subscription_json.hpp"
#include "protocols/remoting/translate/queue_json.hpp"
#include "protocols/remoting/translate/subscription.hpp"
#include "protocols/remoting/translate/version_json.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

constexpr std::string_view kOffsetTable = "offsetTable";

// --- progress --------------------------------------------------------------------------------

void write_progress(JsonWriter& writer, const std::string& topic,
                    const model::QueueProgress& progress) {
  const std::int64_t consumed = std::max<std::int64_t>(progress.consumed, 0);
  write_queue_key(writer, progress.broker_name, topic, progress.queue);
  writer.begin_object();
  writer.key("brokerOffset");
  writer.number(progress.next);
  writer.key("consumerOffset");
  writer.number(consumed);
  writer.key("lastTimestamp");
  writer.number(progress.time_ms);
  writer.key("pullOffset");
  writer.number(consumed);
  writer.end_object();
}

template <class Parts>
void write_consume_stats(JsonWriter& writer, const Parts& parts) {
  double rate = 0;
  for (const model::ProgressReply::Part& part : parts) rate += part.get_rate;
  writer.begin_object();
  writer.key("consumeTps");
  writer.real(rate);
  writer.key(kOffsetTable);
  writer.begin_object();
  for (const model::ProgressReply::Part& part : parts) {
    for (const model::QueueProgress& queue : part.queues) {
      write_progress(writer, part.topic, queue);
    }
  }
  writer.end_object();
  writer.end_object();
}

/// Adds the parts of one ConsumeStats.
void read_consume_stats(const JsonObject& object, const std::string& group,
                        std::vector<model::ProgressReply::Part>& parts) {
  const std::size_t first = parts.size();
  object.for_each_member(
      kOffsetTable, limits::kQueuesPerReplyMax,
      [&](std::string_view key, const json::value& value) {
        QueueName name = read_queue_key(key, object.errors());
        const JsonObject queue(value, kOffsetTable, object.errors());
        const bool is_new = parts.size() == first || parts.back().topic != name.topic;
        if (is_new) {
          auto& part = parts.emplace_back();
          part.group = group;
          part.topic = std::move(name.topic);
        }
        parts.back().queues.push_back({.broker_name = std::move(name.broker_name),
                                       .queue = name.queue,
                                       .next = queue.int64("brokerOffset"),
                                       .consumed = queue.int64("consumerOffset"),
                                       .time_ms = queue.int64("lastTimestamp")});
      });
  if (parts.size() > first) parts[first].get_rate = object.real("consumeTps");
}

}  // namespace

Result<model::ProgressReply> decode_consume_stats(BytesView body) {
  constexpr std::string_view kWhat = "consume statistics";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  model::ProgressReply reply;
  read_consume_stats(JsonObject(*value, kWhat, errors), {}, reply.parts);
  return errors.finish(std::move(reply));
}

void append_consume_stats(std::string& out, const model::ProgressReply& reply) {
  JsonWriter writer(out);
  write_consume_stats(writer, reply.parts);
}

Result<model::ProgressReply> decode_consume_stats_list(BytesView body) {
  constexpr std::string_view kWhat = "consume statistics";
  constexpr std::string_view kList = "consumeStatsList";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  model::ProgressReply reply;
  reply.broker_address = object.text("brokerAddr");
  object.for_each(kList, limits::kGroupsMax, [&](const json::value& entry) {
    const json::object* const by_group = entry.if_object();
    if (by_group == nullptr) return errors.add(kList, "holds something that is not an object");
    for (const auto& [group, list] : *by_group) {
      const json::array* const stats = list.if_array();
      if (stats == nullptr) return errors.add(kList, "holds a group without a list");
      for (const json::value& one : *stats) {
        read_consume_stats(JsonObject(one, kList, errors), std::string(group), reply.parts);
      }
    }
  });
  return errors.finish(std::move(reply));
}

void append_consume_stats_list(std::string& out, const model::ProgressReply& reply) {
  std::int64_t behind = 0;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("brokerAddr");
  writer.text(reply.broker_address);
  writer.key("consumeStatsList");
  writer.begin_array();
  for (auto part = reply.parts.begin(); part != reply.parts.end();) {
    const auto end = std::find_if(part, reply.parts.end(),
                                  [&](const auto& other) { return other.group != part->group; });
    writer.begin_object();
    writer.key(part->group);
    writer.begin_array();
    for (; part != end; ++part) {
      for (const model::QueueProgress& queue : part->queues) {
        behind += queue.next - std::max<std::int64_t>(queue.consumed, 0);
      }
      write_consume_stats(writer, std::span(&*part, 1));
    }
    writer.end_array();
    writer.end_object();
  }
  writer.end_array();
  writer.key("totalDiff");
  writer.number(behind);
  writer.key("totalInflightDiff");
  writer.number(0);
  writer.end_object();
}

// --- topics ----------------------------------------------------------------------------------

Result<model::TopicStatsReply> decode_topic_stats(BytesView body) {
  constexpr std::string_view kWhat = "topic statistics";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  model::TopicStatsReply reply;
  reply.put_rate = object.real("topicPutTps");
  object.for_each_member(
      kOffsetTable, limits::kQueuesPerReplyMax,
      [&](std::string_view key, const json::value& entry) {
        QueueName name = read_queue_key(key, errors);
        const JsonObject queue(entry, kOffsetTable, errors);
        reply.queues.push_back({.broker_name = std::move(name.broker_name),
                                .topic = std::move(name.topic),
                                .queue = name.queue,
                                .first = queue.int64("minOffset"),
                                .next = queue.int64("maxOffset"),
                                .updated_at_ms = queue.int64("lastUpdateTimestamp")});
      });
  return errors.finish(std::move(reply));
}

void append_topic_stats(std::string& out, const model::TopicStatsReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key(kOffsetTable);
  writer.begin_object();
  for (const model::QueueStats& queue : reply.queues) {
    write_queue_key(writer, queue.broker_name, queue.topic, queue.queue);
    writer.begin_object();
    writer.key("lastUpdateTimestamp");
    writer.number(queue.updated_at_ms);
    writer.key("maxOffset");
    writer.number(queue.next);
    writer.key("minOffset");
    writer.number(queue.first);
    writer.end_object();
  }
  writer.end_object();
  writer.key("topicPutTps");
  writer.real(reply.put_rate);
  writer.end_object();
}

// --- times -----------------------------------------------------------------------------------

Result<model::TimeSpansReply> decode_time_spans(BytesView body) {
  constexpr std::string_view kWhat = "time spans";
  constexpr std::string_view kSet = "consumeTimeSpanSet";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  model::TimeSpansReply reply;
  JsonObject(*value, kWhat, errors)
      .for_each(kSet, limits::kQueuesPerReplyMax, [&](const json::value& entry) {
        const JsonObject span(entry, kSet, errors);
        QueueName name = read_queue(span.object("messageQueue"));
        reply.spans.push_back({.broker_name = std::move(name.broker_name),
                               .topic = std::move(name.topic),
                               .queue = name.queue,
                               .first_ms = span.int64("minTimeStamp"),
                               .last_ms = span.int64("maxTimeStamp"),
                               .consumed_ms = span.int64("consumeTimeStamp"),
                               .delay_ms = span.int64("delayTime")});
      });
  return errors.finish(std::move(reply));
}

void append_time_spans(std::string& out, const model::TimeSpansReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("consumeTimeSpanSet");
  writer.begin_array();
  for (const model::TimeSpan& span : reply.spans) {
    writer.begin_object();
    writer.key("consumeTimeStamp");
    writer.number(span.consumed_ms);
    writer.key("delayTime");
    writer.number(span.delay_ms);
    writer.key("maxTimeStamp");
    writer.number(span.last_ms);
    writer.key("messageQueue");
    write_queue(writer, span.broker_name, span.topic, span.queue);
    writer.key("minTimeStamp");
    writer.number(span.first_ms);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
}

}  // namespace sluice::remoting
