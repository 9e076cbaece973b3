#include "gateway/pipeline/pipeline.hpp"

#include <utility>
#include <variant>

#include "gateway/pipeline/accesses.hpp"
#include "gateway/pipeline/admin_rules.hpp"
#include "gateway/pipeline/allow_all.hpp"
#include "gateway/pipeline/validate.hpp"

namespace sluice::gateway {

namespace {

Accesses needs(const model::Pull& pull) {
  return {to_topic(Action::consume, pull.topic), to_group(Action::consume, pull.group)};
}
Accesses needs(const model::QueryOffset& query) {
  return {to_topic(Action::consume, query.topic), to_group(Action::consume, query.group)};
}
Accesses needs(const model::UpdateOffset& update) {
  return {to_topic(Action::consume, update.topic), to_group(Action::consume, update.group)};
}
Accesses needs(const model::QueryBounds& query) {
  return {to_topic(Action::describe, query.topic)};
}
Accesses needs(const model::SearchOffset& search) {
  return {to_topic(Action::describe, search.topic)};
}
Accesses needs(const model::QueryEarliestTime& query) {
  return {to_topic(Action::describe, query.topic)};
}
Accesses needs(const model::QueryMessages& query) {
  return {to_topic(Action::consume, query.topic)};
}
Accesses needs(const model::ViewMessage& view) {
  if (view.topic.empty()) return {to_cluster(Action::manage)};  // Any message may come.
  return {to_topic(Action::consume, view.topic)};
}
Accesses needs(const model::LockQueues& lock) {
  return {to_group(Action::consume, lock.group)};
}
Accesses needs(const model::UnlockQueues& unlock) {
  return {to_group(Action::consume, unlock.group)};
}
Accesses needs(const model::AskClient& ask) {
  Accesses accesses{to_group(Action::manage, ask.group)};
  // The message goes to the client, which may be anybody's.
  if (ask.question != model::ClientQuestion::consume_message) return accesses;
  accesses.push_back(ask.topic.empty() ? to_cluster(Action::manage)
                                       : to_topic(Action::consume, ask.topic));
  return accesses;
}
Accesses needs(const model::AnswerClientRequest& /*answer*/) {
  return {};  // Taken only from who was asked.
}
Accesses needs(const model::QueryConsumerStatus& query) {
  return {to_group(Action::manage, query.group)};
}
Accesses needs(const model::ResetOffset& reset) {
  return {to_topic(Action::consume, reset.topic), to_group(Action::manage, reset.group)};
}
Accesses needs(const model::RegisterClient& client) {
  Accesses accesses;
  for (const model::ConsumerRegistration& consumer : client.consumers) {
    accesses.push_back(to_group(Action::consume, consumer.group));
    for (const model::Subscription& subscription : consumer.subscriptions) {
      accesses.push_back(to_topic(Action::consume, subscription.topic));
    }
  }
  return accesses;
}
Accesses needs(const model::UnregisterClient& /*client*/) {
  return {};
}
Accesses needs(const model::ListMembers& query) {
  return {to_group(Action::consume, query.group)};
}
Accesses needs(const model::CheckSubscription& query) {
  return {to_topic(Action::consume, query.subscription.topic)};
}
Accesses needs(const model::CreateTopic& create) {
  return {to_topic(Action::manage, create.config.name)};
}
Accesses needs(const model::CreateTopics& create) {
  Accesses accesses;
  for (const model::CreateTopic& topic : create.topics) {
    accesses.push_back(to_topic(Action::manage, topic.config.name));
  }
  return accesses;
}
Accesses needs(const model::Administer& administer) {
  return accesses_of(administer.command);
}
Accesses needs(const model::DeleteTopic& remove) {
  return {to_topic(Action::manage, remove.topic)};
}
Accesses needs(const model::QueryTopics& query) {
  if (query.topic.empty()) return {to_cluster(Action::describe)};
  return {to_topic(Action::describe, query.topic)};
}
Accesses needs(const model::QueryRoute& query) {
  return {to_topic(Action::describe, query.topic)};
}
Accesses needs(const model::QueryCluster& /*query*/) {
  return {to_cluster(Action::describe)};
}
Accesses needs(const model::RegisterBroker& /*registration*/) {
  return {to_cluster(Action::manage)};
}
Accesses needs(const model::UnregisterBroker& /*broker*/) {
  return {to_cluster(Action::manage)};
}

Accesses needs(const model::NameServerCommand& /*command*/) {
  return {to_cluster(Action::manage)};
}

Cost cost_of(const model::Send& send) {
  Cost cost{.messages = send.messages.size(), .bytes = 0};
  for (const model::NewMessage& message : send.messages) cost.bytes += message.body.size();
  return cost;
}

}  // namespace

Accesses accesses_of(const model::Command& command) {
  return std::visit([](const auto& request) { return needs(request); }, command);
}

Pipeline::Pipeline(std::unique_ptr<Authenticator> authenticator,
                   std::unique_ptr<Authorizer> authorizer, std::unique_ptr<Quota> quota)
    : authenticator_(std::move(authenticator)),
      authorizer_(std::move(authorizer)),
      quota_(std::move(quota)) {}

Pipeline Pipeline::allow_all() {
  return {std::make_unique<AllowAllAuthenticator>(), std::make_unique<AllowAllAuthorizer>(),
          std::make_unique<AllowAllQuota>()};
}

Result<> Pipeline::authenticate(const model::CallContext& context) {
  return authenticator_->authenticate(context);
}

Result<> Pipeline::admit(const model::CallContext& context, const model::Send& send) {
  auto authorized = authorizer_->authorize(context, to_topic(Action::publish, send.topic));
  SLUICE_TRY(authorized);
  auto within_quota = quota_->admit(context, cost_of(send));
  SLUICE_TRY(within_quota);
  return validate(send);
}

Result<> Pipeline::admit(const model::CallContext& context, model::Command& command) {
  auto authenticated = authenticator_->authenticate(context);
  SLUICE_TRY(authenticated);
  for (const Access& access : accesses_of(command)) {
    auto authorized = authorizer_->authorize(context, access);
    SLUICE_TRY(authorized);
  }
  auto within_quota = quota_->admit(context, Cost{});
  SLUICE_TRY(within_quota);
  return validate(command);
}

}  // namespace sluice::gateway
