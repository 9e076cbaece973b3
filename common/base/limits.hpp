#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// \file
/// Every bound of the system, and what happens at it.

namespace sluice::limits {

// --- storage ---------------------------------------------------------------------------------

/// Payload bytes of one stored record. More: commit() answers invalid_argument.
inline constexpr std::size_t kRecordBytesMax = 8U * 1024 * 1024;
/// Bytes of one key or value in the key map. More: commit() answers invalid_argument.
inline constexpr std::size_t kKeyBytesMax = 4096;
inline constexpr std::size_t kValueBytesMax = 1024U * 1024;
/// Logs that one record may be listed in. More: commit() answers invalid_argument.
inline constexpr std::size_t kLogsPerRecordMax = 256;
/// Operations in one batch. More: commit() answers invalid_argument.
inline constexpr std::size_t kOperationsPerBatchMax = 65'536;
/// Bytes of one batch as written. More: commit() answers invalid_argument.
inline constexpr std::size_t kBatchBytesMax = 32U * 1024 * 1024;
/// Commits waiting for the writer, in bytes. More: commit() waits its turn before it is queued.
inline constexpr std::size_t kPendingCommitBytesMax = 64U * 1024 * 1024;

// --- messages --------------------------------------------------------------------------------

/// Body bytes of one message (RocketMQ's maxMessageSize). More: payload_too_large with this number.
inline constexpr std::size_t kMessageBodyBytesMax = 4U * 1024 * 1024;
/// Properties of one message in RocketMQ's stored form (a signed 16-bit length). More:
/// message_illegal.
inline constexpr std::size_t kPropertiesBytesMax = 32'767;
/// RocketMQ's TOPIC_MAX_LENGTH and GROUP limits. More: invalid_argument.
inline constexpr std::size_t kTopicNameBytesMax = 127;
inline constexpr std::size_t kSystemTopicNameBytesMax = 255;
inline constexpr std::size_t kGroupNameBytesMax = 120;
/// Messages of one client batch (request 320). More: message_illegal.
inline constexpr std::size_t kMessagesPerBatchMax = 8192;
/// Messages and bytes of one pull answer; the first message comes even if larger.
inline constexpr std::uint32_t kPullMessagesMax = 1024;
inline constexpr std::uint32_t kPullBytesMax = 1024U * 1024;
/// Records looked at for one pull, so that a rare tag cannot hold a thread.
inline constexpr std::uint32_t kPullScanMax = 16'000;
/// Queues of one topic. More: invalid_argument.
inline constexpr std::int32_t kQueuesPerTopicMax = 4096;
/// Topics and groups of one broker. More: quota_exceeded.
inline constexpr std::size_t kTopicsMax = 200'000;
inline constexpr std::size_t kGroupsMax = 200'000;
/// Producer and consumer groups one connection may register. More: the rest is refused and counted.
inline constexpr std::size_t kGroupsPerSessionMax = 4096;
/// Subscriptions of one consumer group. More: the rest is refused and counted.
inline constexpr std::size_t kSubscriptionsPerGroupMax = 1024;

// --- remoting --------------------------------------------------------------------------------

/// Bytes of one frame, its length field included (RocketMQ's frameMaxLength). More: the connection
/// is closed.
inline constexpr std::size_t kRemotingFrameBytesMax = 16U * 1024 * 1024;
/// Bytes of one header. More: the connection is closed.
inline constexpr std::size_t kRemotingHeaderBytesMax = 1024U * 1024;
/// Extension fields of one header. More: the frame is refused.
inline constexpr std::size_t kRemotingFieldsMax = 1024;
/// Requests of one connection that wait (long polls among them). More: answered with SYSTEM_BUSY.
inline constexpr std::size_t kRemotingRequestsInFlightMax = 16'384;
/// Sends of one connection gathered into one call.
inline constexpr std::size_t kSendsPerCallMax = 1024;
/// Bytes waiting to be written to one peer. More: the session stops reading until it has drained.
inline constexpr std::size_t kSessionOutboundBytesMax = 8U * 1024 * 1024;
/// Bytes read at once from one connection; also the buffer an active connection holds.
inline constexpr std::size_t kSessionReadBytes = 64U * 1024;
/// A connection silent for this long gives its read buffer back.
inline constexpr std::chrono::seconds kSessionIdleBufferAge{1};
/// A connection silent for this long is closed (RocketMQ's serverChannelMaxIdleTimeSeconds).
inline constexpr std::chrono::seconds kSessionIdleMax{120};
/// A connection that has begun a frame must finish it within this time.
inline constexpr std::chrono::seconds kPartialFrameAgeMax{30};

// --- long polling ----------------------------------------------------------------------------

/// Longest a pull may wait, whatever the client asks.
inline constexpr std::chrono::milliseconds kPullWaitMax{60'000};
/// Pulls waiting at one queue, and at all. More: answered at once as if nothing came.
inline constexpr std::size_t kWaitersPerQueueMax = 16'384;
inline constexpr std::size_t kWaitersMax = 1'000'000;

// --- membership ------------------------------------------------------------------------------

/// A client without a heartbeat for this long has left (RocketMQ's channel expiry).
inline constexpr std::chrono::seconds kClientExpiry{120};
inline constexpr std::chrono::seconds kClientScanInterval{10};
/// A broker without a registration for this long has left, unless it names another time.
inline constexpr std::chrono::seconds kBrokerExpiry{120};
inline constexpr std::chrono::seconds kBrokerScanInterval{5};
inline constexpr std::chrono::seconds kBrokerRegisterInterval{30};

// --- name server -----------------------------------------------------------------------------

inline constexpr std::size_t kBrokersPerNameServerMax = 10'000;
inline constexpr std::size_t kTopicsPerNameServerMax = 1'000'000;

// --- http ------------------------------------------------------------------------------------

inline constexpr std::size_t kHttpHeaderBytesMax = 64U * 1024;
inline constexpr std::chrono::seconds kHttpIdleMax{60};

}  // namespace sluice::limits
