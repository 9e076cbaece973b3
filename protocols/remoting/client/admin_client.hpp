#pragma once

#include "common/model/admin.hpp"
#include "protocols/remoting/client/broker_client.hpp"

namespace sluice::remoting {

/// The requests of RocketMQ's broker protocol that operators' tools make, in words of the common
/// model. As those in broker_client.hpp.
///
/// RocketMQ's answers say less here and there: connections of a group come without their last
/// heartbeat, progress that is not known reads as 0, and the rates of a group's topics are one.
Task<model::AdminReply> administer(BrokerRequest request, model::AdminCommand command);

}  // namespace sluice::remoting
