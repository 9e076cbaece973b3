#include "protocols/remoting/client/answers.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "common/model/message_id.hpp"
#include "common/model/stored_message.hpp"
#include "protocols/remoting/client/response.hpp"
#include "protocols/remoting/codec/response_codes.hpp"

namespace sluice::remoting {

namespace {

/// The ids of a batch are joined by commas.
Result<> read_message_ids(std::string_view ids, model::SendReply& reply) {
  while (!ids.empty()) {
    const std::string_view one = ids.substr(0, ids.find(','));
    ids.remove_prefix(std::min(ids.size(), one.size() + 1));
    const auto id = model::parse_offset_message_id(one);
    SLUICE_TRY(id);
    reply.store_host = id->store_host;
    reply.positions.push_back(id->position);
  }
  return {};
}

/// The codes with which a message is stored, if not as safely as asked.
bool is_stored(std::int32_t code) {
  return code == response_code::kSuccess || code == response_code::kFlushDiskTimeout ||
         code == response_code::kSlaveNotAvailable || code == response_code::kFlushSlaveTimeout;
}

std::optional<model::PullStatus> status_of(std::int32_t code) {
  switch (code) {
    case response_code::kSuccess:
      return model::PullStatus::found;
    case response_code::kPullNotFound:
      return model::PullStatus::nothing_new;
    case response_code::kPullRetryImmediately:
      return model::PullStatus::nothing_matched;
    case response_code::kPullOffsetMoved:
      return model::PullStatus::offset_moved;
    default:
      return std::nullopt;
  }
}

/// Takes stored messages apart that lie one behind the other: calls `each(record, store_host)`.
template <class Each>
Result<> read_records(const Slice& body, Each each) {
  std::size_t begin = 0;
  while (begin < body.size()) {
    const auto message = model::StoredMessageView::parse_first(body.bytes().subspan(begin));
    SLUICE_TRY(message);
    each(model::StoredRecord{.offset = message->queue_offset(),
                             .position = message->position(),
                             .stored_at_ms = message->stored_at_ms(),
                             .payload = body.part(begin, message->size())},
         message->store_host());
    begin += message->size();
  }
  return {};
}

}  // namespace

Result<model::SendReply> decode_send_answer(const Header& header) {
  if (!is_stored(header.code)) return fail(error_of(header.code, header.remark));
  model::SendReply reply;
  const auto queue = header.fields.int32("queueId");
  SLUICE_TRY(queue);
  const auto offset = header.fields.int64("queueOffset");
  SLUICE_TRY(offset);
  const auto ids = header.fields.text("msgId");
  SLUICE_TRY(ids);
  const auto read = read_message_ids(*ids, reply);
  SLUICE_TRY(read);
  reply.queue = *queue;
  reply.offset = *offset;
  reply.unique_key = header.fields.text_or("transactionId", {});
  return reply;
}

Result<model::PullReply> decode_pull_answer(const Header& header, const Slice& body) {
  const auto status = status_of(header.code);
  if (!status) return fail(error_of(header.code, header.remark));
  model::PullReply reply;
  reply.status = *status;
  const auto next = header.fields.int64("nextBeginOffset");
  SLUICE_TRY(next);
  const auto first = header.fields.int64("minOffset");
  SLUICE_TRY(first);
  const auto end = header.fields.int64("maxOffset");
  SLUICE_TRY(end);
  reply.next_offset = *next;
  reply.first_offset = *first;
  reply.end_offset = *end;
  const auto read = read_records(body, [&](model::StoredRecord record, model::Endpoint host) {
    reply.store_host = host;
    reply.records.push_back(std::move(record));
  });
  SLUICE_TRY(read);
  return reply;
}

Result<model::MessagesReply> decode_found_messages(const Slice& body) {
  if (body.empty()) return fail(Errc::not_found, "the answer holds no message");
  model::MessagesReply reply;
  const auto read = read_records(body, [&](model::StoredRecord record, model::Endpoint host) {
    reply.messages.push_back({.record = std::move(record), .store_host = host});
  });
  SLUICE_TRY(read);
  return reply;
}

}  // namespace sluice::remoting
