#include "bench/load/request.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

#include "bench/load/clock.hpp"
#include "bench/load/fail.hpp"
#include "bench/load/wire.hpp"

namespace sluice::bench {
namespace {

constexpr std::string_view kOpaqueMarker = "10000000";
constexpr std::string_view kBornMarker = "1000000000000";
constexpr std::string_view kCounterMarker = "BE7C0000";
static_assert(kOpaqueMarker.size() == kOpaqueDigits);

// The bits of a pull's sysFlag.
constexpr int kPullSuspend = 2;
constexpr int kPullSubscription = 4;

std::string make_fields(std::span<const ExtField> fields) {
  std::string text;
  for (const ExtField& field : fields) {
    if (!text.empty()) text += ',';
    text += fmt::format(R"("{}":"{}")", field.key, field.value);
  }
  return text;
}

std::string make_frame(std::string_view header, std::string_view body) {
  std::string frame;
  append_u32(frame,
             static_cast<std::uint32_t>(sizeof(std::uint32_t) + header.size() + body.size()));
  append_u32(frame, static_cast<std::uint32_t>(header.size()));
  frame += header;
  frame += body;
  return frame;
}

std::size_t position_of(std::string_view text, std::string_view marker) {
  const std::size_t position = text.find(marker);
  if (position == std::string_view::npos) fail("no {} in the frame that was built", marker);
  return position;
}

/// 32 digits in the form of the Java client's: address, process and time, counter. The first 24 are
/// unique to this process, so that runs on one store do not share keys.
std::string make_unique_key() {
  const auto process = static_cast<std::uint64_t>(getpid()) & 0xFFFF;
  const auto time = static_cast<std::uint64_t>(wall_clock_ms()) & 0xFFFF'FFFF'FFFF;
  return fmt::format("7F000001{:04X}{:012X}{}", process, time, kCounterMarker);
}

std::uint32_t next_counter() {
  static std::atomic<std::uint32_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

std::string make_message_body(std::size_t size) {
  std::string body(size, '\0');
  for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + i % 26);
  return body;
}

/// One message inside the body of a client batch.
std::string make_batch_entry(std::size_t body_bytes) {
  const std::string properties =
      fmt::format("UNIQ_KEY\x01{}\x02WAIT\x01true\x02", make_unique_key());
  constexpr std::size_t kFixedBytes = 5 * sizeof(std::uint32_t) + sizeof(std::uint16_t);
  std::string entry;
  append_u32(entry, static_cast<std::uint32_t>(kFixedBytes + body_bytes + properties.size()));
  append_u32(entry, 0);  // magic
  append_u32(entry, 0);  // crc
  append_u32(entry, 0);  // flag
  append_u32(entry, static_cast<std::uint32_t>(body_bytes));
  entry += make_message_body(body_bytes);
  append_u16(entry, static_cast<std::uint16_t>(properties.size()));
  entry += properties;
  return entry;
}

}  // namespace

std::string make_request(RequestCode code, std::span<const ExtField> fields,
                         std::string_view body) {
  const std::string header =
      fmt::format(R"({{"code":{},"extFields":{{{}}},"flag":0,"language":"JAVA","opaque":{}{})",
                  static_cast<int>(code), make_fields(fields), kOpaqueMarker, kHeaderEnd);
  return make_frame(header, body);
}

std::string make_reply(std::span<const ExtField> fields, std::string_view body) {
  const std::string header =
      fmt::format(R"({{"code":0,"extFields":{{{}}},"flag":1,"language":"JAVA","opaque":{}{})",
                  make_fields(fields), kOpaqueMarker, kHeaderEnd);
  return make_frame(header, body);
}

std::size_t opaque_position(std::string_view frame) {
  const std::size_t header_bytes = load_u32(frame, kFrameLengthBytes);
  return kFramePrefixBytes + header_bytes - kHeaderEnd.size() - kOpaqueDigits;
}

SendFrame::SendFrame(const SendShape& shape) {
  const bool is_batch = shape.messages > 1;
  // A batch has its keys inside; the key of the batch itself is one more.
  const std::string properties =
      fmt::format(R"(UNIQ_KEY\u0001{}\u0002WAIT\u0001true\u0002)", make_unique_key());
  const ExtField fields[] = {
      {"a", "bench_producer"},
      {"b", shape.topic},
      {"c", "TBW102"},
      {"d", "4"},
      {"e", "0"},
      {"f", "0"},
      {"g", kBornMarker},
      {"h", "0"},
      {"i", properties},
      {"j", "0"},
      {"k", "false"},
      {"m", is_batch ? "true" : "false"},
      {"n", shape.broker_name},
  };
  const auto code = is_batch ? RequestCode::send_batch_message : RequestCode::send_message_v2;
  const std::string body = is_batch ? make_body(shape) : make_message_body(shape.body_bytes);
  bytes_ = make_request(code, fields, body);
  const std::size_t payload_at = bytes_.size() - body.size();
  for (std::size_t& position : counters_at_) position += payload_at;
  counters_at_.push_back(position_of(bytes_, kCounterMarker));
  opaque_at_ = opaque_position(bytes_);
  queue_at_ = position_of(bytes_, R"("e":")") + std::string_view(R"("e":")").size();
  born_at_ = position_of(bytes_, kBornMarker);
  body_at_ = payload_at + (is_batch ? 5 * sizeof(std::uint32_t) : 0);
}

std::string SendFrame::make_body(const SendShape& shape) {
  std::string body;
  for (std::size_t i = 0; i < shape.messages; ++i) {
    const std::string entry = make_batch_entry(shape.body_bytes);
    counters_at_.push_back(body.size() + position_of(entry, kCounterMarker));
    body += entry;
  }
  return body;
}

void SendFrame::patch(std::uint32_t opaque, int queue, std::int64_t born_ms) {
  char* frame = bytes_.data();
  store_decimal(frame + opaque_at_, kOpaqueDigits, opaque);
  frame[queue_at_] = static_cast<char>('0' + queue);
  store_decimal(frame + born_at_, kBornMarker.size(), static_cast<std::uint64_t>(born_ms));
  for (const std::size_t position : counters_at_) store_hex(frame + position, next_counter());
}

PullFrame::PullFrame(const PullShape& shape) {
  const bool is_waiting = shape.suspend_ms > 0;
  const int flags = kPullSubscription | (is_waiting ? kPullSuspend : 0);
  constexpr std::string_view kQueueMarker = "<queue>";
  constexpr std::string_view kOffsetMarker = "<offset>";
  const std::string flags_text = std::to_string(flags);
  const std::string messages_text = std::to_string(shape.messages_max);
  const std::string suspend_text = std::to_string(shape.suspend_ms);
  const ExtField fields[] = {
      {"queueId", kQueueMarker},      {"maxMsgBytes", "262144"},
      {"maxMsgNums", messages_text},  {"sysFlag", flags_text},
      {"subscription", "*"},          {"suspendTimeoutMillis", suspend_text},
      {"commitOffset", "0"},          {"bname", shape.broker_name},
      {"topic", shape.topic},         {"queueOffset", kOffsetMarker},
      {"expressionType", "TAG"},      {"subVersion", "0"},
      {"consumerGroup", shape.group},
  };
  const std::string frame = make_request(RequestCode::pull_message, fields);
  const std::size_t queue_at = position_of(frame, kQueueMarker);
  const std::size_t after_queue = queue_at + kQueueMarker.size();
  const std::size_t offset_at = position_of(frame, kOffsetMarker);
  const std::size_t after_offset = offset_at + kOffsetMarker.size();
  const std::size_t opaque_at = opaque_position(frame);
  before_queue_ = frame.substr(0, queue_at);
  before_offset_ = frame.substr(after_queue, offset_at - after_queue);
  before_opaque_ = frame.substr(after_offset, opaque_at - after_offset);
}

void PullFrame::patch(std::uint32_t opaque, int queue, std::uint64_t offset) {
  const fmt::format_int offset_text(offset);
  const fmt::format_int opaque_text(opaque);
  bytes_.assign(before_queue_);
  bytes_ += static_cast<char>('0' + queue);
  bytes_ += before_offset_;
  bytes_.append(offset_text.data(), offset_text.size());
  bytes_ += before_opaque_;
  bytes_.append(opaque_text.data(), opaque_text.size());
  bytes_ += kHeaderEnd;
  const auto size = static_cast<std::uint32_t>(bytes_.size());
  store_u32(bytes_.data(), size - static_cast<std::uint32_t>(kFrameLengthBytes));
  store_u32(bytes_.data() + kFrameLengthBytes,
            size - static_cast<std::uint32_t>(kFramePrefixBytes));
}

}  // namespace sluice::bench
