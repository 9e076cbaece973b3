#include "tests/crash/requests.hpp"

#include <chrono>
#include <cstdlib>

#include "common/base/assert.hpp"
#include "common/base/limits.hpp"
#include "common/model/names.hpp"
#include "protocols/remoting/codec/batch_body.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"
#include "protocols/remoting/codec/pull_header.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/send_header.hpp"
#include "tests/crash/messages.hpp"

namespace sluice::crash {

namespace {

namespace request_code = remoting::request_code;

remoting::FrameHead head_of(Envelope envelope, std::int32_t code) {
  return {.code = code, .opaque = envelope.opaque};
}

void end(remoting::FrameWriter& writer) {
  SLUICE_ASSERT(writer.end_frame(), "the tests' frames are within the limits");
}

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string make_any_send(Envelope envelope, std::int32_t code, const remoting::SendHeader& header,
                          std::string_view body) {
  std::string frame;
  remoting::FrameWriter writer(frame, envelope.serialize_type, head_of(envelope, code));
  write_fields(writer, header);
  writer.end_header();
  frame.append(body);
  end(writer);
  return frame;
}

remoting::SendHeader send_header_of(std::int32_t queue) {
  remoting::SendHeader header;
  header.producer_group = "crash-producer";
  header.topic = kTopic;
  header.default_topic = model::kAutoCreateTopic;
  header.default_topic_queue_nums = kQueues;
  header.queue_id = queue;
  header.born_timestamp = now_ms();
  return header;
}

}  // namespace

std::string make_send(Envelope envelope, std::int32_t queue, std::uint64_t number) {
  return make_send_of(envelope, queue, properties_of(number), body_of(number));
}

std::string make_send_of(Envelope envelope, std::int32_t queue, std::string_view properties,
                         std::string_view body) {
  remoting::SendHeader header = send_header_of(queue);
  header.properties = properties;
  return make_any_send(envelope, request_code::kSendMessageV2, header, body);
}

std::string make_batch(Envelope envelope, std::int32_t queue, std::uint64_t first,
                       std::uint64_t count) {
  std::string messages;
  for (std::uint64_t number = first; number < first + count; ++number) {
    const std::string body = body_of(number);
    const std::string properties = properties_of(number);
    remoting::append_batch_message(messages, {.body = as_bytes(body), .properties = properties});
  }
  return make_batch_of(envelope, queue, messages);
}

std::string make_batch_of(Envelope envelope, std::int32_t queue, std::string_view body) {
  remoting::SendHeader header = send_header_of(queue);
  header.batch = true;
  return make_any_send(envelope, request_code::kSendBatchMessage, header, body);
}

std::string make_pull(Envelope envelope, const PullFrom& from) {
  remoting::PullHeader header;
  header.consumer_group = from.group;
  header.topic = kTopic;
  header.queue_id = from.queue;
  header.queue_offset = from.offset;
  header.max_msg_nums = static_cast<std::int32_t>(limits::kPullMessagesMax);
  header.max_msg_bytes = static_cast<std::int32_t>(limits::kPullBytesMax);
  header.sys_flag = remoting::kPullSubscriptionFlag;
  if (from.wait_ms > 0) header.sys_flag |= remoting::kPullSuspendFlag;
  header.suspend_timeout_millis = from.wait_ms;
  header.subscription = "*";
  std::string frame;
  remoting::FrameWriter writer(frame, envelope.serialize_type,
                               head_of(envelope, request_code::kPullMessage));
  write_fields(writer, header);
  end(writer);
  return frame;
}

std::string make_update_offset(Envelope envelope, std::string_view group, std::int32_t queue,
                               std::int64_t offset) {
  const std::string queue_text = std::to_string(queue);
  const std::string offset_text = std::to_string(offset);
  const remoting::Field fields[] = {{"consumerGroup", group},
                                    {"topic", kTopic},
                                    {"queueId", queue_text},
                                    {"commitOffset", offset_text}};
  return make_request(envelope, request_code::kUpdateConsumerOffset, fields, {}, 0);
}

std::string make_query_offset(Envelope envelope, std::string_view group, std::int32_t queue) {
  const std::string queue_text = std::to_string(queue);
  const remoting::Field fields[] = {{"consumerGroup", group},
                                    {"topic", kTopic},
                                    {"queueId", queue_text},
                                    {"setZeroIfNotFound", "false"}};
  return make_request(envelope, request_code::kQueryConsumerOffset, fields, {}, 0);
}

std::string make_query_bound(Envelope envelope, std::int32_t code, std::int32_t queue) {
  const std::string queue_text = std::to_string(queue);
  const remoting::Field fields[] = {{"topic", kTopic}, {"queueId", queue_text}};
  return make_request(envelope, code, fields, {}, 0);
}

std::string make_request(Envelope envelope, std::int32_t code,
                         std::span<const remoting::Field> fields, std::string_view body,
                         std::int32_t flag) {
  remoting::FrameHead head = head_of(envelope, code);
  head.flag = flag;
  std::string frame;
  const auto appended =
      remoting::append_frame(frame, envelope.serialize_type, head, fields, as_bytes(body));
  SLUICE_ASSERT(appended, "the tests' frames are within the limits");
  return frame;
}

}  // namespace sluice::crash
