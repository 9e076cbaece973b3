#include "broker/append/append.hpp"

#include <algorithm>
#include <utility>

#include "common/base/limits.hpp"
#include "common/model/filter.hpp"
#include "common/model/properties.hpp"
#include "common/model/stored_message.hpp"

namespace sluice::broker {

namespace {

using model::NewMessage;
namespace property = model::property;

/// What the broker reads of a message's properties, in one pass.
struct MessageKeys {
  std::string_view tag;
  std::string_view keys;
  std::string_view unique_key;
};

MessageKeys keys_of(std::string_view properties) noexcept {
  MessageKeys found;
  model::PropertyCursor cursor(properties);
  while (const auto entry = cursor.next()) {
    if (entry->name == property::kTags) found.tag = entry->value;
    if (entry->name == property::kKeys) found.keys = entry->value;
    if (entry->name == property::kUniqueKey) found.unique_key = entry->value;
  }
  return found;
}

/// Services that are not built yet: refused rather than delivered at once as if nothing was asked.
Result<> check_services(std::string_view properties) {
  model::PropertyCursor cursor(properties);
  while (const auto entry = cursor.next()) {
    const bool is_delayed = (entry->name == property::kDelayLevel && entry->value != "0") ||
                            entry->name == property::kTimerDelaySeconds ||
                            entry->name == property::kTimerDelayMillis ||
                            entry->name == property::kTimerDeliverMillis;
    if (is_delayed) {
      return fail(Errc::message_illegal,
                  "delayed messages are not served by this version: send without a delay");
    }
    if (entry->name == property::kTransactionPrepared && entry->value == "true") {
      return fail(Errc::message_illegal,
                  "transactions are not served by this version: send without one");
    }
  }
  return {};
}

std::size_t added_properties_bytes(const model::Send& send) noexcept {
  // Region, trace switch, cluster and unique key: reserved whether they are added or not, so that
  // what is accepted does not depend on the cluster's name.
  constexpr std::size_t reserved = 512;
  return send.is_batch ? 0 : reserved;
}

/// All that encode_stored_message() takes, and the memory that it views.
class Payload {
 public:
  Payload(const PlannedSend& planned, const NewMessage& message, const AppendSettings& settings) {
    fields.queue = planned.queue;
    fields.flag = message.flag;
    fields.system_flag = planned.send.system_flag;
    fields.born_at_ms = planned.send.born_at_ms;
    fields.born_host = planned.send.born_host;
    fields.store_host_is_v6 = settings.store_host.is_v6;
    fields.reconsume_times = planned.send.reconsume_times;
    fields.body = message.body;
    fields.topic = planned.topic->config().name;
    fields.properties = message.properties;
    if (planned.send.is_batch) return;
    fields.more_properties = settings.broker_properties;
    if (planned.has_unique_key) return;
    more_.append(settings.broker_properties);
    more_.append(property::kUniqueKey).push_back('\x01');
    more_.append(planned.unique_key).push_back('\x02');
    fields.more_properties = more_;
  }
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  model::StoredMessageFields fields;

 private:
  std::string more_;
};

void add_index_keys(storage::NewRecord& record, keys::TopicNumber topic,
                    std::string_view unique_key, std::string_view keys_text) {
  if (!unique_key.empty()) record.index_keys.push_back(keys::index(topic, unique_key));
  while (!keys_text.empty()) {
    const std::size_t blank = std::min(keys_text.find(' '), keys_text.size());
    const std::string_view key = keys_text.substr(0, blank);
    keys_text.remove_prefix(std::min(blank + 1, keys_text.size()));
    const bool is_indexable = !key.empty() && key.size() + 4 <= limits::kKeyBytesMax;
    if (is_indexable && key != unique_key) record.index_keys.push_back(keys::index(topic, key));
  }
}

}  // namespace

Result<> check_messages(const model::Send& send) {
  if (send.messages.empty() || send.messages.size() > limits::kMessagesPerBatchMax) {
    return fail(Errc::message_illegal,
                "a batch holds 1 to " + std::to_string(limits::kMessagesPerBatchMax) +
                    " messages; this one has " + std::to_string(send.messages.size()));
  }
  std::size_t body_bytes = 0;
  for (const NewMessage& message : send.messages) {
    body_bytes += message.body.size();
    const std::size_t properties_bytes = message.properties.size() + added_properties_bytes(send);
    if (properties_bytes > limits::kPropertiesBytesMax) {
      return fail(Errc::message_illegal,
                  "the properties have " + std::to_string(message.properties.size()) +
                      " bytes; the limit is " +
                      std::to_string(limits::kPropertiesBytesMax - added_properties_bytes(send)));
    }
    SLUICE_TRY(check_services(message.properties));
  }
  if (body_bytes > limits::kMessageBodyBytesMax) {
    return fail(Errc::payload_too_large, "the body has " + std::to_string(body_bytes) +
                                             " bytes; the limit is " +
                                             std::to_string(limits::kMessageBodyBytesMax));
  }
  return {};
}

void choose_unique_key(PlannedSend& planned, std::string spare_key) {
  if (planned.send.is_batch) return;
  const std::string_view own =
      model::find_property(planned.send.messages[0].properties, property::kUniqueKey)
          .value_or(std::string_view{});
  planned.has_unique_key = !own.empty();
  planned.unique_key = planned.has_unique_key ? std::string(own) : std::move(spare_key);
}

storage::WriteBatch build_batch(const std::vector<PlannedSend>& sends,
                                const AppendSettings& settings) {
  std::size_t bytes = 0;
  for (const PlannedSend& planned : sends) {
    for (const NewMessage& message : planned.send.messages) {
      bytes += model::stored_message_size(Payload(planned, message, settings).fields);
    }
  }
  const auto buffer = Buffer::make(bytes);
  std::size_t at = 0;
  storage::WriteBatch batch;
  for (const PlannedSend& planned : sends) {
    const keys::TopicNumber topic = planned.topic->number();
    const auto& queue = planned.topic->queues()[static_cast<std::size_t>(planned.queue)];
    for (const NewMessage& message : planned.send.messages) {
      const Payload payload(planned, message, settings);
      const std::size_t size = model::stored_message_size(payload.fields);
      model::encode_stored_message(payload.fields, buffer->data() + at);
      const MessageKeys found = keys_of(message.properties);
      storage::NewRecord record;
      record.logs.push_back(queue->log);
      record.tag_hash = found.tag.empty() ? 0 : model::tag_hash(found.tag);
      const std::string_view unique_key =
          planned.send.is_batch ? found.unique_key : std::string_view(planned.unique_key);
      add_index_keys(record, topic, unique_key, found.keys);
      record.payload = buffer->slice(at, size);
      batch.append(std::move(record));
      at += size;
    }
  }
  return batch;
}

model::SendReply make_reply(const PlannedSend& planned, const AppendSettings& settings,
                            std::span<const storage::Appended> appended) {
  model::SendReply reply;
  reply.queue = planned.queue;
  reply.offset = appended.front().offsets.front().value;
  reply.stored_at_ms = appended.front().stored_at.value;
  reply.positions.reserve(appended.size());
  for (const storage::Appended& record : appended) {
    reply.positions.push_back(record.position.value);
  }
  reply.unique_key = planned.unique_key;
  reply.store_host = settings.store_host;
  return reply;
}

SmallVector<std::uint64_t, 4> tag_hashes_of(const model::Send& send) {
  SmallVector<std::uint64_t, 4> hashes;
  for (const NewMessage& message : send.messages) {
    const std::uint64_t hash = model::tag_hash(keys_of(message.properties).tag);
    if (std::ranges::find(hashes, hash) == hashes.end()) hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace sluice::broker
