#pragma once

#include <vector>

#include "common/model/call_context.hpp"
#include "common/model/command.hpp"
#include "common/model/reply.hpp"
#include "common/runtime/task.hpp"

namespace sluice {

/// What a gateway asks of a broker, in the words of the common model. Two implementations answer
/// alike, and tests/conformance/broker_api runs the same cases against both:
///   - broker::Broker, in this process: an await and no copy of the body;
///   - gateway::RemoteBroker, over RocketMQ remoting to another process.
///
/// Safe to call from any loop. Every member: deadline_exceeded once context.deadline has passed.
/// The effect may have happened all the same; a caller that retries a send does so under the same
/// unique key.
class BrokerApi {
 public:
  virtual ~BrokerApi() = default;

  /// All the sends of one read, each with its own result, in the same order.
  ///
  /// Errors of one send: topic_not_found, permission_denied, invalid_argument (the queue),
  /// payload_too_large, message_illegal, storage_full, io_error.
  virtual Task<std::vector<Result<model::SendReply>>> send(model::CallContext context,
                                                           std::vector<model::Send> sends) = 0;

  /// \return group_not_found, topic_not_found, permission_denied, invalid_argument (the queue),
  ///         subscription_missing, subscription_invalid.
  virtual Task<model::PullReply> pull(model::CallContext context, model::Pull pull) = 0;

  /// \return not_found if the group has no progress there (and the rule for young queues says no).
  virtual Task<model::OffsetReply> query_offset(model::CallContext context,
                                                model::QueryOffset query) = 0;
  virtual Task<> update_offset(model::CallContext context, model::UpdateOffset update) = 0;

  /// {0, 0} for a queue or topic that does not exist.
  virtual Task<model::BoundsReply> query_bounds(model::CallContext context,
                                                model::QueryBounds query) = 0;
  virtual Task<model::OffsetReply> search_offset(model::CallContext context,
                                                 model::SearchOffset search) = 0;
  /// The reply's offset is a time in milliseconds; -1 for an empty queue.
  virtual Task<model::OffsetReply> query_earliest_time(model::CallContext context,
                                                       model::QueryEarliestTime query) = 0;

  /// \return not_found if there is none; topic_not_found.
  virtual Task<model::MessagesReply> query_messages(model::CallContext context,
                                                    model::QueryMessages query) = 0;
  /// \return not_found if it is not there, or in another topic.
  virtual Task<model::MessagesReply> view_message(model::CallContext context,
                                                  model::ViewMessage view) = 0;

  virtual Task<model::LocksReply> lock_queues(model::CallContext context,
                                              model::LockQueues lock) = 0;
  virtual Task<> unlock_queues(model::CallContext context, model::UnlockQueues unlock) = 0;

  /// Errors: see model::ResetOffset.
  virtual Task<model::QueueOffsetsReply> reset_offset(model::CallContext context,
                                                      model::ResetOffset reset) = 0;

  /// Asks a client by a notice to its session, and waits for its answer. Errors: see
  /// model::AskClient.
  virtual Task<model::ClientReply> ask_client(model::CallContext context, model::AskClient ask) = 0;
  /// The session that was asked answers. An answer that nobody waits for is dropped.
  virtual Task<> answer_client_request(model::CallContext context,
                                       model::AnswerClientRequest answer) = 0;

  virtual Task<> register_client(model::CallContext context, model::RegisterClient client) = 0;
  virtual Task<> unregister_client(model::CallContext context, model::UnregisterClient client) = 0;
  /// \return group_has_no_members.
  virtual Task<model::MembersReply> list_members(model::CallContext context,
                                                 model::ListMembers query) = 0;

  /// Creates the topic, or changes the one of that name.
  virtual Task<> create_topic(model::CallContext context, model::CreateTopic create) = 0;
  virtual Task<> delete_topic(model::CallContext context, model::DeleteTopic remove) = 0;
  virtual Task<model::TopicsReply> query_topics(model::CallContext context,
                                                model::QueryTopics query) = 0;

  /// One of the requests of model/admin.hpp, which says what each is replied to with and what it
  /// may be refused for.
  virtual Task<model::AdminReply> administer(model::CallContext context,
                                             model::AdminCommand command) = 0;

  /// Waits for notices to the sessions that registered through this caller (Session::via, or those
  /// with via 0), at most limits::kPullWaitMax; then an empty reply. One call at a time.
  virtual Task<model::WatchReply> watch(model::CallContext context, model::Watch watch) = 0;

  /// The session is gone: forget its clients, tell their groups. Idempotent. Also for every session
  /// whose `via` it was.
  virtual void session_closed(model::SessionId session, model::SessionId via) noexcept = 0;
};

}  // namespace sluice
