#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/model/command.hpp"
#include "common/model/endpoint.hpp"
#include "common/model/reply.hpp"
#include "protocols/remoting/client/remoting_client.hpp"

/// \file
/// The requests of RocketMQ's broker protocol, in words of the common model. Each runs on the
/// client's loop, and ends with what the broker says, or with unavailable or deadline_exceeded.
/// `timeout` is how long an answer may take; a pull's is counted from the end of its own wait.

namespace sluice::remoting {

/// For whom a request is made.
struct Caller {
  std::uint64_t session = 0;  ///< A gateway's session that is spoken for; 0: nobody's but ours.
  model::Endpoint peer;       ///< That session's.
};

/// Where and for whom: what all requests have.
struct BrokerRequest {
  std::shared_ptr<RemotingClient> client;
  Caller caller;
  std::chrono::milliseconds timeout = limits::kClientRequestTimeout;
};

/// Adds the fields that say for whom a request is made; none if it is our own.
void write_caller(FrameWriter& writer, const Caller& caller);

/// All at once on one connection, in this order.
Task<std::vector<Result<model::SendReply>>> send_messages(BrokerRequest request,
                                                          std::vector<model::Send> sends);

/// The records' payloads are as the broker sent them: everything in them is filled in.
Task<model::PullReply> pull_messages(BrokerRequest request, model::Pull pull);

Task<model::MessagesReply> query_messages(BrokerRequest request, model::QueryMessages query);
Task<model::MessagesReply> view_message(BrokerRequest request, model::ViewMessage view);

Task<model::LocksReply> lock_queues(BrokerRequest request, model::LockQueues lock);
Task<> unlock_queues(BrokerRequest request, model::UnlockQueues unlock);
Task<model::QueueOffsetsReply> reset_offset(BrokerRequest request, model::ResetOffset reset);

/// Waits limits::kClientAnswerMax longer than other requests.
Task<model::ClientReply> ask_client(BrokerRequest request, model::AskClient ask);
/// Private to Sluice.
Task<> answer_client_request(BrokerRequest request, model::AnswerClientRequest answer);

Task<model::OffsetReply> query_offset(BrokerRequest request, model::QueryOffset query);
Task<> update_offset(BrokerRequest request, model::UpdateOffset update);
Task<model::BoundsReply> query_bounds(BrokerRequest request, model::QueryBounds query);
Task<model::OffsetReply> search_offset(BrokerRequest request, model::SearchOffset search);
Task<model::OffsetReply> query_earliest_time(BrokerRequest request, model::QueryEarliestTime query);

Task<> register_client(BrokerRequest request, model::RegisterClient client);
Task<> unregister_client(BrokerRequest request, model::UnregisterClient client);
Task<model::MembersReply> list_members(BrokerRequest request, model::ListMembers query);

Task<> create_topic(BrokerRequest request, model::CreateTopic create);
Task<> delete_topic(BrokerRequest request, model::DeleteTopic remove);
Task<model::TopicsReply> query_topics(BrokerRequest request, model::QueryTopics query);

/// Private to Sluice: notices to the sessions that this connection spoke for.
Task<model::WatchReply> watch(BrokerRequest request);

/// Private to Sluice, one-way: the session is gone. On the client's loop.
void close_session(RemotingClient& client, std::uint64_t session);

}  // namespace sluice::remoting
