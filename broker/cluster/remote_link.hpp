#pragma once

#include <memory>
#include <string>

#include "broker/cluster/name_server_link.hpp"
#include "protocols/remoting/client/remoting_client_pool.hpp"

namespace sluice::broker {

/// A name server in another process, Sluice's or RocketMQ's. `pool` must outlive the link.
[[nodiscard]] std::unique_ptr<NameServerLink> make_remote_link(remoting::RemotingClientPool& pool,
                                                               std::string address);

}  // namespace sluice::broker
