#pragma once

#include <string>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "common/model/admin.hpp"

/// \file
/// How far topics and groups are, as JSON. Where queues are keys of a map, they are bare objects
/// (docs/formats/remoting.md, "Bare keys"): Java's parser needs them so. All decoders as in
/// group_bodies.hpp; queues have the bound limits::kQueuesPerReplyMax.

namespace sluice::remoting {

/// TopicStatsTable: body of the answer to 202.
[[nodiscard]] Result<model::TopicStatsReply> decode_topic_stats(BytesView body);
void append_topic_stats(std::string& out, const model::TopicStatsReply& reply);

/// ConsumeStats: body of the answer to 208, about one group, which it does not name. It has one
/// rate, and shows an unknown progress as 0. What is decoded has one part a topic, the first with
/// the rate of all.
[[nodiscard]] Result<model::ProgressReply> decode_consume_stats(BytesView body);
void append_consume_stats(std::string& out, const model::ProgressReply& reply);

/// ConsumeStatsList: body of the answer to 317, about all groups.
[[nodiscard]] Result<model::ProgressReply> decode_consume_stats_list(BytesView body);
void append_consume_stats_list(std::string& out, const model::ProgressReply& reply);

/// `{"consumeTimeSpanSet":[…]}`: body of the answer to 303.
[[nodiscard]] Result<model::TimeSpansReply> decode_time_spans(BytesView body);
void append_time_spans(std::string& out, const model::TimeSpansReply& reply);

/// ConsumerOffsetSerializeWrapper: body of the answer to 43.
[[nodiscard]] Result<model::AllProgressReply> decode_all_progress(BytesView body);
void append_all_progress(std::string& out, const model::AllProgressReply& reply);

/// QueryConsumeQueueResponseBody: body of the answer to 321.
[[nodiscard]] Result<model::QueueEntriesReply> decode_queue_entries(BytesView body);
void append_queue_entries(std::string& out, const model::QueueEntriesReply& reply);

/// `{"groupList":[…]}`: body of the answer to 300.
[[nodiscard]] Result<model::NameListReply> decode_group_names(BytesView body);
void append_group_names(std::string& out, const model::NameListReply& reply);

}  // namespace sluice::remoting
