#include <memory>
#include <string>
#include <utility>

#include "common/base/assert.hpp"
#include "protocols/remoting/client/answers.hpp"
#include "protocols/remoting/client/ask.hpp"
#include "protocols/remoting/client/broker_client.hpp"
#include "protocols/remoting/codec/batch_body.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/codec/pull_header.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/send_header.hpp"

namespace sluice::remoting {

namespace {

// --- sending ---------------------------------------------------------------------------------

SendHeader header_of(const model::Send& send) {
  SendHeader header;
  header.producer_group = send.producer_group;
  header.topic = send.topic;
  header.default_topic = send.template_topic;
  header.default_topic_queue_nums = send.template_queues;
  header.queue_id = send.queue;
  header.sys_flag = send.system_flag;
  header.born_timestamp = send.born_at_ms;
  header.reconsume_times = send.reconsume_times;
  header.batch = send.is_batch;
  header.broker_name = send.broker_name;
  if (!send.is_batch) {
    header.flag = send.messages.front().flag;
    header.properties = send.messages.front().properties;
  }
  return header;
}

std::string batch_body_of(const model::Send& send) {
  std::string body;
  for (const model::NewMessage& message : send.messages) {
    append_batch_message(
        body, {.flag = message.flag, .body = message.body, .properties = message.properties});
  }
  return body;
}

/// The sends of one call that wait for their answers.
struct Sending {
  std::vector<Result<model::SendReply>> replies;
  std::size_t waiting = 0;
  UniqueFunction<void(bool)> done;

  void take(std::size_t index, Result<model::SendReply> reply) {
    replies[index] = std::move(reply);
    if (--waiting > 0) return;
    auto resume = std::move(done);
    resume(true);
  }
};

void send_one(const BrokerRequest& request, const model::Send& send,
              const std::shared_ptr<Sending>& sending, std::size_t index) {
  auto write = [&](FrameWriter& writer) {
    write_caller(writer, request.caller);
    write_fields(writer, header_of(send));
  };
  auto take = [sending, index](Result<ResponseView> response) {
    sending->take(index, response ? decode_send_answer(response->header)
                                  : Result<model::SendReply>(fail(std::move(response).error())));
  };
  SLUICE_ASSERT(!send.messages.empty(), "a send holds a message");
  if (send.is_batch) {
    const std::string body = batch_body_of(send);
    request.client->call(request_code::kSendBatchMessage, write, as_bytes(body), request.timeout,
                         std::move(take));
  } else {
    request.client->call(request_code::kSendMessageV2, write, send.messages.front().body,
                         request.timeout, std::move(take));
  }
}

}  // namespace

Task<std::vector<Result<model::SendReply>>> send_messages(BrokerRequest request,
                                                          std::vector<model::Send> sends) {
  auto sending = std::make_shared<Sending>();
  if (sends.empty()) co_return std::move(sending->replies);
  sending->replies.resize(sends.size());
  sending->waiting = sends.size();
  auto start = [&](UniqueFunction<void(bool)> done) {
    sending->done = std::move(done);
    for (std::size_t i = 0; i < sends.size(); ++i) send_one(request, sends[i], sending, i);
  };
  co_await wait_for_completion<bool>(start);
  co_return std::move(sending->replies);
}

// --- pulling ---------------------------------------------------------------------------------

namespace {

PullHeader header_of(const model::Pull& pull) {
  PullHeader header;
  header.consumer_group = pull.group;
  header.topic = pull.topic;
  header.queue_id = pull.queue;
  header.queue_offset = pull.offset;
  header.max_msg_nums = static_cast<std::int32_t>(pull.messages_max);
  header.max_msg_bytes = static_cast<std::int32_t>(pull.bytes_max);
  header.sub_version = pull.subscription_version;
  header.broker_name = pull.broker_name;
  if (pull.commit_offset) {
    header.sys_flag |= kPullCommitOffsetFlag;
    header.commit_offset = *pull.commit_offset;
  }
  if (pull.wait.count() > 0) {
    header.sys_flag |= kPullSuspendFlag;
    header.suspend_timeout_millis = pull.wait.count();
  }
  if (pull.filter) {
    header.sys_flag |= kPullSubscriptionFlag;
    header.subscription = pull.filter->expression;
    header.expression_type = pull.filter->type;
  }
  return header;
}

}  // namespace

Task<model::PullReply> pull_messages(BrokerRequest request, model::Pull pull) {
  auto write = [&](FrameWriter& writer) {
    write_caller(writer, request.caller);
    write_fields(writer, header_of(pull));
  };
  auto start = [&](UniqueFunction<void(Result<model::PullReply>)> complete) {
    auto take = [complete = std::move(complete)](Result<ResponseView> response) mutable {
      complete(response ? decode_pull_answer(response->header, response->body)
                        : Result<model::PullReply>(fail(std::move(response).error())));
    };
    request.client->call(request_code::kPullMessage, write, {}, pull.wait + request.timeout,
                         std::move(take));
  };
  auto reply = co_await wait_for_completion<Result<model::PullReply>>(start);
  co_return std::move(reply);
}

namespace {

/// Absent: any key.
std::string_view index_type_of(model::MessageIndex index) {
  switch (index) {
    case model::MessageIndex::key:
      return "K";
    case model::MessageIndex::unique_key:
      return "U";
    case model::MessageIndex::tag:
      return "T";
    case model::MessageIndex::any_key:
      break;
  }
  return {};
}

}  // namespace

// --- finding ---------------------------------------------------------------------------------

Task<model::MessagesReply> query_messages(BrokerRequest request, model::QueryMessages query) {
  // The binary header has no empty fields.
  if (query.key.empty()) co_return fail(Errc::not_found, "no message carries an empty key");
  auto fields = [&query](FrameWriter& writer) {
    writer.field("topic", query.topic);
    writer.field("key", query.key);
    writer.number("maxNum", query.messages_max);
    writer.number("beginTimestamp", query.first_ms);
    writer.number("endTimestamp", query.last_ms);
    const std::string_view type = index_type_of(query.index);
    if (!type.empty()) writer.field("indexType", type);
    write_broker_name(writer, query.broker_name);
  };
  auto response = co_await ask(std::move(request), request_code::kQueryMessage, fields, Slice{});
  SLUICE_CO_TRY(response);
  auto reply = decode_found_messages(response->body());
  SLUICE_CO_TRY(reply);
  const auto newest_at = response->fields().int64("indexLastUpdateTimestamp");
  SLUICE_CO_TRY(newest_at);
  const auto newest = response->fields().int64("indexLastUpdatePhyoffset");
  SLUICE_CO_TRY(newest);
  reply->newest_stored_at_ms = *newest_at;
  reply->newest_position = static_cast<std::uint64_t>(*newest);
  co_return reply;
}

Task<model::MessagesReply> view_message(BrokerRequest request, model::ViewMessage view) {
  auto fields = [&view](FrameWriter& writer) {
    if (!view.topic.empty()) writer.field("topic", view.topic);
    writer.number("offset", static_cast<std::int64_t>(view.position));
    write_broker_name(writer, view.broker_name);
  };
  auto response =
      co_await ask_anyhow(std::move(request), request_code::kViewMessageById, fields, Slice{});
  SLUICE_CO_TRY(response);
  SLUICE_CO_TRY(check_success(*response, response_code::kSystemError, Errc::not_found));
  auto reply = decode_found_messages(response->body());
  co_return reply;
}

}  // namespace sluice::remoting
