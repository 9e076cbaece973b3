#pragma once

#include "protocols/remoting/handlers/call.hpp"

/// \file
/// How far topics and groups are. All: protocol_error, naming the field.

namespace sluice::remoting {

/// GET_TOPIC_STATS_INFO (202).
[[nodiscard]] Result<Call> to_query_topic_stats(const Request& request);

/// GET_SYSTEM_TOPIC_LIST_FROM_BROKER (305).
[[nodiscard]] Result<Call> to_query_system_topics(const Request& request);

/// QUERY_CONSUME_QUEUE (321).
[[nodiscard]] Result<Call> to_inspect_queue(const Request& request);

/// GET_CONSUME_STATS (208): of one group, in the topics named or in all.
[[nodiscard]] Result<Call> to_query_progress(const Request& request);

/// GET_BROKER_CONSUME_STATS (317). `isOrder` is not looked at: all groups are listed.
[[nodiscard]] Result<Call> to_query_progress_of_all(const Request& request);

/// QUERY_TOPIC_CONSUME_BY_WHO (300) and QUERY_TOPICS_BY_CONSUMER (343).
[[nodiscard]] Result<Call> to_query_groups_of_topic(const Request& request);
[[nodiscard]] Result<Call> to_query_topics_of_group(const Request& request);

/// QUERY_SUBSCRIPTION_BY_CONSUMER (345).
[[nodiscard]] Result<Call> to_query_subscription(const Request& request);

/// QUERY_CONSUME_TIME_SPAN (303).
[[nodiscard]] Result<Call> to_query_time_spans(const Request& request);

/// GET_ALL_CONSUMER_OFFSET (43).
[[nodiscard]] Result<Call> to_query_all_progress(const Request& request);

/// CLONE_GROUP_OFFSET (314).
[[nodiscard]] Result<Call> to_copy_progress(const Request& request);

}  // namespace sluice::remoting
