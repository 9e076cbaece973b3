#include "broker/cluster/remote_link.hpp"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "protocols/remoting/client/name_server_client.hpp"

namespace sluice::broker {

namespace {

class RemoteLink final : public NameServerLink {
 public:
  RemoteLink(remoting::RemotingClientPool& pool, std::string address)
      : pool_(pool), address_(std::move(address)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return address_; }

  Task<> register_broker(model::RegisterBroker registration) override {
    const Executor executor = co_await boost::asio::this_coro::executor;
    auto client = pool_.get(executor, address_);
    auto done = co_await remoting::register_broker(std::move(client), std::move(registration));
    co_return done;
  }

  Task<> unregister_broker(model::UnregisterBroker broker) override {
    const Executor executor = co_await boost::asio::this_coro::executor;
    auto client = pool_.get(executor, address_);
    auto done = co_await remoting::unregister_broker(std::move(client), std::move(broker));
    co_return done;
  }

 private:
  remoting::RemotingClientPool& pool_;
  std::string address_;
};

}  // namespace

std::unique_ptr<NameServerLink> make_remote_link(remoting::RemotingClientPool& pool,
                                                 std::string address) {
  return std::make_unique<RemoteLink>(pool, std::move(address));
}

}  // namespace sluice::broker
