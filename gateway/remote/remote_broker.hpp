#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/runtime/runtime.hpp"
#include "gateway/remote/cluster_broker.hpp"
#include "protocols/remoting/client/broker_client.hpp"
#include "protocols/remoting/client/remoting_client_pool.hpp"

namespace sluice::gateway {

/// A broker in another process: BrokerApi over RocketMQ's remoting protocol, with two requests of
/// Sluice's own for what RocketMQ has no code for (watch, and the end of a session).
///
/// Every loop has a connection of its own. What changes or follows sessions (heartbeats, leaving,
/// queue locks, the end of a session, notices and answers to them) goes over the one of loop 0: the
/// broker takes a session and the connection that speaks for it together. When that connection is
/// made anew, the sessions are registered again.
///
/// Differs from a broker in this process where RocketMQ's answers say less: SendReply::stored_at_ms
/// is 0; a send is as durable as the broker's own rules have it; errors that RocketMQ has one code
/// for are one error, if the broker is not Sluice's.
class RemoteBroker final : public ClusterBroker {
 public:
  /// `pool` outlives the broker, and is closed only after stop().
  RemoteBroker(Runtime& runtime, remoting::RemotingClientPool& pool, std::string address);
  ~RemoteBroker() override;

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
  void stop() noexcept override;

 private:
  class Control;

  /// `call` on the caller's loop, unless there is no time left for it.
  template <class Answer, class Command>
  Task<Answer> ask(model::CallContext context, Command command,
                   Task<Answer> (*call)(remoting::BrokerRequest, Command));

  /// The same over the connection that sessions are registered over.
  template <class Answer, class Command>
  Task<Answer> ask_on_control(model::CallContext context, Command command,
                              Task<Answer> (*call)(remoting::BrokerRequest, Command));

  Runtime& runtime_;
  remoting::RemotingClientPool& pool_;
  std::string address_;
  std::shared_ptr<Control> control_;
};

}  // namespace sluice::gateway
