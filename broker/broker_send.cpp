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

void add_to_runs(std::vector<Run>& runs, PlannedSend&& planned, std::size_t index,
                 storage::Durability durability) {
  const std::size_t bytes = stored_bytes_max(*planned.send);
  const std::size_t messages = planned.send->messages.size();
  const bool fits = !runs.empty() && runs.back().durability == durability &&
                    runs.back().bytes + bytes <= limits::kBatchBytesMax &&
                    runs.back().messages + messages <= limits::kOperationsPerBatchMax;
  if (!fits) runs.emplace_back().durability = durability;
  Run& run = runs.back();
  run.sends.push_back(std::move(planned));
  run.indexes.push_back(index);
  run.bytes += bytes;
  run.messages += messages;
}

}  // namespace

Task<std::vector<Result<model::SendReply>>> Broker::send(model::CallContext context,
                                                         std::vector<model::Send> sends) {
  SLUICE_CO_TRY(check_time(context));
  std::vector<Result<model::SendReply>> replies(sends.size());
  if (is_stopping_.load(std::memory_order_relaxed)) {
    for (auto& reply : replies) reply = fail(Errc::draining, "the broker is stopping");
    co_return replies;
  }
  std::vector<Run> runs;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    TopicPtr topic = metadata_.find_topic(sends[i].topic);
    if (!topic) {
      auto made = co_await create_from_template(sends[i].topic, sends[i].template_topic,
                                                sends[i].template_queues);
      if (!made) {
        replies[i] = fail(std::move(made).error());
        continue;
      }
      topic = *std::move(made);
    }
    auto planned = plan(std::move(topic), sends[i]);
    if (planned) {
      add_to_runs(runs, *std::move(planned), i, durability_of(sends[i]));
    } else {
      replies[i] = fail(std::move(planned).error());
    }
  }
  for (Run& run : runs) {
    storage::WriteBatch batch = build_batch(run.sends, append_settings_);
    const auto receipt = co_await engine_.commit(std::move(batch), run.durability);
    std::size_t first = 0;
    for (std::size_t k = 0; k < run.sends.size(); ++k) {
      auto& reply = replies[run.indexes[k]];
      if (!receipt) {
        reply = fail(receipt.error());
        continue;
      }
      const std::size_t count = run.sends[k].send->messages.size();
      const std::span appended(receipt->appended);
      reply = make_reply(run.sends[k], append_settings_, appended.subspan(first, count));
      announce(run.sends[k], reply->offset + static_cast<std::int64_t>(count));
      this->count(run.sends[k]);
      first += count;
    }
  }
  co_return replies;
}

/// Wakes who waits for messages of that queue below `next`.
void Broker::announce(const PlannedSend& planned, std::int64_t next) {
  const auto& queue = planned.topic->queues()[static_cast<std::size_t>(planned.queue)];
  queue->waiters.announce(next, tag_hashes_of(planned));
}

void Broker::count(const PlannedSend& planned) {
  const auto& messages = planned.send->messages;
  std::uint64_t bytes = 0;
  for (const model::NewMessage& message : messages) {
    bytes += message.body.size() + message.properties.size();
  }
  planned.topic->traffic()
      .put(statistics_, planned.topic->config().name)
      .add(messages.size(), bytes);
  statistics_.put().add(messages.size(), bytes);
}

Result<> Broker::check_service(const model::Send& send) {
  // A client whose send-back (36) was refused sends the message here itself. Without the retry
  // service it must be refused too: then the client keeps the message and retries locally.
  if (!send.topic.starts_with(model::kRetryPrefix)) return {};
  return fail(Errc::message_illegal, "retries are not served by this version: keep the message");
}

Result<PlannedSend> Broker::plan(TopicPtr topic, const model::Send& send) {
  SLUICE_TRY(check_service(send));
  auto keys = examine_messages(send);
  SLUICE_TRY(keys);
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
  planned.send = &send;
  planned.keys = *std::move(keys);
  if (send.is_batch) return planned;
  planned.unique_key = planned.keys.front().unique_key;
  if (planned.unique_key.empty()) {
    planned.unique_key = model::make_unique_key(
        options_.advertised, runtime_.environment().random(), runtime_.environment().now().value);
    planned.is_unique_key_made = true;
  }
  return planned;
}

Task<TopicPtr> Broker::create_from_template(std::string name, std::string template_name,
                                            std::int32_t queues) {
  const bool may_create =
      settings_.creates_topics() && template_name == model::kAutoCreateTopic && queues > 0;
  if (!may_create) {
    co_return fail(Errc::topic_not_found,
                   "topic '" + name +
                       "' does not exist: create it, or let the broker create topics "
                       "(broker.auto_create_topics)");
  }
  model::TopicConfig config;
  config.name = std::move(name);
  config.read_queues = config.write_queues = std::min(queues, settings_.default_queues());
  auto topic = co_await metadata_.ensure_topic(std::move(config));
  SLUICE_CO_TRY(topic);
  co_await announce_topics();
  co_return topic;
}

storage::Durability Broker::durability_of(const model::Send& send) const noexcept {
  switch (send.durability) {
    case model::SendDurability::broker_default:
      return settings_.durability();
    case model::SendDurability::buffered:
      return storage::Durability::buffered;
    case model::SendDurability::synced:
      return storage::Durability::synced;
  }
  return settings_.durability();
}

}  // namespace sluice::broker
