#include "protocols/remoting/handlers/pull.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/pull_header.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/stored_record.hpp"

namespace sluice::remoting {

namespace {

/// Room for the header of a found answer.
constexpr std::size_t kHeaderBytes = 512;

std::chrono::milliseconds wait_of(const PullHeader& header) {
  if ((header.sys_flag & kPullSuspendFlag) == 0) return std::chrono::milliseconds{0};
  constexpr std::int64_t kMax = limits::kPullWaitMax.count();
  return std::chrono::milliseconds{
      std::clamp(header.suspend_timeout_millis, std::int64_t{0}, kMax)};
}

std::uint32_t bytes_max_of(const PullHeader& header) {
  if (header.max_msg_bytes <= 0) return model::Pull{}.bytes_max;
  return std::min(static_cast<std::uint32_t>(header.max_msg_bytes), limits::kPullBytesMax);
}

std::uint32_t messages_max_of(const PullHeader& header) {
  constexpr auto kMax = static_cast<std::int32_t>(limits::kPullMessagesMax);
  return static_cast<std::uint32_t>(std::clamp(header.max_msg_nums, 1, kMax));
}

model::FilterExpression filter_of(const PullHeader& header) {
  model::FilterExpression filter;
  filter.expression = header.subscription;
  if (!header.expression_type.empty()) filter.type = header.expression_type;
  return filter;
}

/// The number clients look at, and the word that Java's broker says with it.
struct Status {
  std::int32_t code;
  std::string_view remark;
};

Status status_of(model::PullStatus status) {
  switch (status) {
    case model::PullStatus::found:
      return {response_code::kSuccess, "FOUND"};
    case model::PullStatus::nothing_new:
      return {response_code::kPullNotFound, "OFFSET_OVERFLOW_ONE"};
    case model::PullStatus::nothing_matched:
      return {response_code::kPullRetryImmediately, "NO_MATCHED_MESSAGE"};
    case model::PullStatus::offset_moved:
      return {response_code::kPullOffsetMoved, "OFFSET_OVERFLOW_BADLY"};
  }
  return {response_code::kSystemError, "unknown pull status"};
}

/// Fields that clients need whatever the code.
void write_offsets(Answer& answer, const model::PullReply& reply, std::int64_t next_offset) {
  answer.number("maxOffset", reply.end_offset);
  answer.number("minOffset", reply.first_offset);
  answer.number("nextBeginOffset", next_offset);
  answer.number("suggestWhichBrokerId", 0);
}

}  // namespace

Result<Call> to_pull(const Request& request) {
  const auto header = decode_pull_header(request.fields());
  SLUICE_TRY(header);
  model::Pull pull;
  pull.group = header->consumer_group;
  pull.topic = header->topic;
  pull.queue = header->queue_id;
  pull.offset = header->queue_offset;
  pull.messages_max = messages_max_of(*header);
  pull.bytes_max = bytes_max_of(*header);
  pull.wait = wait_of(*header);
  if ((header->sys_flag & kPullSubscriptionFlag) != 0) pull.filter = filter_of(*header);
  pull.subscription_version = header->sub_version;
  const bool commits = (header->sys_flag & kPullCommitOffsetFlag) != 0;
  if (commits) pull.commit_offset = header->commit_offset;
  pull.broker_name = header->broker_name;
  return Call{.command = std::move(pull), .answer = answer_pull};
}

void answer_pull(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& pulled = reply_as<model::PullReply>(reply);
  std::size_t bytes = kHeaderBytes;
  for (const model::StoredRecord& record : pulled.records) bytes += record.payload.size();
  if (out.capacity() - out.size() < bytes)
    out.reserve(std::max(out.size() + bytes, 2 * out.size()));
  const Status status = status_of(pulled.status);
  Answer answer(out, to, status.code, status.remark);
  write_offsets(answer, pulled, pulled.next_offset);
  answer.end_header();
  for (const model::StoredRecord& record : pulled.records) {
    append_stored_record(out, record, pulled.store_host);
  }
  answer.end();
}

void answer_pull_again(std::string& out, const AnswerTo& to, const model::PullReply& reply,
                       std::int64_t offset) {
  const Status status = status_of(model::PullStatus::nothing_matched);
  Answer answer(out, to, status.code, status.remark);
  write_offsets(answer, reply, offset);
  answer.end();
}

}  // namespace sluice::remoting
