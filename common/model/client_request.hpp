#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/slice.hpp"
#include "common/model/queue_lock.hpp"

/// \file
/// What an operator asks of a consumer: the broker passes the question to the client's session, and
/// the client's answer back. And moving a group's progress, which clients learn by their pulls.

namespace sluice::model {

enum class ClientQuestion : std::uint8_t {
  running_info,     ///< What the client does at the moment (ConsumerRunningInfo).
  consume_message,  ///< Give one message to the listener, now (ConsumeMessageDirectlyResult).
  consumer_status   ///< How far it is in a topic (GetConsumerStatusBody).
};

/// \return group_has_no_members if the client is not a member of the group, or leaves meanwhile;
///         not_found if the message is not there; quota_exceeded over
///         limits::kClientRequestsPerSessionMax; deadline_exceeded if it does not answer within
///         limits::kClientAnswerMax; internal if it answers with an error.
struct AskClient {
  ClientQuestion question = ClientQuestion::running_info;
  std::string group;
  std::string client_id;
  bool wants_stack = false;    ///< Of running_info: also where its threads are.
  std::string topic;           ///< Of the others; may be empty where a message is named.
  std::string message_id;      ///< Of consume_message: its offset message id.
  std::uint64_t position = 0;  ///< The same, read.
  std::string broker_name;
};

/// The client's own words: RocketMQ's JSON of the question.
struct ClientReply {
  Slice body;
};

/// The question on its way to the session.
struct ClientRequest {
  std::uint64_t number = 0;  ///< The broker's, for the answer.
  std::string broker_name;   ///< Whom to answer.
  ClientQuestion question = ClientQuestion::running_info;
  std::string group;
  std::string client_id;
  bool wants_stack = false;
  std::string topic;
  std::string message_id;
  std::int32_t topic_flag = 0;
  Slice message;  ///< The stored message, complete.

  friend bool operator==(const ClientRequest& a, const ClientRequest& b) noexcept {
    return a.number == b.number && a.broker_name == b.broker_name;
  }
};

/// What the client said to it. Taken only from the session that was asked.
struct AnswerClientRequest {
  std::uint64_t number = 0;
  std::int32_t code = 0;  ///< RocketMQ's; 0: success.
  std::string remark;
  Slice body;
  std::string broker_name;
};

/// Where all members of a group are in a topic, as they say.
struct QueryConsumerStatus {
  std::string group;
  std::string topic;
  std::string client_id;  ///< Only this one; empty: all.
};
struct ConsumerStatusReply {
  struct Client {
    std::string client_id;
    Slice body;  ///< GetConsumerStatusBody, as the client wrote it.
  };
  std::vector<Client> clients;  ///< Those that answered.
};

/// Moves a group's progress. Until the group's next pull from a queue, which is told where to go
/// on, updates of its progress there are taken and ignored.
///
/// \return topic_not_found, group_not_found; offset_out_of_range if `offset` is outside the queue;
///         invalid_argument (the queue); quota_exceeded over limits::kPendingResetsMax.
struct ResetOffset {
  std::string group;
  std::string topic;
  std::int32_t queue = -1;    ///< Negative: all that can be read.
  std::int64_t offset = -1;   ///< Where to, of one queue; -1: by time.
  std::int64_t time_ms = -1;  ///< The first offset stored at or after it; negative: the end.
  std::string broker_name;
};
struct QueueOffset {
  QueueName queue;
  std::int64_t offset = 0;

  friend bool operator==(const QueueOffset&, const QueueOffset&) = default;
};
struct QueueOffsetsReply {
  std::vector<QueueOffset> offsets;
};

}  // namespace sluice::model
