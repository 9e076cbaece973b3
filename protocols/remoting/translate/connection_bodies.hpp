#pragma once

#include <string>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "common/model/admin.hpp"

/// \file
/// Who is connected, as JSON. All decoders as in group_bodies.hpp.

namespace sluice::remoting {

/// ConsumerConnection: body of the answer to 203. Members know no last heartbeat.
[[nodiscard]] Result<model::ConsumersReply> decode_consumer_connection(BytesView body);
void append_consumer_connection(std::string& out, const model::ConsumersReply& reply);

/// ProducerConnection: body of the answer to 204, of one group. Without its name.
[[nodiscard]] Result<model::ProducersReply> decode_producer_connection(BytesView body);
void append_producer_connection(std::string& out, const model::ProducersReply& reply);

/// ProducerTableInfo: body of the answer to 328.
[[nodiscard]] Result<model::ProducersReply> decode_producer_table(BytesView body);
void append_producer_table(std::string& out, const model::ProducersReply& reply);

/// `{"group":…,"subscriptionData":…,"topic":…}`: body of the answer to 345.
[[nodiscard]] Result<model::SubscriptionReply> decode_group_subscription(BytesView body);
void append_group_subscription(std::string& out, const model::SubscriptionReply& reply);

}  // namespace sluice::remoting
