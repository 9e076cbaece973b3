// Broker: who is there, and in which groups.

#include <utility>
#include <variant>

#include <boost/asio/post.hpp>

#include "broker/broker.hpp"
#include "common/base/limits.hpp"
#include "common/base/log.hpp"
#include "common/model/names.hpp"

namespace sluice::broker {

Task<> Broker::register_client(model::CallContext context, model::RegisterClient client) {
  SLUICE_CO_TRY(check_time(context));
  for (const model::ConsumerRegistration& consumer : client.consumers) {
    auto group = co_await find_or_create_group(key_of(context), consumer.group);
    if (!group) continue;  // RocketMQ skips such a group: its pulls will say why.
    auto retry_topic = co_await ensure_retry_topic(*std::move(group));
    if (!retry_topic) log::warn("{}: {}", consumer.group, describe(retry_topic.error()));
  }
  const Environment& environment = runtime_.environment();
  const Connections::Moment now{environment.steady_now(), environment.now()};
  {
    const std::lock_guard lock(membership_mutex_);
    membership_.register_client(key_of(context), client, now.steady);
    connections_.register_client(key_of(context), context.session->peer, client, now);
  }
  tell_members_soon();
  co_return Result<>{};
}

Task<> Broker::ensure_retry_topic(GroupPtr group) {
  if (group->retry_queues <= 0) co_return Result<>{};
  // Made with the group, so that its route is there when the first retry needs it.
  model::TopicConfig config;
  config.name = model::retry_topic_of(group->name);
  if (metadata_.find_topic(config.name)) co_return Result<>{};
  config.read_queues = config.write_queues = group->retry_queues;
  auto topic = co_await metadata_.ensure_topic(std::move(config));
  SLUICE_CO_TRY(topic);
  co_await announce_topics();
  co_return Result<>{};
}

void Broker::tell_members_soon() {
  if (is_stopping_) return;
  {
    const std::lock_guard lock(membership_mutex_);
    if (!membership_.has_news() || std::exchange(is_telling_soon_, true)) return;
  }
  boost::asio::post(runtime_.loop(0),
                    [this] { schedule(notices_timer_, limits::kGroupNoticeDelay); });
}

void Broker::tell_members() {
  Membership::Notices notices;
  {
    const std::lock_guard lock(membership_mutex_);
    is_telling_soon_ = false;
    notices = membership_.take_notices();
  }
  std::erase_if(notices, [this](const auto& entry) {
    const auto* const changed = std::get_if<model::GroupChanged>(&entry.second.event);
    const GroupPtr group = changed ? metadata_.find_group(changed->group) : nullptr;
    return group && !group->tells_of_changes;
  });
  notices_.post(std::move(notices));
}

Task<> Broker::unregister_client(model::CallContext context, model::UnregisterClient client) {
  SLUICE_CO_TRY(check_time(context));
  {
    const std::lock_guard lock(membership_mutex_);
    if (!client.consumer_group.empty()) {
      membership_.unregister(key_of(context), client.consumer_group);
    }
    connections_.leave_producers(key_of(context), client.client_id, client.producer_group);
  }
  tell_members_soon();
  if (client.consumer_group.empty()) co_return Result<>{};
  const std::lock_guard lock(locks_mutex_);
  locks_.leave(client.consumer_group, key_of(context));
  co_return Result<>{};
}

Task<model::MembersReply> Broker::list_members(model::CallContext context,
                                               model::ListMembers query) {
  SLUICE_CO_TRY(check_time(context));
  model::MembersReply reply;
  {
    const std::lock_guard lock(membership_mutex_);
    reply.client_ids = membership_.members(query.group);
  }
  if (reply.client_ids.empty()) {
    co_return fail(Errc::group_has_no_members, "no consumer for this group, " + query.group);
  }
  co_return reply;
}

Task<model::WatchReply> Broker::watch(model::CallContext context, model::Watch watch) {
  if (is_stopping_) co_return fail(Errc::draining, "the broker is stopping");
  const model::SessionId via = context.session ? context.session->id : model::SessionId{};
  model::WatchReply reply;
  reply.notices = co_await notices_.take(via, limits::kPullWaitMax);
  if (is_stopping_) co_return fail(Errc::draining, "the broker is stopping");
  co_return reply;
}

void Broker::session_closed(model::SessionId session, model::SessionId via) noexcept {
  {
    const std::lock_guard lock(membership_mutex_);
    membership_.close({session, via});
    connections_.close({session, via});
    made_groups_.close({session, via});
  }
  {
    const std::lock_guard lock(locks_mutex_);
    locks_.close({session, via});
  }
  client_calls_.close({session, via});
  waiting_pulls_.close({session, via});
  if (via.value == 0) notices_.forget(session);
  tell_members_soon();
}

}  // namespace sluice::broker
