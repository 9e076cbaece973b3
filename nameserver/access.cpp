#include "nameserver/access.hpp"

#include <variant>

namespace sluice::nameserver {

namespace {

Access access_to(const model::RegisterBroker&) noexcept {
  return Access::enlist;
}
Access access_to(const model::UnregisterBroker&) noexcept {
  return Access::enlist;
}
Access access_to(const model::QueryBrokerVersion&) noexcept {
  return Access::enlist;
}
Access access_to(const model::BrokerHeartbeat&) noexcept {
  return Access::enlist;
}
Access access_to(const model::RegisterTopic&) noexcept {
  return Access::enlist;
}
Access access_to(const model::PutKv&) noexcept {
  return Access::manage;
}
Access access_to(const model::DeleteKv&) noexcept {
  return Access::manage;
}
Access access_to(const model::SetWritePermission&) noexcept {
  return Access::manage;
}
Access access_to(const model::ForgetTopic&) noexcept {
  return Access::manage;
}
Access access_to(const model::UpdateSettings&) noexcept {
  return Access::manage;
}
Access access_to(const model::QuerySettings&) noexcept {
  return Access::manage;
}
Access access_to(const model::NameServerCommand& command) noexcept;

// What is not named here changes nothing, or is not served.
template <class Query>
Access access_to(const Query&) noexcept {
  return Access::read;
}

Access access_to(const model::NameServerCommand& command) noexcept {
  return std::visit([](const auto& request) { return access_to(request); }, command);
}

}  // namespace

Access access_of(const model::Command& command) noexcept {
  return std::visit([](const auto& request) { return access_to(request); }, command);
}

}  // namespace sluice::nameserver
