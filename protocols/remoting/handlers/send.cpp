#include "protocols/remoting/handlers/send.hpp"

#include <algorithm>
#include <utility>

#include "common/model/message_id.hpp"
#include "common/model/properties.hpp"
#include "protocols/remoting/codec/batch_body.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/send_header.hpp"
#include "protocols/remoting/handlers/answer.hpp"

namespace sluice::remoting {

namespace {

/// What the Java broker names its region unless configured.
constexpr std::string_view kRegionId = "DefaultRegion";
constexpr std::string_view kTraceOn = "true";
constexpr std::string_view kDoNotWait = "false";
constexpr std::size_t kMessageIdBytesMax = 57;  // that of an IPv6 host, and a comma

/// A copy of properties that found no room, along with the memory of the message's body.
class CopiedProperties final : public SliceOwner {
 public:
  CopiedProperties(std::string_view text, SliceOwnerPtr memory)
      : text_(text), memory_(std::move(memory)) {}
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  std::string text_;
  SliceOwnerPtr memory_;
};

bool lies_in(std::string_view text, std::span<const std::byte> memory) {
  return text.data() >= as_text(memory).data() &&
         text.data() + text.size() <= as_text(memory).data() + memory.size();
}

/// Makes `text` live as long as send.owner.
std::string_view keep(std::string_view text, const Request& request, model::Send& send) {
  if (lies_in(text, request.header_memory)) return text;
  // Unescaped text is shorter than its JSON, unless bytes that are no UTF-8 had to be replaced.
  if (text.size() <= request.header_memory.size()) {
    std::ranges::copy(as_bytes(text), request.header_memory.begin());
    return as_text(request.header_memory.first(text.size()));
  }
  const boost::intrusive_ptr<const CopiedProperties> copy(
      new CopiedProperties(text, std::move(send.owner)));
  send.owner = copy;
  return copy->text();
}

bool wants_no_wait(std::string_view properties) {
  const bool is_named = properties.find(model::property::kWait) != std::string_view::npos;
  return is_named && model::find_property(properties, model::property::kWait) == kDoNotWait;
}

Result<> add_batch(const Request& request, model::Send& send) {
  BatchBodyReader reader(request.body);
  while (true) {
    const auto message = reader.next();
    SLUICE_TRY(message);
    if (!*message) break;
    send.messages.push_back(
        {.body = (*message)->body, .properties = (*message)->properties, .flag = (*message)->flag});
  }
  if (send.messages.empty()) return fail(Errc::message_illegal, "the batch holds no message");
  return {};
}

void write_message_ids(Answer& answer, const model::SendReply& reply) {
  std::string ids;
  ids.reserve(reply.positions.size() * kMessageIdBytesMax);
  for (const std::uint64_t position : reply.positions) {
    if (!ids.empty()) ids.push_back(',');
    model::append_offset_message_id(ids, reply.store_host, position);
  }
  answer.plain("msgId", ids);
}

/// Fields that are also on refused sends: clients read the trace switch from them.
void write_region(Answer& answer) {
  answer.plain(model::property::kRegion, kRegionId);
  answer.plain(model::property::kTraceOn, kTraceOn);
}

}  // namespace

Result<model::Send> to_send(const Request& request) {
  const auto header = decode_send_header(request.header.code, request.fields());
  SLUICE_TRY(header);
  Result<model::Send> result;
  model::Send& send = *result;
  send.topic = header->topic;
  send.queue = std::max(header->queue_id, -1);
  send.owner = request.memory;
  send.system_flag = header->sys_flag;
  send.born_at_ms = header->born_timestamp;
  send.born_host = request.peer;
  send.reconsume_times = header->reconsume_times;
  send.is_batch = header->batch || request.header.code == request_code::kSendBatchMessage;
  send.template_topic = header->default_topic;
  send.template_queues = header->default_topic_queue_nums;
  send.producer_group = header->producer_group;
  send.broker_name = header->broker_name;
  const bool is_waited_for = !request.header.is_oneway() && !wants_no_wait(header->properties);
  if (!is_waited_for) send.durability = model::SendDurability::buffered;
  if (send.is_batch) {
    const auto added = add_batch(request, send);
    SLUICE_TRY(added);
    return result;
  }
  send.messages.push_back({.body = request.body,
                           .properties = keep(header->properties, request, send),
                           .flag = header->flag});
  return result;
}

void answer_send(std::string& out, const AnswerTo& to, const Result<model::SendReply>& result) {
  if (!result) {
    Answer answer(out, to, response_code_of(result.error().code), remark_of(result.error()));
    write_region(answer);
    answer.end();
    return;
  }
  Answer answer(out, to, response_code::kSuccess);
  write_region(answer);
  write_message_ids(answer, *result);
  answer.number("queueId", result->queue);
  answer.number("queueOffset", result->offset);
  if (!result->unique_key.empty()) answer.field("transactionId", result->unique_key);
  answer.end();
}

}  // namespace sluice::remoting
