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
/// Commits waiting to be written, in bytes as written. More: commit() answers quota_exceeded.
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
/// Messages that one query finds at most (RocketMQ's maxMsgsNumBatch), and their bytes together;
/// the newest comes even if larger. More: the newest; the others are found by a narrower time.
inline constexpr std::uint32_t kQueryMessagesMax = 64;
inline constexpr std::size_t kQueryBytesMax = 8U * 1024 * 1024;
/// Candidates that one query of a key looks at: those whose other fields do not match are passed
/// over. More: the rest is found by a narrower time.
inline constexpr std::uint32_t kQueryCandidatesMax = 4096;
/// Messages of one queue that a query by tag looks at, from the newest on.
inline constexpr std::int64_t kTagQueryScanMax = 160'000;
/// Queues of one topic. More: invalid_argument.
inline constexpr std::int32_t kQueuesPerTopicMax = 4096;
/// Attributes of one topic. More: invalid_argument.
inline constexpr std::size_t kTopicAttributesMax = 256;
/// Topics and groups of one broker. More: quota_exceeded, and counted.
inline constexpr std::size_t kTopicsMax = 200'000;
inline constexpr std::size_t kGroupsMax = 200'000;
/// Producer and consumer groups one connection may register, with one heartbeat or several. More in
/// one remoting heartbeat: malformed_packet, for it would have to be read first. More in several:
/// the rest is refused and counted.
inline constexpr std::size_t kGroupsPerSessionMax = 4096;
/// Subscriptions of one consumer group. More in one remoting heartbeat: malformed_packet.
inline constexpr std::size_t kSubscriptionsPerGroupMax = 1024;

// --- administration --------------------------------------------------------------------------

/// Topics and groups that one request makes or changes (RocketMQ's list forms). More:
/// malformed_packet.
inline constexpr std::size_t kTopicsPerRequestMax = 4096;
inline constexpr std::size_t kGroupsPerRequestMax = 4096;
/// Names of one page of topics or groups (RocketMQ's PAGE_SIZE_MAX). More: so many.
inline constexpr std::int32_t kNamesPerPageMax = 2000;
/// Attributes of one group, and bytes of one attribute's name or value, and of the parts of a group
/// that are passed through as they came. More: invalid_argument.
inline constexpr std::size_t kGroupAttributesMax = 256;
inline constexpr std::size_t kAttributeBytesMax = 1024;
inline constexpr std::size_t kGroupTextBytesMax = 32U * 1024;
/// Topics named in one question about a group's progress. More: invalid_argument.
inline constexpr std::size_t kTopicsPerProgressQueryMax = 1024;
/// Queues in one answer about progress or statistics; 150 bytes each, so that a frame holds them.
/// More: quota_exceeded, ask for fewer topics.
inline constexpr std::size_t kQueuesPerReplyMax = 80'000;
/// Entries of a broker's whole progress in one answer. More: quota_exceeded.
inline constexpr std::size_t kProgressEntriesPerReplyMax = 500'000;
/// Entries of a queue that one request looks at. More: so many.
inline constexpr std::int32_t kInspectedEntriesMax = 1024;
/// Settings changed by one request, and bytes of its text. More: malformed_packet.
inline constexpr std::size_t kSettingsPerRequestMax = 1024;
inline constexpr std::size_t kSettingsBytesMax = 64U * 1024;

/// Topics, and groups in topics, whose messages are counted each. More: counted with the broker's
/// totals only, and counted as such.
inline constexpr std::size_t kCountedNamesMax = 20'000;
/// How often the counts are looked at to make rates of them (RocketMQ samples so).
inline constexpr std::chrono::seconds kStatisticsInterval{10};

// --- remoting --------------------------------------------------------------------------------

/// Bytes of one frame, its length field included (RocketMQ's frameMaxLength). More: the connection
/// is closed.
inline constexpr std::size_t kRemotingFrameBytesMax = 16U * 1024 * 1024;
/// Bytes of one header. More: the connection is closed.
inline constexpr std::size_t kRemotingHeaderBytesMax = 1024U * 1024;
/// Extension fields of one header. More: the frame is refused.
inline constexpr std::size_t kRemotingFieldsMax = 1024;
/// Bytes of an extension field's name (a signed 16-bit length). More: the frame is refused.
inline constexpr std::size_t kRemotingKeyBytesMax = 32'767;
/// Memory that parsing one JSON body may take, whatever it holds. More: quota_exceeded.
inline constexpr std::size_t kRemotingJsonMemoryMax = 128U * 1024 * 1024;
/// Bytes of a broker registration once inflated. More: malformed_packet.
inline constexpr std::size_t kRemotingInflatedBytesMax = 64U * 1024 * 1024;
/// Tags, and tag codes, of one subscription. More: malformed_packet.
inline constexpr std::size_t kTagsPerSubscriptionMax = 4096;
/// Requests of one connection that wait (long polls among them). More: answered with SYSTEM_BUSY.
inline constexpr std::size_t kRemotingRequestsInFlightMax = 16'384;
/// Sends of one connection gathered into one call.
inline constexpr std::size_t kSendsPerCallMax = 1024;
/// Descriptors that connections leave to the store and to connections of our own: one that would
/// take them is refused. Half of all, where the system gives fewer than twice as many.
inline constexpr std::uint64_t kReservedDescriptors = 512;
/// Bytes waiting to be written to one peer. More: the session stops reading until it has drained.
inline constexpr std::size_t kSessionOutboundBytesMax = 8U * 1024 * 1024;
/// Bytes read at once from one connection; also the buffer an active connection holds.
inline constexpr std::size_t kSessionReadBytes = 64U * 1024;
/// Memory for frames that are over kSessionReadBytes and not yet complete, of all connections of
/// the process. More: the connection that asks for it is closed, and counted.
inline constexpr std::int64_t kLargeFrameBytesMax = 512LL * 1024 * 1024;
/// Sessions of one gateway that a broker remembers between requests. More: it forgets them all and
/// begins anew.
inline constexpr std::size_t kForwardedSessionsMax = 16'384;
/// From a change of a group to its notice: what changes meanwhile is told with it.
inline constexpr std::chrono::milliseconds kGroupNoticeDelay{20};
/// Notices taken at once for one session.
inline constexpr std::uint32_t kNoticesPerSessionMax = 64;
/// A header of the PROXY protocol; more is refused (HAProxy itself sends at most 536 bytes unless
/// told to add more fields).
inline constexpr std::size_t kProxyHeaderBytesMax = 2048;
/// What a peer may send before its TLS handshake is done, certificates included. More: closed.
inline constexpr std::size_t kTlsHandshakeBytesMax = 128U * 1024;
/// A connection silent for this long gives its read buffer back.
inline constexpr std::chrono::seconds kSessionIdleBufferAge{1};
/// A connection silent for this long is closed (RocketMQ's serverChannelMaxIdleTimeSeconds).
inline constexpr std::chrono::seconds kSessionIdleMax{120};
/// A connection that has begun a frame must finish it within this time.
inline constexpr std::chrono::seconds kPartialFrameAgeMax{30};
/// After the last answer of a session that stops, its peer gets this long to hang up: what it still
/// sends would otherwise make the system throw that answer away.
inline constexpr std::chrono::seconds kSessionLingerMax{2};

/// Our own connections to servers. Bytes waiting to be written to one; more: the request fails at
/// once.
inline constexpr std::size_t kClientOutboundBytesMax = 64U * 1024 * 1024;
/// Bytes of write buffer that a connection keeps for later; a larger one is given back.
inline constexpr std::size_t kClientKeptBytesMax = 1024U * 1024;
inline constexpr std::chrono::seconds kClientConnectTimeout{3};
/// How long an answer is waited for, beyond what the request itself may wait (RocketMQ's
/// mqClientApiTimeout).
inline constexpr std::chrono::seconds kClientRequestTimeout{3};
/// A connection unused for this long is made anew rather than used: the server closes it at
/// kSessionIdleMax.
inline constexpr std::chrono::seconds kClientIdleMax{100};
/// A server that acknowledges no byte for this long is gone.
inline constexpr std::chrono::seconds kClientUnackedAgeMax{10};
/// How long close() may write what waits.
inline constexpr std::chrono::seconds kClientCloseGrace{1};

// --- long polling ----------------------------------------------------------------------------

/// Longest a pull may wait, whatever the client asks.
inline constexpr std::chrono::milliseconds kPullWaitMax{60'000};
/// Pulls waiting at one queue of a broker, and at all. More: answered at once as if nothing came,
/// and counted.
inline constexpr std::size_t kWaitersPerQueueMax = 16'384;
inline constexpr std::size_t kWaitersMax = 1'000'000;

// --- queue locks -----------------------------------------------------------------------------

/// A lock that its holder does not ask for again is free after this long (RocketMQ's
/// rebalance.lockMaxLiveTime of brokers).
inline constexpr std::chrono::seconds kQueueLockLife{60};
/// The same once the connection it was taken over is gone: for so long clients believe in a lock
/// that they cannot ask for again (rebalance.lockMaxLiveTime of clients).
inline constexpr std::chrono::seconds kQueueLockBelief{30};
/// Queues of one request. More: malformed_packet.
inline constexpr std::size_t kQueuesPerLockMax = 65'536;
/// Locks of one broker. More: not locked, and counted.
inline constexpr std::size_t kQueueLocksMax = 1'000'000;

// --- asking clients --------------------------------------------------------------------------

/// How long a client may take to answer what an operator asks of it.
inline constexpr std::chrono::seconds kClientAnswerMax{10};
/// Questions that one session has not answered yet. More: quota_exceeded.
inline constexpr std::size_t kClientRequestsPerSessionMax = 16;
/// Questions of all brokers that one session remembers to have passed on. More: the answer to the
/// oldest is not taken any more.
inline constexpr std::size_t kClientRequestsRemembered = 256;
/// Bytes of messages in the questions of one answer to a gateway; the first comes even if larger.
inline constexpr std::size_t kNoticeBytesPerWatchMax = 4U * 1024 * 1024;
/// The same of all that wait for one gateway. More: the oldest notice is dropped and counted.
inline constexpr std::size_t kNoticeBytesPerGatewayMax = 64U * 1024 * 1024;
/// Queues whose progress was moved and whose group has not pulled since. More: quota_exceeded.
inline constexpr std::size_t kPendingResetsMax = 1'000'000;

// --- membership ------------------------------------------------------------------------------

/// A client without a heartbeat for this long has left (RocketMQ's channel expiry).
inline constexpr std::chrono::seconds kClientExpiry{120};
inline constexpr std::chrono::seconds kClientScanInterval{10};
/// Groups that one connection causes to be made by using them, beside those an operator makes.
/// More: quota_exceeded, and counted.
inline constexpr std::size_t kGroupsMadePerSessionMax = 4096;
/// Notices waiting for one gateway. More: the oldest is dropped and counted.
inline constexpr std::size_t kNoticesPerGatewayMax = 10'000;
/// Bytes of a client's id. More: invalid_argument.
inline constexpr std::size_t kClientIdBytesMax = 1024;
/// Events waiting for one session. More: the oldest is dropped and counted.
inline constexpr std::size_t kEventsPerSessionMax = 4096;
/// A broker without a registration for this long has left, unless it names another time.
inline constexpr std::chrono::seconds kBrokerExpiry{120};
inline constexpr std::chrono::seconds kBrokerScanInterval{5};
inline constexpr std::chrono::seconds kBrokerRegisterInterval{30};
inline constexpr std::chrono::seconds kBrokerRegisterRetryInterval{1};

// --- name server -----------------------------------------------------------------------------

inline constexpr std::size_t kBrokersPerNameServerMax = 10'000;
inline constexpr std::size_t kTopicsPerNameServerMax = 1'000'000;
/// Queues that a broker may give one topic in its registration. More: invalid_argument.
inline constexpr std::int32_t kQueuesPerRouteMax = 65'536;
/// Bytes of a name or an address in a broker's registration. More: invalid_argument.
inline constexpr std::size_t kRegistrationTextBytesMax = 512;
/// Bytes of one static topic's mapping in a registration. More: invalid_argument.
inline constexpr std::size_t kQueueMappingBytesMax = 256U * 1024;
/// Bytes of a namespace or key of the KV configuration, and of a value. More: invalid_argument.
inline constexpr std::size_t kKvNameBytesMax = 512;
inline constexpr std::size_t kKvValueBytesMax = 64U * 1024;
/// Bytes of the whole KV configuration, which is written anew with every change. More:
/// quota_exceeded.
inline constexpr std::size_t kKvBytesMax = 4U * 1024 * 1024;
/// Settings in one request to a name server, and bytes of one's name or value. More:
/// malformed_packet.
inline constexpr std::size_t kConfigTextEntriesMax = 1024;
inline constexpr std::size_t kConfigTextBytesMax = 64U * 1024;

// --- gateway ---------------------------------------------------------------------------------

/// Routes a gateway remembers. More: it forgets all, and asks anew.
inline constexpr std::size_t kCachedRoutesMax = 200'000;
/// A remembered route older than this is asked anew (RocketMQ's clients do so every 30 s).
inline constexpr std::chrono::seconds kRouteRefreshInterval{30};
/// Clients of one connection whose registration is remembered, to be repeated to a broker that
/// forgot it. More: the oldest waits for its next heartbeat.
inline constexpr std::size_t kClientsPerSessionRemembered = 16;

// --- http ------------------------------------------------------------------------------------

/// Bytes of one request's first line and header. More: answered with 431 and closed.
inline constexpr std::size_t kHttpHeaderBytesMax = 64U * 1024;
/// A kept-alive connection without a request for this long is closed.
inline constexpr std::chrono::seconds kHttpIdleMax{60};
/// From the first byte of a request to the end of its header, and on to the end of its body. More:
/// answered with 408 and closed.
inline constexpr std::chrono::seconds kHttpHeaderAgeMax{10};
inline constexpr std::chrono::seconds kHttpBodyAgeMax{120};
/// A peer that does not take its answer within this time is cut off.
inline constexpr std::chrono::seconds kHttpWriteAgeMax{30};
/// What one request may take inside, beside the time it asked to wait. More: deadline_exceeded.
inline constexpr std::chrono::seconds kHttpAnswerAgeMax{30};
/// After a request was refused before its content was read: so much of the content is still taken,
/// for so long, or the peer's system would throw away the answer.
inline constexpr std::size_t kHttpLingerBytesMax = 1024U * 1024;
inline constexpr std::chrono::seconds kHttpLingerAgeMax{2};
/// Bytes of one message body once inflated for a reader over HTTP. More: given as it is stored.
inline constexpr std::size_t kInflatedBodyBytesMax = 8U * 1024 * 1024;
/// Bytes of all bodies of one answer over HTTP, as they are given. What would be more is left for
/// the next request; one message always comes.
inline constexpr std::size_t kHttpAnswerBodiesBytesMax = 8U * 1024 * 1024;
/// Memory of large contents and answers (over kHttpSmallBytes) that are under way, of all
/// connections. More: answered with 503.
inline constexpr std::size_t kHttpLargeBytesMax = 512U * 1024 * 1024;
inline constexpr std::size_t kHttpSmallBytes = 64U * 1024;

// --- admin -----------------------------------------------------------------------------------

/// Names in one answer of the admin listener: what is given, and the most that may be asked for.
/// More: invalid_argument.
inline constexpr std::int64_t kAdminNamesDefault = 1000;
inline constexpr std::int64_t kAdminNamesMax = 10'000;

// --- configuration ---------------------------------------------------------------------------

/// Bytes of one configuration file. More: refused.
inline constexpr std::size_t kConfigBytesMax = 1024U * 1024;

}  // namespace sluice::limits
