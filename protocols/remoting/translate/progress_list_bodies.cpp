// progress_bodies.hpp: the lists of a broker's whole progress, of a queue's entries and of names.

#include <string_view>
#include <utility>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/subscription_json.hpp"
#include "protocols/remoting/translate/progress_bodies.hpp"
#include "protocols/remoting/translate/subscription.hpp"
#include "protocols/remoting/translate/version_json.hpp"

namespace sluice::remoting {

namespace {

namespace json = boost::json;

using Entry = model::AllProgressReply::Entry;

constexpr std::string_view kOffsetTable = "offsetTable";
constexpr char kBetween = '@';  // of topic and group

void read_queues(std::string_view key, const json::value& value, JsonErrors& errors,
                 std::vector<Entry>& entries) {
  const std::size_t at = key.find(kBetween);
  const json::object* const queues = value.if_object();
  if (at == std::string_view::npos || queues == nullptr) {
    return errors.add(kOffsetTable, "holds something that is not a group's progress");
  }
  for (const auto& [number, offset] : *queues) {
    const auto queue = parse_decimal<std::int32_t>(std::string_view(number));
    const auto known = scalar_int64(offset);
    if (!queue || !known) return errors.add(kOffsetTable, "holds something that is no offset");
    entries.push_back(
        {std::string(key.substr(0, at)), std::string(key.substr(at + 1)), *queue, *known});
  }
}

}  // namespace

Result<model::AllProgressReply> decode_all_progress(BytesView body) {
  constexpr std::string_view kWhat = "progress";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  model::AllProgressReply reply;
  JsonObject(*value, kWhat, errors)
      .for_each_member(kOffsetTable, limits::kProgressEntriesPerReplyMax,
                       [&](std::string_view key, const json::value& queues) {
                         read_queues(key, queues, errors, reply.entries);
                       });
  return errors.finish(std::move(reply));
}

void append_all_progress(std::string& out, const model::AllProgressReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("dataVersion");
  write_version(writer, {});
  writer.key(kOffsetTable);
  writer.begin_object();
  for (auto entry = reply.entries.begin(); entry != reply.entries.end();) {
    const Entry& first = *entry;
    writer.key(first.topic + kBetween + first.group);
    writer.begin_object();
    for (;
         entry != reply.entries.end() && entry->topic == first.topic && entry->group == first.group;
         ++entry) {
      writer.bare_key(std::int64_t{entry->queue});
      writer.number(entry->offset);
    }
    writer.end_object();
  }
  writer.end_object();
  writer.end_object();
}

// --- entries of a queue ----------------------------------------------------------------------

Result<model::QueueEntriesReply> decode_queue_entries(BytesView body) {
  constexpr std::string_view kWhat = "queue entries";
  constexpr std::string_view kData = "queueData";
  constexpr std::string_view kSubscription = "subscriptionData";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  const JsonObject object(*value, kWhat, errors);
  model::QueueEntriesReply reply;
  reply.first = object.int64("minQueueIndex");
  reply.next = object.int64("maxQueueIndex");
  if (object.has(kSubscription)) {
    reply.subscription = to_model(read_subscription(object.object(kSubscription)));
  }
  object.for_each(kData, limits::kInspectedEntriesMax, [&](const json::value& element) {
    const JsonObject entry(element, kData, errors);
    reply.entries.push_back({.position = static_cast<std::uint64_t>(entry.int64("physicOffset")),
                             .bytes = entry.int32("physicSize"),
                             .tag_hash = entry.int64("tagsCode")});
  });
  return errors.finish(std::move(reply));
}

void append_queue_entries(std::string& out, const model::QueueEntriesReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("maxQueueIndex");
  writer.number(reply.next);
  writer.key("minQueueIndex");
  writer.number(reply.first);
  writer.key("queueData");
  writer.begin_array();
  for (const model::QueueEntry& entry : reply.entries) {
    writer.begin_object();
    writer.key("eval");
    writer.boolean(false);
    writer.key("physicOffset");
    writer.number(static_cast<std::int64_t>(entry.position));
    writer.key("physicSize");
    writer.number(entry.bytes);
    writer.key("tagsCode");
    writer.number(entry.tag_hash);
    writer.end_object();
  }
  writer.end_array();
  if (reply.subscription) {
    writer.key("subscriptionData");
    write_subscription(writer, to_wire(*reply.subscription));
  }
  writer.end_object();
}

// --- names -----------------------------------------------------------------------------------

Result<model::NameListReply> decode_group_names(BytesView body) {
  constexpr std::string_view kWhat = "group names";
  constexpr std::string_view kList = "groupList";
  const auto value = parse_json(body, kWhat);
  SLUICE_TRY(value);
  JsonErrors errors(kWhat);
  model::NameListReply reply;
  JsonObject(*value, kWhat, errors).for_each(kList, limits::kGroupsMax, [&](const json::value& it) {
    auto name = scalar_text(it);
    if (!name) return errors.add(kList, "holds something that is not a text");
    reply.names.push_back(*std::move(name));
  });
  return errors.finish(std::move(reply));
}

void append_group_names(std::string& out, const model::NameListReply& reply) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("groupList");
  writer.begin_array();
  for (const std::string& name : reply.names) writer.text(name);
  writer.end_array();
  writer.end_object();
}

}  // namespace sluice::remoting
