#pragma once

#include <cstdint>

/// Codes of answers (RocketMQ's ResponseCode and RemotingSysResponseCode). What an Errc is
/// answered with stands in common/base/errors.def; these are for answers that are no errors, and
/// for clients.
namespace sluice::remoting::response_code {

inline constexpr std::int32_t kSuccess = 0;
inline constexpr std::int32_t kSystemError = 1;  ///< Producers retry on another broker.
inline constexpr std::int32_t kSystemBusy = 2;   ///< Producers retry; pull consumers wait 20 ms.
inline constexpr std::int32_t kRequestCodeNotSupported = 3;

// The message is stored, but not as safely as asked; the header is that of a success.
inline constexpr std::int32_t kFlushDiskTimeout = 10;
inline constexpr std::int32_t kSlaveNotAvailable = 11;
inline constexpr std::int32_t kFlushSlaveTimeout = 12;

inline constexpr std::int32_t kMessageIllegal = 13;
inline constexpr std::int32_t kServiceNotAvailable = 14;
inline constexpr std::int32_t kNoPermission = 16;
inline constexpr std::int32_t kTopicNotExist = 17;

// Answers to a pull; all carry the offsets.
inline constexpr std::int32_t kPullNotFound = 19;
inline constexpr std::int32_t kPullRetryImmediately = 20;
inline constexpr std::int32_t kPullOffsetMoved = 21;

inline constexpr std::int32_t kQueryNotFound = 22;
inline constexpr std::int32_t kSubscriptionParseFailed = 23;
inline constexpr std::int32_t kSubscriptionNotExist = 24;
inline constexpr std::int32_t kSubscriptionNotLatest = 25;
inline constexpr std::int32_t kSubscriptionGroupNotExist = 26;
inline constexpr std::int32_t kFilterDataNotExist = 27;
inline constexpr std::int32_t kFilterDataNotLatest = 28;
inline constexpr std::int32_t kInvalidParameter = 29;

inline constexpr std::int32_t kConsumerNotOnline = 206;
inline constexpr std::int32_t kConsumeMsgTimeout = 207;
inline constexpr std::int32_t kNoMessage = 208;
inline constexpr std::int32_t kPollingFull = 209;
inline constexpr std::int32_t kPollingTimeout = 210;
inline constexpr std::int32_t kNotLeaderForQueue = 501;
inline constexpr std::int32_t kIllegalOperation = 604;
inline constexpr std::int32_t kGoAway = 1500;  ///< Only to clients above kVersion5_3_1.

}  // namespace sluice::remoting::response_code
