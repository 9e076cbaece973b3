#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/error.hpp"

/// \file
/// Message properties in the form that RocketMQ stores and sends: `name 0x01 value 0x02`, repeated;
/// the last 0x02 may be missing (rocketmq MessageDecoder.string2messageProperties). Order and
/// repeats are kept. Entries with an empty name or value are not properties and are passed over.

namespace sluice::model {

namespace property {
inline constexpr std::string_view kKeys = "KEYS";  ///< Separated by blanks.
inline constexpr std::string_view kTags = "TAGS";
inline constexpr std::string_view kUniqueKey = "UNIQ_KEY";
inline constexpr std::string_view kWait =
    "WAIT";  ///< "false": the sender does not wait for the disk.
inline constexpr std::string_view kDelayLevel = "DELAY";
inline constexpr std::string_view kTransactionPrepared = "TRAN_MSG";
inline constexpr std::string_view kRegion = "MSG_REGION";
inline constexpr std::string_view kTraceOn = "TRACE_ON";
inline constexpr std::string_view kCluster = "CLUSTER";
inline constexpr std::string_view kPopCheckpoint = "POP_CK";
inline constexpr std::string_view kContentType = "__CONTENT_TYPE";
inline constexpr std::string_view kPath = "__PATH";
inline constexpr std::string_view kShardingKey = "__SHARDINGKEY";
inline constexpr std::string_view kTimerDelaySeconds = "TIMER_DELAY_SEC";
inline constexpr std::string_view kTimerDelayMillis = "TIMER_DELAY_MS";
inline constexpr std::string_view kTimerDeliverMillis = "TIMER_DELIVER_MS";
}  // namespace property

struct Property {
  std::string_view name;
  std::string_view value;
};

/// Walks the properties of an encoded string, without allocation.
class PropertyCursor {
 public:
  explicit PropertyCursor(std::string_view encoded) noexcept : rest_(encoded) {}

  /// The next property, or nullopt at the end.
  [[nodiscard]] std::optional<Property> next() noexcept;

 private:
  std::string_view rest_;
};

/// The first property called `name`.
[[nodiscard]] std::optional<std::string_view> find_property(std::string_view encoded,
                                                            std::string_view name) noexcept;

/// Appends one property to `encoded`.
/// \return invalid_argument if name or value is empty or holds byte 1 or 2, which this form cannot.
[[nodiscard]] Result<> add_property(std::string& encoded, std::string_view name,
                                    std::string_view value);

/// True for names that users of protocols other than remoting may not set (the gRPC gateway's list
/// in RocketMQ: message-format "reserved").
[[nodiscard]] bool is_reserved_property(std::string_view name) noexcept;

}  // namespace sluice::model
