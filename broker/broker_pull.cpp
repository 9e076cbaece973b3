#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "broker/broker.hpp"
#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "common/model/names.hpp"

namespace sluice::broker {

namespace {

tl::unexpected<Error> refuse_one_more() {
  static metrics::Counter& refused =
      metrics::counter("sluice_groups_per_session_refused_total", "",
                       "Groups not made: their connection had caused its limit of groups");
  refused.add();
  return fail(Errc::quota_exceeded, "this connection has caused its limit of " +
                                        std::to_string(limits::kGroupsMadePerSessionMax) +
                                        " groups to be made: an operator may make more");
}

}  // namespace

Task<model::PullReply> Broker::pull(model::CallContext context, model::Pull pull) {
  SLUICE_CO_TRY(check_time(context));
  std::optional<WaitingPulls::Pull> waiting;
  if (pull.wait.count() > 0) waiting.emplace(waiting_pulls_, key_of(context));
  auto planned = co_await plan_pull(key_of(context), pull);
  SLUICE_CO_TRY(planned);
  const PullPlan plan = std::move(*planned);
  std::uint64_t wakes = plan.queue->waiters.wakes();
  auto reset = resets_.take(plan.topic->number(), pull.queue, pull.group);
  if (reset) {
    auto told = co_await answer_reset(plan.queue, *reset);
    co_return told;
  }
  if (pull.commit_offset) {
    // Nobody waits for it: the client does not learn of this commit, only of the messages.
    const Executor executor = co_await boost::asio::this_coro::executor;
    offsets_.store_soon(executor, plan.topic->number(), pull.queue, pull.group,
                        *pull.commit_offset);
  }
  if (waiting) waiting->wait_at(plan.queue);

  const auto wait = std::min(pull.wait, limits::kPullWaitMax);
  const auto until = std::min(runtime_.environment().steady_now() + wait, context.deadline);
  while (true) {
    auto reply = co_await read_once(plan.queue, pull, plan.tag_hashes);
    const bool is_over = !reply || reply->status != model::PullStatus::nothing_new;
    if (is_over) {
      count(plan, pull, reply);
      co_return reply;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - runtime_.environment().steady_now());
    if (left.count() <= 0 || is_stopping_.load(std::memory_order_relaxed)) {
      count(plan, pull, reply);
      co_return reply;
    }
    const bool has_come = co_await plan.queue->waiters.wait(runtime_, pull.offset, plan.tag_hashes,
                                                            left, &waiting->is_over(), wakes);
    if (!has_come) co_return reply;
    wakes = plan.queue->waiters.wakes();
    reset = resets_.take(plan.topic->number(), pull.queue, pull.group);
    if (reset) {
      auto told = co_await answer_reset(plan.queue, *reset);
      co_return told;
    }
  }
}

/// An operator has moved the group's progress: it goes on at `offset`.
Task<model::PullReply> Broker::answer_reset(std::shared_ptr<Queue> queue, std::int64_t offset) {
  auto bounds = co_await engine_.bounds(queue->log);
  SLUICE_CO_TRY(bounds);
  model::PullReply reply;
  reply.status = model::PullStatus::offset_moved;
  reply.store_host = options_.advertised;
  reply.next_offset = offset;
  reply.first_offset = bounds->first.value;
  reply.end_offset = bounds->next.value;
  co_return reply;
}

void Broker::count(const PullPlan& plan, const model::Pull& pull,
                   const Result<model::PullReply>& reply) {
  if (!reply) return;
  if (reply->records.empty()) return statistics_.missed().add(0, 0);
  std::uint64_t bytes = 0;
  for (const model::StoredRecord& record : reply->records) bytes += record.payload.size();
  plan.topic->traffic()
      .got(statistics_, plan.topic->config().name, pull.group)
      ->add(reply->records.size(), bytes);
  statistics_.got().add(reply->records.size(), bytes);
}

Task<Broker::PullPlan> Broker::plan_pull(ClientKey key, model::Pull pull) {
  if (is_stopping_.load(std::memory_order_relaxed)) {
    co_return fail(Errc::draining, "the broker is stopping");
  }
  GroupPtr group = metadata_.find_group(pull.group);
  if (!group) {
    auto created = co_await find_or_create_group(key, pull.group);
    SLUICE_CO_TRY(created);
    group = std::move(*created);
  }
  if (!group->may_consume) {
    co_return fail(Errc::permission_denied, "group " + pull.group + " may not consume");
  }
  auto suits = check_model(*group);
  SLUICE_CO_TRY(suits);
  PullPlan plan;
  plan.topic = metadata_.find_topic(pull.topic);
  if (!plan.topic) {
    co_return fail(Errc::topic_not_found, "topic '" + pull.topic + "' does not exist");
  }
  if (!plan.topic->is_readable()) {
    co_return fail(Errc::permission_denied, "topic " + pull.topic + " may not be read");
  }
  const model::TopicConfig& config = plan.topic->config();
  if (pull.queue < 0 || pull.queue >= config.read_queues) {
    co_return fail(Errc::invalid_argument, "topic " + pull.topic + " has queues 0 to " +
                                               std::to_string(config.read_queues - 1) + ", not " +
                                               std::to_string(pull.queue));
  }
  plan.queue = plan.topic->queues()[static_cast<std::size_t>(pull.queue)];
  auto filter = filter_of(pull);
  SLUICE_CO_TRY(filter);
  plan.tag_hashes = std::move(*filter);
  co_return plan;
}

Result<std::vector<std::uint64_t>> Broker::filter_of(const model::Pull& pull) const {
  if (pull.filter) return model::tag_hashes_of(*pull.filter);
  const std::lock_guard lock(membership_mutex_);
  const auto subscription = membership_.subscription(pull.group, pull.topic);
  if (!subscription) {
    return fail(Errc::subscription_missing, "group " + pull.group + " has not subscribed to " +
                                                pull.topic + ": send a heartbeat first");
  }
  return model::tag_hashes_of(subscription->filter);
}

Task<model::PullReply> Broker::read_once(std::shared_ptr<Queue> queue, model::Pull pull,
                                         std::vector<std::uint64_t> tag_hashes) {
  auto bounds = co_await engine_.bounds(queue->log);
  SLUICE_CO_TRY(bounds);
  model::PullReply reply;
  reply.store_host = options_.advertised;
  reply.first_offset = bounds->first.value;
  reply.end_offset = bounds->next.value;
  // RocketMQ's table: behind the first, beyond the next, at the next.
  const bool is_inside = pull.offset >= reply.first_offset && pull.offset <= reply.end_offset;
  if (!is_inside) {
    reply.status = model::PullStatus::offset_moved;
    reply.next_offset = pull.offset < reply.first_offset ? reply.first_offset : reply.end_offset;
    co_return reply;
  }
  reply.next_offset = pull.offset;
  if (pull.offset == reply.end_offset) co_return reply;

  const storage::ReadLimits read_limits{
      .records_max = std::clamp(pull.messages_max, 1U, limits::kPullMessagesMax),
      .bytes_max = std::clamp(pull.bytes_max, 1U, limits::kPullBytesMax),
      .scan_max = limits::kPullScanMax};
  auto read = co_await engine_.read(queue->log, storage::Offset{pull.offset}, read_limits,
                                    std::move(tag_hashes));
  if (!read && read.error().code == Errc::offset_out_of_range) {
    // Truncated in between: the client asks again and learns where to go on.
    reply.status = model::PullStatus::nothing_matched;
    co_return reply;
  }
  SLUICE_CO_TRY(read);
  reply.next_offset = read->next.value;
  reply.status =
      read->records.empty() ? model::PullStatus::nothing_matched : model::PullStatus::found;
  reply.records.reserve(read->records.size());
  for (storage::Record& record : read->records) {
    reply.records.push_back({record.offset.value, record.position.value, record.stored_at.value,
                             std::move(record.payload)});
  }
  co_return reply;
}

Result<> Broker::check_model(const model::GroupConfig& group) const {
  if (group.may_broadcast) return {};
  const std::lock_guard lock(membership_mutex_);
  if (!membership_.is_broadcasting(group.name)) return {};
  return fail(Errc::permission_denied, "group " + group.name + " may not consume by broadcasting");
}

Task<GroupPtr> Broker::find_or_create_group(ClientKey key, std::string group) {
  GroupPtr found = metadata_.find_group(group);
  if (found) co_return found;
  if (!settings_.creates_groups()) {
    co_return fail(Errc::group_not_found,
                   "group '" + group +
                       "' does not exist: create it, or let the broker create "
                       "groups (broker.auto_create_groups)");
  }
  auto checked = model::check_group_name(group);
  SLUICE_CO_TRY(checked);
  {
    const std::lock_guard lock(membership_mutex_);
    if (!made_groups_.add(key)) co_return refuse_one_more();
  }
  auto created = co_await metadata_.ensure_group(std::move(group));
  co_return created;
}

}  // namespace sluice::broker
