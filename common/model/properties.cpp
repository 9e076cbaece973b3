#include "common/model/properties.hpp"

#include <algorithm>
#include <array>

namespace sluice::model {

namespace {

constexpr char kNameEnd = '\x01';
constexpr char kValueEnd = '\x02';

// Sorted; MessageConst.STRING_HASH_SET of RocketMQ 5, and the names that Sluice itself sets.
constexpr std::array kReserved = std::to_array<std::string_view>({"1ST_POP_TIME",
                                                                  "ARRIVE_TIME",
                                                                  "BORN_TIMESTAMP",
                                                                  "BUYER_ID",
                                                                  "CLUSTER",
                                                                  "CONSUME_START_TIME",
                                                                  "CORRECTION_FLAG",
                                                                  "CORRELATION_ID",
                                                                  "DELAY",
                                                                  "DLQ_ORIGIN_MESSAGE_ID",
                                                                  "DLQ_ORIGIN_TOPIC",
                                                                  "DUP_INFO",
                                                                  "EXTEND_UNIQ_INFO",
                                                                  "INNER_MULTI_QUEUE_OFFSET",
                                                                  "INSTANCE_ID",
                                                                  "KEYS",
                                                                  "MAX_OFFSET",
                                                                  "MAX_RECONSUME_TIMES",
                                                                  "MIN_OFFSET",
                                                                  "MQ2_FLAG",
                                                                  "MSG_REGION",
                                                                  "MSG_TYPE",
                                                                  "ORIGIN_MESSAGE_ID",
                                                                  "PGROUP",
                                                                  "POP_CK",
                                                                  "POP_CK_OFFSET",
                                                                  "PUSH_REPLY_TIME",
                                                                  "REAL_QID",
                                                                  "REAL_TOPIC",
                                                                  "RECONSUME_TIME",
                                                                  "REPLY_TO_CLIENT",
                                                                  "RETRY_TOPIC",
                                                                  "TAGS",
                                                                  "TIMER_DELAY_LEVEL",
                                                                  "TIMER_DELAY_MS",
                                                                  "TIMER_DELAY_SEC",
                                                                  "TIMER_DELIVER_MS",
                                                                  "TIMER_DEL_UNIQKEY",
                                                                  "TIMER_DEQUEUE_MS",
                                                                  "TIMER_ENQUEUE_MS",
                                                                  "TIMER_OUT_MS",
                                                                  "TIMER_ROLL_TIMES",
                                                                  "TRACE_ON",
                                                                  "TRANSFER_FLAG",
                                                                  "TRAN_MSG",
                                                                  "TRAN_PREPARED_QUEUE_OFFSET",
                                                                  "TTL",
                                                                  "UNIQ_KEY",
                                                                  "WAIT",
                                                                  "__BORNHOST",
                                                                  "__CRC32#",
                                                                  "__PATH"});
static_assert(std::ranges::is_sorted(kReserved));

}  // namespace

std::optional<Property> PropertyCursor::next() noexcept {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find(kValueEnd), rest_.size());
    const std::string_view entry = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    const std::size_t split = entry.find(kNameEnd);
    const bool has_both = split != std::string_view::npos && split > 0 && split + 1 < entry.size();
    if (has_both) return Property{entry.substr(0, split), entry.substr(split + 1)};
  }
  return std::nullopt;
}

std::optional<std::string_view> find_property(std::string_view encoded,
                                              std::string_view name) noexcept {
  PropertyCursor cursor(encoded);
  while (const auto entry = cursor.next()) {
    if (entry->name == name) return entry->value;
  }
  return std::nullopt;
}

Result<> add_property(std::string& encoded, std::string_view name, std::string_view value) {
  if (name.empty() || value.empty()) {
    return fail(Errc::invalid_argument, "a property needs a name and a value");
  }
  constexpr std::string_view separators = "\x01\x02";
  if (name.find_first_of(separators) != std::string_view::npos ||
      value.find_first_of(separators) != std::string_view::npos) {
    return fail(Errc::invalid_argument,
                "property '" + std::string(name) + "' holds byte 1 or 2: encode the value");
  }
  if (!encoded.empty() && encoded.back() != kValueEnd) encoded.push_back(kValueEnd);
  encoded.append(name).push_back(kNameEnd);
  encoded.append(value).push_back(kValueEnd);
  return {};
}

bool is_reserved_property(std::string_view name) noexcept {
  return std::ranges::binary_search(kReserved, name);
}

}  // namespace sluice::model
