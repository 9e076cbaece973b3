#include <utility>

#include "broker/cluster/name_server_link.hpp"

namespace sluice::broker {

namespace {

class LocalLink final : public NameServerLink {
 public:
  explicit LocalLink(protocol::RequestHandler& name_server) noexcept : name_server_(name_server) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "this process"; }

  Task<> register_broker(model::RegisterBroker registration) override {
    return ask(model::Command(std::move(registration)));
  }

  Task<> unregister_broker(model::UnregisterBroker broker) override {
    return ask(model::Command(std::move(broker)));
  }

  [[nodiscard]] bool is_in_touch() const noexcept override { return true; }

 private:
  Task<> ask(model::Command command) {
    auto reply = co_await name_server_.handle(model::CallContext{}, std::move(command));
    SLUICE_CO_TRY(reply);
    co_return Result<>{};
  }

  protocol::RequestHandler& name_server_;
};

}  // namespace

std::unique_ptr<NameServerLink> make_local_link(protocol::RequestHandler& name_server) {
  return std::make_unique<LocalLink>(name_server);
}

}  // namespace sluice::broker
