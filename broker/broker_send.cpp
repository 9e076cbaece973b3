#include <utility>

#include "broker/broker.hpp"
#include "common/base/limits.hpp"
#include "common/model/message_id.hpp"
#include "common/model/names.hpp"

namespace sluice::broker {

namespace {

/// Sends that become one commit: consecutive, equally durable, together within the engine's limits.
struct Run {
  std::vector<PlannedSend> sends;
  std::vector<std::size_t> indexes;  ///< Of their replies.
  storage::Durability durability = storage::Durability::synced;
  std::size_t bytes = 0;
  std::size_t messages = 0;
};

// What a message may grow by on its way into a record: lengths, keys, the broker's properties.
constexpr std::size_t kRecordOverheadMax = 4096;

std::size_t stored_bytes_max(const model::Send& send) noexcept {
  std::size_t bytes = 0;
  for (const model::NewMessage& message : send.messages) {
    bytes += message.body.size() + 3 * message.properties.size() + kRecordOverheadMax;
  }
  return bytes;
}

}  // namespace

Task<std::vector<Result<model::SendReply>>> Broker::send(model::CallContext context,
                                                         std::vector<model::Send> sends) {
  SLUICE_CO_TRY(check_time(context));
  std::vector<Result<model::SendReply>> replies(
      sends.size(), fail(Errc::internal, "the send was not carried out"));
  if (is_stopping_.load(std::memory_order_relaxed)) {
    for (auto& reply : replies) reply = fail(Errc::draining, "the broker is stopping");
    co_return replies;
  }
  std::vector<Run> runs;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const storage::Durability durability = durability_of(sends[i]);
    const std::size_t bytes = stored_bytes_max(sends[i]);
    const std::size_t messages = sends[i].messages.size();
    Result<PlannedSend> planned = fail(Errc::internal, "");
    TopicPtr topic = metadata_.find_topic(sends[i].topic);
    if (topic) {
      planned = plan_for(std::move(topic), std::move(sends[i]));
    } else {
      planned = co_await plan(std::move(sends[i]));
    }
    if (!planned) {
      replies[i] = fail(std::move(planned).error());
      continue;
    }
    const bool fits = !runs.empty() && runs.back().durability == durability &&
                      runs.back().bytes + bytes <= limits::kBatchBytesMax &&
                      runs.back().messages + messages <= limits::kOperationsPerBatchMax;
    if (!fits) runs.emplace_back().durability = durability;
    runs.back().sends.push_back(std::move(*planned));
    runs.back().indexes.push_back(i);
    runs.back().bytes += bytes;
    runs.back().messages += messages;
  }
  for (Run& run : runs) {
    auto stored = co_await commit_sends(std::move(run.sends), run.durability);
    for (std::size_t k = 0; k < run.indexes.size(); ++k) {
      if (stored) {
        replies[run.indexes[k]] = std::move((*stored)[k]);
      } else {
        replies[run.indexes[k]] = fail(stored.error());
      }
    }
  }
  co_return replies;
}

Task<std::vector<model::SendReply>> Broker::commit_sends(std::vector<PlannedSend> sends,
                                                         storage::Durability durability) {
  storage::WriteBatch batch = build_batch(sends, append_settings_);
  auto receipt = co_await engine_.commit(std::move(batch), durability);
  SLUICE_CO_TRY(receipt);
  std::vector<model::SendReply> replies;
  replies.reserve(sends.size());
  std::span<const storage::Appended> rest(receipt->appended);
  for (const PlannedSend& planned : sends) {
    const std::size_t count = planned.send.messages.size();
    replies.push_back(make_reply(planned, append_settings_, rest.first(count)));
    rest = rest.subspan(count);
  }
  // One announcement a send: a queue that nobody waits at costs one lock.
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const auto& queue = sends[i].topic->queues()[static_cast<std::size_t>(sends[i].queue)];
    const auto count = static_cast<std::int64_t>(sends[i].send.messages.size());
    queue->waiters.announce(replies[i].offset + count, tag_hashes_of(sends[i].send));
  }
  co_return replies;
}

Task<PlannedSend> Broker::plan(model::Send send) {
  auto topic = co_await create_from_template(send.topic, send.template_topic, send.template_queues);
  SLUICE_CO_TRY(topic);
  co_return plan_for(std::move(*topic), std::move(send));
}

Result<> Broker::check_service(const model::Send& send) {
  // A client whose send-back (36) was refused sends the message here itself. Without the retry
  // service it must be refused too: then the client keeps the message and retries locally.
  if (!send.topic.starts_with(model::kRetryPrefix)) return {};
  return fail(Errc::message_illegal, "retries are not served by this version: keep the message");
}

Result<PlannedSend> Broker::plan_for(TopicPtr topic, model::Send send) {
  SLUICE_TRY(check_service(send));
  SLUICE_TRY(check_messages(send));
  const model::TopicConfig& config = topic->config();
  if (!topic->is_writable()) {
    return fail(Errc::permission_denied, "topic " + config.name + " does not take messages");
  }
  PlannedSend planned;
  if (send.queue < 0) {
    const auto writable = static_cast<std::uint64_t>(config.write_queues);
    if (writable == 0) {
      return fail(Errc::permission_denied, "topic " + config.name + " has no queue to write to");
    }
    planned.queue = static_cast<std::int32_t>(runtime_.environment().random() % writable);
  } else if (send.queue < std::max(config.read_queues, config.write_queues)) {
    planned.queue = send.queue;
  } else {
    return fail(Errc::invalid_argument,
                "topic " + config.name + " has no queue " + std::to_string(send.queue));
  }
  planned.topic = std::move(topic);
  planned.send = std::move(send);
  const std::int64_t now = runtime_.environment().now().value;
  choose_unique_key(
      planned, model::make_unique_key(options_.advertised, runtime_.environment().random(), now));
  return planned;
}

Task<TopicPtr> Broker::create_from_template(std::string name, std::string template_name,
                                            std::int32_t queues) {
  const bool may_create =
      options_.auto_create_topics && template_name == model::kAutoCreateTopic && queues > 0;
  if (!may_create) {
    co_return fail(Errc::topic_not_found,
                   "topic '" + name +
                       "' does not exist: create it, or let the broker create topics "
                       "(broker.auto_create_topics)");
  }
  model::TopicConfig config;
  config.name = std::move(name);
  config.read_queues = config.write_queues = std::min(queues, options_.default_queues);
  auto topic = co_await metadata_.ensure_topic(std::move(config));
  SLUICE_CO_TRY(topic);
  auto announced = co_await announce_topics();
  co_return topic;
}

storage::Durability Broker::durability_of(const model::Send& send) const noexcept {
  switch (send.durability) {
    case model::SendDurability::broker_default:
      return options_.durability;
    case model::SendDurability::buffered:
      return storage::Durability::buffered;
    case model::SendDurability::synced:
      return storage::Durability::synced;
  }
  return options_.durability;
}

}  // namespace sluice::broker
