#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "broker/broker.hpp"
#include "common/base/limits.hpp"
#include "common/model/filter.hpp"
#include "common/model/properties.hpp"
#include "common/model/stored_message.hpp"

namespace sluice::broker {

namespace {

using model::MessageIndex;
namespace property = model::property;

/// Records read at once while looking for a tag.
constexpr std::int64_t kTagScanStep = 1024;

bool lists_key(std::string_view keys, std::string_view key) {
  while (!keys.empty()) {
    const std::size_t blank = std::min(keys.find(' '), keys.size());
    if (keys.substr(0, blank) == key) return true;
    keys.remove_prefix(std::min(blank + 1, keys.size()));
  }
  return false;
}

/// Does the message carry what is asked for, in the property that is meant? The engine's index
/// holds keys of both kinds, and tags are compared by their hashes.
bool matches(const storage::Record& record, const model::QueryMessages& query) {
  if (query.index == MessageIndex::any_key) return true;
  const auto message = model::StoredMessageView::parse(record.payload.bytes());
  if (!message) return false;
  const auto value_of = [&](std::string_view name) {
    return model::find_property(message->properties(), name).value_or(std::string_view{});
  };
  switch (query.index) {
    case MessageIndex::key:
      return lists_key(value_of(property::kKeys), query.key);
    case MessageIndex::unique_key:
      return value_of(property::kUniqueKey) == query.key;
    case MessageIndex::tag:
      return value_of(property::kTags) == query.key;
    case MessageIndex::any_key:
      break;
  }
  return true;
}

UnixMillis behind(std::int64_t last_ms) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  return UnixMillis{last_ms == kLast ? kLast : last_ms + 1};
}

/// What fits one answer, newest first.
void keep_newest(std::vector<storage::Record>& records, std::uint32_t messages_max) {
  std::ranges::sort(records, std::ranges::greater{}, &storage::Record::position);
  if (records.size() > messages_max) records.resize(messages_max);
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (const storage::Record& record : records) {
    bytes += record.payload.size();
    if (count > 0 && bytes > limits::kQueryBytesMax) break;
    ++count;
  }
  records.resize(count);
}

}  // namespace

Task<model::MessagesReply> Broker::query_messages(model::CallContext context,
                                                  model::QueryMessages query) {
  SLUICE_CO_TRY(check_time(context));
  const auto nothing = [&] {
    return fail(Errc::not_found, "can not find message, maybe time range not correct");
  };
  TopicPtr topic = metadata_.find_topic(query.topic);
  if (!topic || query.key.empty() || query.first_ms > query.last_ms) co_return nothing();
  query.messages_max = std::clamp(query.messages_max, 1U, limits::kQueryMessagesMax);
  const bool is_tag = query.index == MessageIndex::tag;
  const std::uint32_t messages_max = query.messages_max;
  auto task = is_tag ? find_by_tag(std::move(topic), std::move(query))
                     : find_by_key(std::move(topic), std::move(query));
  auto records = co_await std::move(task);
  SLUICE_CO_TRY(records);
  if (records->empty()) co_return nothing();
  keep_newest(*records, messages_max);
  auto reply = co_await found(std::move(*records));
  co_return reply;
}

Task<model::MessagesReply> Broker::view_message(model::CallContext context,
                                                model::ViewMessage view) {
  SLUICE_CO_TRY(check_time(context));
  const auto nothing = [&] {
    return fail(Errc::not_found,
                "can not find message by the offset, " + std::to_string(view.position));
  };
  auto record = co_await engine_.read_at(storage::Position{view.position});
  if (!record && record.error().code == Errc::not_found) co_return nothing();
  SLUICE_CO_TRY(record);
  if (!view.topic.empty()) {
    const auto message = model::StoredMessageView::parse(record->payload.bytes());
    SLUICE_CO_TRY(message);
    if (message->topic() != view.topic) co_return nothing();
  }
  Records records;
  records.push_back(std::move(*record));
  auto reply = co_await found(std::move(records));
  co_return reply;
}

Task<model::MessagesReply> Broker::found(Records records) {
  model::MessagesReply reply;
  std::ranges::sort(records, {}, &storage::Record::position);
  for (storage::Record& record : records) {
    model::StoredRecord stored{record.offset.value, record.position.value, record.stored_at.value,
                               std::move(record.payload)};
    reply.messages.push_back({.record = std::move(stored), .store_host = options_.advertised});
  }
  auto usage = co_await engine_.usage();
  SLUICE_CO_TRY(usage);
  if (!usage->newest) co_return reply;
  const auto newest = co_await engine_.read_at(*usage->newest);
  if (!newest) co_return reply;  // Gone meanwhile: what was found is what counts.
  reply.newest_position = newest->position.value;
  reply.newest_stored_at_ms = newest->stored_at.value;
  co_return reply;
}

Task<Broker::Records> Broker::find_by_key(TopicPtr topic, model::QueryMessages query) {
  const Bytes key = keys::index(topic->number(), query.key);
  Records records;
  if (key.size() > limits::kKeyBytesMax) co_return records;  // Not indexed either.
  std::optional<storage::Position> before;
  std::uint32_t looked_at = 0;
  std::size_t bytes = 0;
  while (looked_at < limits::kQueryCandidatesMax && bytes <= limits::kQueryBytesMax) {
    auto positions = co_await engine_.find(key, UnixMillis{query.first_ms}, behind(query.last_ms),
                                           limits::kQueryMessagesMax, before);
    SLUICE_CO_TRY(positions);
    for (const storage::Position position : *positions) {
      auto record = co_await engine_.read_at(position);
      if (!record && record.error().code == Errc::not_found) continue;
      SLUICE_CO_TRY(record);
      bytes += record->payload.size();
      if (!matches(*record, query)) continue;
      records.push_back(std::move(*record));
      if (records.size() == query.messages_max || bytes > limits::kQueryBytesMax) co_return records;
    }
    if (positions->size() < limits::kQueryMessagesMax) break;
    looked_at += static_cast<std::uint32_t>(positions->size());
    before = positions->back();
  }
  co_return records;
}

Task<Broker::Records> Broker::find_by_tag(TopicPtr topic, model::QueryMessages query) {
  const auto queues = static_cast<std::int64_t>(topic->queues().size());
  if (queues == 0) co_return Records{};
  const std::int64_t scan_max = std::max<std::int64_t>(limits::kTagQueryScanMax / queues, 1);
  Records all;
  for (const auto& queue : topic->queues()) {
    auto records = co_await find_by_tag_in(queue, query, scan_max);
    SLUICE_CO_TRY(records);
    std::ranges::move(*records, std::back_inserter(all));
    keep_newest(all, query.messages_max);
  }
  co_return all;
}

/// Steps back from the end of the time asked for, until there are enough or `scan_max` records were
/// looked at.
Task<Broker::Records> Broker::find_by_tag_in(std::shared_ptr<Queue> queue,
                                             model::QueryMessages query, std::int64_t scan_max) {
  auto first = co_await engine_.offset_at(queue->log, UnixMillis{query.first_ms});
  SLUICE_CO_TRY(first);
  auto end = co_await engine_.offset_at(queue->log, behind(query.last_ms));
  SLUICE_CO_TRY(end);
  const std::int64_t begin = std::max(first->value, end->value - scan_max);
  const std::vector<std::uint64_t> tag_hashes{model::tag_hash(query.key)};
  Records records;
  std::size_t bytes = 0;  // of all that was read, whether it is kept or not
  std::int64_t to = end->value;
  while (to > begin && records.size() < query.messages_max && bytes < limits::kQueryBytesMax) {
    const std::int64_t from = std::max(begin, to - kTagScanStep);
    storage::Offset next{from};
    while (next.value < to) {
      const storage::ReadLimits limits{.records_max = static_cast<std::uint32_t>(kTagScanStep),
                                       .scan_max = static_cast<std::uint32_t>(to - next.value)};
      auto read = co_await engine_.read(queue->log, next, limits, tag_hashes);
      if (!read && read.error().code == Errc::offset_out_of_range) co_return records;
      SLUICE_CO_TRY(read);
      if (read->next <= next) co_return records;
      next = read->next;
      for (storage::Record& record : read->records) {
        bytes += record.payload.size();
        if (record.offset.value >= to || !matches(record, query)) continue;
        records.push_back(std::move(record));
      }
      keep_newest(records, query.messages_max);
    }
    to = from;
  }
  co_return records;
}

}  // namespace sluice::broker
