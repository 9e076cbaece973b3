#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "common/model/command.hpp"
#include "common/model/route.hpp"
#include "protocols/remoting/client/remoting_client_pool.hpp"

namespace sluice::remoting {

/// Asks name servers, each as good as the other: the one that answered last is asked first, the
/// next if it is not reached. Safe from any loop; a call runs on the caller's.
///
/// Every member: unavailable or deadline_exceeded if none answers; else what the name server says.
class NameServerClient {
 public:
  /// \param addresses  `host:port` each. At least one, or every call is unavailable.
  /// `pool` outlives this object.
  NameServerClient(RemotingClientPool& pool, std::vector<std::string> addresses);

  /// \return topic_not_found.
  Task<model::Route> fetch_route(std::string topic);

  /// All brokers, sorted by name.
  Task<std::vector<model::BrokerData>> fetch_cluster();

  /// The names of all topics.
  Task<std::vector<std::string>> fetch_topics();

 private:
  template <class WriteFields>
  Task<Response> ask(std::int32_t code, WriteFields write_fields);

  RemotingClientPool& pool_;
  std::vector<std::string> addresses_;
  std::atomic<std::size_t> current_{0};
};

/// Tells one name server about a broker.
/// \return what it answers; unavailable, deadline_exceeded.
Task<> register_broker(std::shared_ptr<RemotingClient> name_server,
                       model::RegisterBroker registration);
Task<> unregister_broker(std::shared_ptr<RemotingClient> name_server,
                         model::UnregisterBroker broker);

}  // namespace sluice::remoting
