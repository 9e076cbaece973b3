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
    client_ = pool_.get(executor, address_);
    auto done = co_await remoting::register_broker(client_, std::move(registration));
    connection_ = client_->connections();
    co_return done;
  }

  Task<> unregister_broker(model::UnregisterBroker broker) override {
    const Executor executor = co_await boost::asio::this_coro::executor;
    auto client = pool_.get(executor, address_);
    auto done = co_await remoting::unregister_broker(std::move(client), std::move(broker));
    co_return done;
  }

  [[nodiscard]] bool is_in_touch() const noexcept override {
    return client_ && client_->is_connected() && client_->connections() == connection_;
  }

 private:
  remoting::RemotingClientPool& pool_;
  std::string address_;
  std::shared_ptr<remoting::RemotingClient> client_;
  std::uint64_t connection_ = 0;  ///< The one that the last registration went over.
};

}  // namespace

std::unique_ptr<NameServerLink> make_remote_link(remoting::RemotingClientPool& pool,
                                                 std::string address) {
  return std::make_unique<RemoteLink>(pool, std::move(address));
}

}  // namespace sluice::broker
