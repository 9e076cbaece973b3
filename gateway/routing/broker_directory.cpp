#include "gateway/routing/broker_directory.hpp"

#include <mutex>
#include <utility>

#include "common/base/limits.hpp"

namespace sluice::gateway {

namespace {}  // namespace

BrokerDirectory::BrokerDirectory(
    std::function<std::unique_ptr<ClusterBroker>(std::string address)> make_broker)
    : make_broker_(std::move(make_broker)) {}

void BrokerDirectory::on_found(std::function<void(BrokerApi&)> found) {
  found_ = std::move(found);
}

BrokerApi* BrokerDirectory::learn(const model::BrokerData& broker) {
  const auto master = broker.addresses.find(model::kLeaderId);
  if (master == broker.addresses.end()) return nullptr;
  ClusterBroker* learnt = nullptr;
  bool is_new = false;
  {
    const std::lock_guard lock(mutex_);
    auto at_address = by_address_.find(master->second);
    if (at_address == by_address_.end()) {
      if (is_stopped_ || by_address_.size() >= limits::kBrokersPerNameServerMax) return nullptr;
      at_address = by_address_.emplace(master->second, make_broker_(master->second)).first;
      is_new = true;
    }
    learnt = at_address->second.get();
    by_name_[broker.broker_name] = learnt;
  }
  if (is_new && found_) found_(*learnt);
  return learnt;
}

BrokerApi* BrokerDirectory::find(std::string_view broker_name) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_name_.find(broker_name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<BrokerApi*> BrokerDirectory::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<BrokerApi*> brokers;
  for (const auto& [name, broker] : by_name_) brokers.push_back(broker);
  return brokers;
}

void BrokerDirectory::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  for (auto& [address, broker] : by_address_) broker->stop();
}

}  // namespace sluice::gateway
