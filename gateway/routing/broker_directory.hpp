#pragma once

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "common/model/route.hpp"
#include "gateway/remote/cluster_broker.hpp"

namespace sluice::gateway {

/// The brokers that name servers have named: one object for each address, kept for as long as the
/// directory lives, so that a call may hold it without more ado. Safe from any thread.
class BrokerDirectory {
 public:
  explicit BrokerDirectory(
      std::function<std::unique_ptr<ClusterBroker>(std::string address)> make_broker);

  /// Calls `found` for each broker that is new from now on. Once.
  void on_found(std::function<void(BrokerApi&)> found);

  /// Takes note of where the broker of that name is, if it takes messages (has an id 0).
  /// \return it, or null if it has no id 0 or there are limits::kBrokersPerNameServerMax already.
  BrokerApi* learn(const model::BrokerData& broker);

  /// null for a name never learnt.
  [[nodiscard]] BrokerApi* find(std::string_view broker_name) const;

  /// All that were ever learnt and not replaced, in the order of their names.
  [[nodiscard]] std::vector<BrokerApi*> all() const;

  /// Ends the watches at all brokers. None is learnt after it.
  void stop();

 private:
  std::function<std::unique_ptr<ClusterBroker>(std::string address)> make_broker_;
  std::function<void(BrokerApi&)> found_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<ClusterBroker>, std::less<>> by_address_;
  std::map<std::string, ClusterBroker*, std::less<>> by_name_;
  bool is_stopped_ = false;
};

}  // namespace sluice::gateway
