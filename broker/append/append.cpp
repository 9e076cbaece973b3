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

tl::unexpected<Error> delays_are_not_served() {
  return fail(Errc::message_illegal,
              "delayed messages are not served by this version: send without a delay");
}

tl::unexpected<Error> transactions_are_not_served() {
  return fail(Errc::message_illegal,
              "transactions are not served by this version: send without one");
}

/// Services that are not built yet are refused, rather than delivered at once as if nothing was
/// asked.
Result<MessageKeys> keys_of(std::string_view properties) {
  MessageKeys found;
  model::PropertyCursor cursor(properties);
  while (const auto entry = cursor.next()) {
    const std::string_view name = entry->name;
    if (name == property::kUniqueKey) {
      found.unique_key = entry->value;
    } else if (name == property::kKeys) {
      found.keys = entry->value;
    } else if (name == property::kTags) {
      found.tag_hash = model::tag_hash(entry->value);
    } else if (name == property::kDelayLevel) {
      if (entry->value != "0") return delays_are_not_served();
    } else if (name == property::kTimerDelaySeconds || name == property::kTimerDelayMillis ||
               name == property::kTimerDeliverMillis) {
      return delays_are_not_served();
    } else if (name == property::kTransactionPrepared) {
      if (entry->value == "true") return transactions_are_not_served();
    }
  }
  return found;
}

std::size_t added_properties_bytes(const model::Send& send) noexcept {
  // Region, trace switch, cluster and unique key: reserved whether they are added or not, so that
  // what is accepted does not depend on the cluster's name.
  constexpr std::size_t reserved = 512;
  return send.is_batch ? 0 : reserved;
}

/// Encoded properties that the broker adds to every message of a send.
class AddedProperties {
 public:
  AddedProperties(const PlannedSend& planned, const AppendSettings& settings) {
    if (planned.send->is_batch) return;
    view_ = settings.broker_properties;
    if (!planned.is_unique_key_made) return;
    memory_.append(settings.broker_properties).append(property::kUniqueKey).push_back('\x01');
    memory_.append(planned.unique_key).push_back('\x02');
    view_ = memory_;
  }
  AddedProperties(const AddedProperties&) = delete;
  AddedProperties& operator=(const AddedProperties&) = delete;

  [[nodiscard]] std::string_view view() const noexcept { return view_; }

 private:
  std::string memory_;
  std::string_view view_;
};

model::StoredMessageFields fields_of(const PlannedSend& planned, const NewMessage& message,
                                     std::string_view more_properties,
                                     const AppendSettings& settings) {
  const model::Send& send = *planned.send;
  return {.queue = planned.queue,
          .flag = message.flag,
          .system_flag = send.system_flag,
          .born_at_ms = send.born_at_ms,
          .born_host = send.born_host,
          .store_host_is_v6 = settings.store_host.is_v6,
          .reconsume_times = send.reconsume_times,
          .body = message.body,
          .topic = planned.topic->config().name,
          .properties = message.properties,
          .more_properties = more_properties};
}

/// A longer key would have the engine refuse the message, and all that share its batch.
bool is_indexable(std::string_view key) noexcept {
  constexpr std::size_t kTopicNumberBytes = 4;
  return !key.empty() && key.size() + kTopicNumberBytes <= limits::kKeyBytesMax;
}

void add_index_keys(storage::NewRecord& record, keys::TopicNumber topic,
                    std::string_view unique_key, std::string_view keys_text) {
  if (is_indexable(unique_key)) record.index_keys.push_back(keys::index(topic, unique_key));
  while (!keys_text.empty()) {
    const std::size_t blank = std::min(keys_text.find(' '), keys_text.size());
    const std::string_view key = keys_text.substr(0, blank);
    keys_text.remove_prefix(std::min(blank + 1, keys_text.size()));
    if (is_indexable(key) && key != unique_key) {
      record.index_keys.push_back(keys::index(topic, key));
    }
  }
}

}  // namespace

Result<MessageKeysList> examine_messages(const model::Send& send) {
  if (send.messages.empty() || send.messages.size() > limits::kMessagesPerBatchMax) {
    return fail(Errc::message_illegal,
                "a batch holds 1 to " + std::to_string(limits::kMessagesPerBatchMax) +
                    " messages; this one has " + std::to_string(send.messages.size()));
  }
  MessageKeysList keys;
  keys.reserve(send.messages.size());
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
    const auto found = keys_of(message.properties);
    SLUICE_TRY(found);
    keys.push_back(*found);
  }
  if (body_bytes > limits::kMessageBodyBytesMax) {
    return fail(Errc::payload_too_large, "the body has " + std::to_string(body_bytes) +
                                             " bytes; the limit is " +
                                             std::to_string(limits::kMessageBodyBytesMax));
  }
  return keys;
}

storage::WriteBatch build_batch(const std::vector<PlannedSend>& sends,
                                const AppendSettings& settings) {
  std::size_t bytes = 0;
  std::size_t records = 0;
  for (const PlannedSend& planned : sends) {
    const AddedProperties added(planned, settings);
    records += planned.send->messages.size();
    for (const NewMessage& message : planned.send->messages) {
      bytes += model::stored_message_size(fields_of(planned, message, added.view(), settings));
    }
  }
  const auto buffer = Buffer::make(bytes);
  std::size_t at = 0;
  storage::WriteBatch batch;
  batch.reserve(records);
  for (const PlannedSend& planned : sends) {
    const AddedProperties added(planned, settings);
    const keys::TopicNumber topic = planned.topic->number();
    const auto& queue = planned.topic->queues()[static_cast<std::size_t>(planned.queue)];
    for (std::size_t k = 0; k < planned.send->messages.size(); ++k) {
      const auto fields = fields_of(planned, planned.send->messages[k], added.view(), settings);
      const std::size_t size = model::stored_message_size(fields);
      model::encode_stored_message(fields, buffer->data() + at);
      const MessageKeys& found = planned.keys[k];
      storage::NewRecord& record = batch.append();
      record.logs.push_back(queue->log);
      record.tag_hash = found.tag_hash;
      const std::string_view unique_key =
          planned.send->is_batch ? found.unique_key : std::string_view(planned.unique_key);
      add_index_keys(record, topic, unique_key, found.keys);
      record.payload = buffer->slice(at, size);
      at += size;
    }
  }
  return batch;
}

model::SendReply make_reply(PlannedSend& planned, const AppendSettings& settings,
                            std::span<const storage::Appended> appended) {
  model::SendReply reply;
  reply.queue = planned.queue;
  reply.offset = appended.front().offsets.front().value;
  reply.stored_at_ms = appended.front().stored_at.value;
  reply.positions.reserve(appended.size());
  for (const storage::Appended& record : appended) {
    reply.positions.push_back(record.position.value);
  }
  reply.unique_key = std::move(planned.unique_key);
  reply.store_host = settings.store_host;
  return reply;
}

SmallVector<std::uint64_t, 4> tag_hashes_of(const PlannedSend& planned) {
  SmallVector<std::uint64_t, 4> hashes;
  for (const MessageKeys& keys : planned.keys) {
    const bool is_known = std::ranges::find(hashes, keys.tag_hash) != hashes.end();
    if (!is_known) hashes.push_back(keys.tag_hash);
  }
  return hashes;
}

}  // namespace sluice::broker
