#include "protocols/remoting/codec/send_header.hpp"

#include <array>
#include <bit>
#include <cstddef>

#include <fmt/format.h>

#include "protocols/remoting/codec/name_table.hpp"
#include "protocols/remoting/codec/request_codes.hpp"

namespace sluice::remoting {

namespace {

// In the order of the short names `a` to `n`, which is not that of RocketMQ's long class.
enum Member : std::size_t {
  producer_group,
  topic,
  default_topic,
  default_topic_queue_nums,
  queue_id,
  sys_flag,
  born_timestamp,
  flag,
  properties,
  reconsume_times,
  unit_mode,
  max_reconsume_times,
  batch,
  broker_name,
  members
};

constexpr std::uint32_t kRequired = (1U << (Member::flag + 1U)) - 1U;

constexpr std::array<std::string_view, Member::members> kShortNames = {
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};

constexpr NameTable<Member::members> kLongNames({"producerGroup", "topic", "defaultTopic",
                                                 "defaultTopicQueueNums", "queueId", "sysFlag",
                                                 "bornTimestamp", "flag", "properties",
                                                 "reconsumeTimes", "unitMode", "maxReconsumeTimes",
                                                 "batch", "bname"});

std::optional<std::size_t> find_short(std::string_view key) {
  if (key.size() != 1) return std::nullopt;
  const auto index = static_cast<std::size_t>(key[0]) - 'a';
  return index < Member::members ? std::optional(index) : std::nullopt;
}

bool has_short_names(std::int32_t code) {
  return code == request_code::kSendMessageV2 || code == request_code::kSendBatchMessage ||
         code == request_code::kSendReplyMessageV2;
}

/// Collects the members as their fields come by.
class Collector {
 public:
  /// False if the value is not one for this member.
  bool set(std::size_t member, std::string_view value) {
    seen_ |= 1U << member;
    switch (static_cast<Member>(member)) {
      case Member::producer_group:
        header_.producer_group = value;
        return true;
      case Member::topic:
        header_.topic = value;
        return true;
      case Member::default_topic:
        header_.default_topic = value;
        return true;
      case Member::default_topic_queue_nums:
        return set_number(header_.default_topic_queue_nums, value);
      case Member::queue_id:
        return set_number(header_.queue_id, value);
      case Member::sys_flag:
        return set_number(header_.sys_flag, value);
      case Member::born_timestamp:
        return set_number(header_.born_timestamp, value);
      case Member::flag:
        return set_number(header_.flag, value);
      case Member::properties:
        header_.properties = value;
        return true;
      case Member::reconsume_times:
        return value.empty() || set_number(header_.reconsume_times, value);
      case Member::unit_mode:
        header_.unit_mode = parse_boolean(value);
        return true;
      case Member::max_reconsume_times:
        header_.max_reconsume_times = parse_decimal<std::int32_t>(value);
        return value.empty() || header_.max_reconsume_times.has_value();
      case Member::batch:
        header_.batch = parse_boolean(value);
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
  [[nodiscard]] const SendHeader& header() const { return header_; }

 private:
  template <class T>
  static bool set_number(T& number, std::string_view value) {
    const auto parsed = parse_decimal<T>(value);
    number = parsed.value_or(0);
    return parsed.has_value();
  }

  SendHeader header_;
  std::uint32_t seen_ = 0;
};

/// A member in words that both sides know: `"e" (queueId)` or `"queueId"`.
std::string describe_short(std::size_t member) {
  return fmt::format("{} ({})", kShortNames[member], kLongNames.name(member));
}

std::string describe_long(std::size_t member) {
  return std::string(kLongNames.name(member));
}

template <class Find, class Describe>
Result<SendHeader> collect(const Fields& fields, Find find, Describe describe) {
  Collector collector;
  for (const Field& field : fields) {
    const auto member = find(field.key);
    if (member && !collector.set(*member, field.value)) {
      return fail(invalid_field(describe(*member), "a number", field.value));
    }
  }
  if (collector.missing() == 0) return collector.header();
  const auto first = static_cast<std::size_t>(std::countr_zero(collector.missing()));
  return fail(missing_field(describe(first)));
}

}  // namespace

Result<SendHeader> decode_send_header(std::int32_t code, const Fields& fields) {
  const auto find_long = [](std::string_view key) { return kLongNames.find(key); };
  if (!has_short_names(code)) return collect(fields, find_long, describe_long);
  auto header = collect(fields, find_short, describe_short);
  const bool are_names_long =
      !header && !fields.find(kShortNames[0]) && fields.find(kLongNames.name(0));
  return are_names_long ? collect(fields, find_long, describe_long) : header;
}

void write_fields(FrameWriter& writer, const SendHeader& header) {
  writer.field("a", header.producer_group);
  writer.field("b", header.topic);
  writer.field("c", header.default_topic);
  writer.number("d", header.default_topic_queue_nums);
  writer.number("e", header.queue_id);
  writer.number("f", header.sys_flag);
  writer.number("g", header.born_timestamp);
  writer.number("h", header.flag);
  writer.field("i", header.properties);
  writer.number("j", header.reconsume_times);
  writer.boolean("k", header.unit_mode);
  if (header.max_reconsume_times) writer.number("l", *header.max_reconsume_times);
  writer.boolean("m", header.batch);
  if (!header.broker_name.empty()) writer.field("n", header.broker_name);
}

}  // namespace sluice::remoting
