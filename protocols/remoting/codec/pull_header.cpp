#include "protocols/remoting/codec/pull_header.hpp"

#include <bit>
#include <cstddef>

#include "protocols/remoting/codec/name_table.hpp"

namespace sluice::remoting {

namespace {

enum Member : std::size_t {
  consumer_group,
  topic,
  queue_id,
  queue_offset,
  max_msg_nums,
  sys_flag,
  commit_offset,
  suspend_timeout_millis,
  sub_version,
  subscription,
  expression_type,
  max_msg_bytes,
  request_source,
  proxy_forward_client_id,
  broker_name,
  members
};

constexpr std::uint32_t kRequired = (1U << (Member::sub_version + 1U)) - 1U;

// `proxyFrowardClientId` is spelled so on the wire.
constexpr NameTable<Member::members> kNames({"consumerGroup", "topic", "queueId", "queueOffset",
                                             "maxMsgNums", "sysFlag", "commitOffset",
                                             "suspendTimeoutMillis", "subVersion", "subscription",
                                             "expressionType", "maxMsgBytes", "requestSource",
                                             "proxyFrowardClientId", "bname"});

/// Collects the members as their fields come by.
class Collector {
 public:
  /// False if the value is not one for this member.
  bool set(std::size_t member, std::string_view value) {
    seen_ |= 1U << member;
    switch (static_cast<Member>(member)) {
      case Member::consumer_group:
        header_.consumer_group = value;
        return true;
      case Member::topic:
        header_.topic = value;
        return true;
      case Member::queue_id:
        return set_number(header_.queue_id, value);
      case Member::queue_offset:
        return set_number(header_.queue_offset, value);
      case Member::max_msg_nums:
        return set_number(header_.max_msg_nums, value);
      case Member::sys_flag:
        return set_number(header_.sys_flag, value);
      case Member::commit_offset:
        return set_number(header_.commit_offset, value);
      case Member::suspend_timeout_millis:
        return set_number(header_.suspend_timeout_millis, value);
      case Member::sub_version:
        return set_number(header_.sub_version, value);
      case Member::subscription:
        header_.subscription = value;
        return true;
      case Member::expression_type:
        header_.expression_type = value;
        return true;
      case Member::max_msg_bytes:
        return value.empty() || set_number(header_.max_msg_bytes, value);
      case Member::request_source:
        return value.empty() || set_number(header_.request_source, value);
      case Member::proxy_forward_client_id:
        header_.proxy_forward_client_id = value;
        return true;
      case Member::broker_name:
        header_.broker_name = value;
        return true;
      case Member::members:
        return false;
    }
    return false;
  }

  [[nodiscard]] std::uint32_t missing() const { return kRequired & ~seen_; }
  [[nodiscard]] const PullHeader& header() const { return header_; }

 private:
  template <class T>
  static bool set_number(T& number, std::string_view value) {
    const auto parsed = parse_decimal<T>(value);
    number = parsed.value_or(0);
    return parsed.has_value();
  }

  PullHeader header_;
  std::uint32_t seen_ = 0;
};

}  // namespace

Result<PullHeader> decode_pull_header(const Fields& fields) {
  Collector collector;
  for (const Field& field : fields) {
    const auto member = kNames.find(field.key);
    if (member && !collector.set(*member, field.value)) {
      return fail(invalid_field(field.key, "a number", field.value));
    }
  }
  if (collector.missing() == 0) return collector.header();
  const auto first = static_cast<std::size_t>(std::countr_zero(collector.missing()));
  return fail(missing_field(kNames.name(first)));
}

void write_fields(FrameWriter& writer, const PullHeader& header) {
  writer.field("consumerGroup", header.consumer_group);
  writer.field("topic", header.topic);
  writer.number("queueId", header.queue_id);
  writer.number("queueOffset", header.queue_offset);
  writer.number("maxMsgNums", header.max_msg_nums);
  writer.number("sysFlag", header.sys_flag);
  writer.number("commitOffset", header.commit_offset);
  writer.number("suspendTimeoutMillis", header.suspend_timeout_millis);
  writer.number("subVersion", header.sub_version);
  if (!header.subscription.empty()) writer.field("subscription", header.subscription);
  if (!header.expression_type.empty()) writer.field("expressionType", header.expression_type);
  if (header.max_msg_bytes != 0) writer.number("maxMsgBytes", header.max_msg_bytes);
  if (header.request_source != -1) writer.number("requestSource", header.request_source);
  if (!header.proxy_forward_client_id.empty()) {
    writer.field("proxyFrowardClientId", header.proxy_forward_client_id);
  }
  if (!header.broker_name.empty()) writer.field("bname", header.broker_name);
}

}  // namespace sluice::remoting
