#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "broker/admin/administration.hpp"
#include "broker/append/append.hpp"
#include "broker/membership/client_calls.hpp"
#include "broker/membership/connections.hpp"
#include "broker/membership/made_groups.hpp"
#include "broker/membership/membership.hpp"
#include "broker/membership/notice_board.hpp"
#include "broker/metadata/metadata.hpp"
#include "broker/offsets/offsets.hpp"
#include "broker/offsets/resets.hpp"
#include "broker/options.hpp"
#include "broker/queue/queue_locks.hpp"
#include "broker/queue/waiting_pulls.hpp"
#include "broker/settings/settings.hpp"
#include "broker/statistics/statistics.hpp"
#include "common/broker_api/broker_api.hpp"
#include "common/runtime/async_mutex.hpp"
#include "common/runtime/runtime.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::broker {

/// The broker: topics, queues, progress and membership on one storage engine.
class Broker final : public BrokerApi {
 public:
  /// Reads what the engine holds and begins the background work (expiry, retention).
  static Task<std::unique_ptr<Broker>> open(Runtime& runtime, storage::StorageEngine& engine,
                                            BrokerOptions options);
  ~Broker() override;
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  Task<std::vector<Result<model::SendReply>>> send(model::CallContext context,
                                                   std::vector<model::Send> sends) override;
  Task<model::PullReply> pull(model::CallContext context, model::Pull pull) override;
  Task<model::OffsetReply> query_offset(model::CallContext context,
                                        model::QueryOffset query) override;
  Task<> update_offset(model::CallContext context, model::UpdateOffset update) override;
  Task<model::BoundsReply> query_bounds(model::CallContext context,
                                        model::QueryBounds query) override;
  Task<model::OffsetReply> search_offset(model::CallContext context,
                                         model::SearchOffset search) override;
  Task<model::OffsetReply> query_earliest_time(model::CallContext context,
                                               model::QueryEarliestTime query) override;
  Task<model::MessagesReply> query_messages(model::CallContext context,
                                            model::QueryMessages query) override;
  Task<model::MessagesReply> view_message(model::CallContext context,
                                          model::ViewMessage view) override;
  Task<model::LocksReply> lock_queues(model::CallContext context, model::LockQueues lock) override;
  Task<> unlock_queues(model::CallContext context, model::UnlockQueues unlock) override;
  Task<model::QueueOffsetsReply> reset_offset(model::CallContext context,
                                              model::ResetOffset reset) override;
  Task<model::ClientReply> ask_client(model::CallContext context, model::AskClient ask) override;
  Task<> answer_client_request(model::CallContext context,
                               model::AnswerClientRequest answer) override;
  Task<> register_client(model::CallContext context, model::RegisterClient client) override;
  Task<> unregister_client(model::CallContext context, model::UnregisterClient client) override;
  Task<model::MembersReply> list_members(model::CallContext context,
                                         model::ListMembers query) override;
  Task<> create_topic(model::CallContext context, model::CreateTopic create) override;
  Task<> delete_topic(model::CallContext context, model::DeleteTopic remove) override;
  Task<model::TopicsReply> query_topics(model::CallContext context,
                                        model::QueryTopics query) override;
  Task<model::AdminReply> administer(model::CallContext context,
                                     model::AdminCommand command) override;
  Task<model::WatchReply> watch(model::CallContext context, model::Watch watch) override;
  void session_closed(model::SessionId session, model::SessionId via) noexcept override;

  /// What the name servers should know now. Any thread.
  [[nodiscard]] model::RegisterBroker registration() const;

  /// Ends waiting pulls and watches and the background work; completes when the latter is over and
  /// the progress that pulls carried is kept. Call on loop 0, once; new calls are answered
  /// `draining`.
  Task<> stop();

 private:
  Broker(Runtime& runtime, storage::StorageEngine& engine, BrokerOptions options);

  // Background work, by timers on loop 0.
  void start_background_work();
  void schedule(TimerWheel::Timer& timer, std::chrono::milliseconds interval);
  Task<> expire_members();
  Task<> sample_statistics();
  Task<> enforce_retention();
  Task<> drop_older_than(UnixMillis limit);
  Task<> drop_beyond(std::uint64_t bytes_max);

  // Sending (broker_send.cpp).
  [[nodiscard]] static Result<> check_service(const model::Send& send);
  [[nodiscard]] Result<PlannedSend> plan(TopicPtr topic, const model::Send& send);
  void announce(const PlannedSend& planned, std::int64_t next);
  void count(const PlannedSend& planned);
  Task<TopicPtr> create_from_template(std::string name, std::string template_name,
                                      std::int32_t queues);
  [[nodiscard]] storage::Durability durability_of(const model::Send& send) const noexcept;

  // Pulling (broker_pull.cpp).
  struct PullPlan {
    TopicPtr topic;
    std::shared_ptr<Queue> queue;
    std::vector<std::uint64_t> tag_hashes;
  };
  Task<PullPlan> plan_pull(ClientKey key, model::Pull pull);
  Task<model::PullReply> read_once(std::shared_ptr<Queue> queue, model::Pull pull,
                                   std::vector<std::uint64_t> tag_hashes);
  Result<std::vector<std::uint64_t>> filter_of(const model::Pull& pull) const;
  Task<model::PullReply> answer_reset(std::shared_ptr<Queue> queue, std::int64_t offset);

  // Finding messages (broker_queries.cpp). The newest first.
  using Records = std::vector<storage::Record>;
  Task<Records> find_by_key(TopicPtr topic, model::QueryMessages query);
  Task<Records> find_by_tag(TopicPtr topic, model::QueryMessages query);
  Task<Records> find_by_tag_in(std::shared_ptr<Queue> queue, model::QueryMessages query,
                               std::int64_t scan_max);
  Task<model::MessagesReply> found(Records records);

  // Consumers (broker_consumers.cpp).
  Task<model::ClientRequest> request_of(model::AskClient ask);
  Task<std::int64_t> reset_target(std::shared_ptr<Queue> queue, model::ResetOffset reset);
  [[nodiscard]] Result<> check_model(const model::GroupConfig& group) const;
  void count(const PullPlan& plan, const model::Pull& pull, const Result<model::PullReply>& reply);

  /// \return deadline_exceeded if nobody waits for the answer any more.
  [[nodiscard]] Result<> check_time(const model::CallContext& context) const;
  /// Topics that a broker has of itself.
  [[nodiscard]] std::vector<model::TopicConfig> own_topics() const;

  /// A failure is logged and does not concern the caller: never fails.
  Task<> announce_topics();
  Task<GroupPtr> find_or_create_group(ClientKey key, std::string group);
  /// The retry topic of a group, which goes with it.
  Task<> ensure_retry_topic(GroupPtr group);
  /// A group that a thousand members join at once hears of it once, not a thousand times.
  void tell_members_soon();
  /// Leaves out what groups do not want to hear.
  void tell_members();
  /// nullptr for a topic or queue that does not exist.
  [[nodiscard]] std::shared_ptr<Queue> find_queue(std::string_view topic, std::int32_t queue) const;

  Runtime& runtime_;
  storage::StorageEngine& engine_;
  BrokerOptions options_;
  AppendSettings append_settings_;
  Metadata metadata_;
  Offsets offsets_;
  Resets resets_;
  NoticeBoard notices_;
  ClientCalls client_calls_;
  WaitingPulls waiting_pulls_;
  std::mutex locks_mutex_;
  QueueLocks locks_;
  Settings settings_;
  Statistics statistics_;
  mutable std::mutex membership_mutex_;  ///< For the three below.
  Membership membership_;
  Connections connections_;
  MadeGroups made_groups_;
  bool is_telling_soon_ = false;  ///< Under membership_mutex_.
  Administration administration_;
  std::atomic<bool> is_stopping_{false};
  TimerWheel::Timer expiry_timer_;
  TimerWheel::Timer retention_timer_;
  TimerWheel::Timer statistics_timer_;
  TimerWheel::Timer notices_timer_;
  AsyncMutex background_;  ///< Held by background work while it runs.
};

}  // namespace sluice::broker
