#include "gateway/pipeline/validate.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <variant>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "common/model/filter.hpp"
#include "common/model/names.hpp"
#include "common/model/topic_attributes.hpp"
#include "gateway/pipeline/admin_rules.hpp"

namespace sluice::gateway {

namespace {

constexpr std::int32_t kPermissionMax = 7;

Result<> check_queue(std::int32_t queue) {
  if (queue >= 0 && queue < limits::kQueuesPerTopicMax) return {};
  return fail(Errc::invalid_argument, "queue " + std::to_string(queue) + " is not in 0 to " +
                                          std::to_string(limits::kQueuesPerTopicMax - 1));
}

Result<> check_batch(const model::Send& send) {
  if (send.messages.size() > limits::kMessagesPerBatchMax) {
    return fail(Errc::message_illegal, "the batch has " + std::to_string(send.messages.size()) +
                                           " messages; the limit is " +
                                           std::to_string(limits::kMessagesPerBatchMax));
  }
  // SendMessageProcessor.sendBatchMessage: a batch must not go to a retry topic.
  if (send.topic.starts_with(model::kRetryPrefix)) {
    return fail(Errc::message_illegal, "a batch cannot be sent to a retry topic");
  }
  if (send.topic.size() > limits::kTopicNameBytesMax) {
    return fail(Errc::message_illegal, "a batch cannot be sent to a topic of more than " +
                                           std::to_string(limits::kTopicNameBytesMax) + " bytes");
  }
  return {};
}

Result<> check_message(const model::NewMessage& message) {
  if (message.body.size() > limits::kMessageBodyBytesMax) {
    return fail(Errc::payload_too_large, "the body has " + std::to_string(message.body.size()) +
                                             " bytes; the limit is " +
                                             std::to_string(limits::kMessageBodyBytesMax));
  }
  if (message.properties.size() > limits::kPropertiesBytesMax) {
    return fail(Errc::message_illegal,
                "the properties have " + std::to_string(message.properties.size()) +
                    " bytes; the limit is " + std::to_string(limits::kPropertiesBytesMax));
  }
  return {};
}

/// For queries: which queue of which topic.
template <class Query>
Result<> check_topic_queue(const Query& query) {
  SLUICE_TRY(model::check_topic_name(query.topic));
  return check_queue(query.queue);
}

Result<> check(model::Pull& pull) {
  SLUICE_TRY(model::check_group_name(pull.group));
  SLUICE_TRY(check_topic_queue(pull));
  pull.messages_max = std::clamp<std::uint32_t>(pull.messages_max, 1, limits::kPullMessagesMax);
  pull.bytes_max = std::clamp<std::uint32_t>(pull.bytes_max, 1, limits::kPullBytesMax);
  pull.wait = std::clamp(pull.wait, std::chrono::milliseconds(0), limits::kPullWaitMax);
  return {};
}

Result<> check(model::QueryOffset& query) {
  SLUICE_TRY(model::check_group_name(query.group));
  return check_topic_queue(query);
}

Result<> check(model::UpdateOffset& update) {
  SLUICE_TRY(model::check_group_name(update.group));
  return check_topic_queue(update);
}

Result<> check(model::QueryBounds& query) {
  return check_topic_queue(query);
}

Result<> check(model::SearchOffset& search) {
  return check_topic_queue(search);
}

Result<> check(model::QueryEarliestTime& query) {
  return check_topic_queue(query);
}

Result<> check_client_id(const std::string& client_id) {
  if (client_id.empty()) return fail(Errc::invalid_argument, "the client id is empty");
  if (client_id.size() > limits::kClientIdBytesMax) {
    return fail(Errc::invalid_argument, "the client id has " + std::to_string(client_id.size()) +
                                            " bytes; the limit is " +
                                            std::to_string(limits::kClientIdBytesMax));
  }
  return {};
}

Result<> check(model::QueryMessages& query) {
  SLUICE_TRY(model::check_topic_name(query.topic));
  query.messages_max = std::clamp<std::uint32_t>(query.messages_max, 1, limits::kQueryMessagesMax);
  return {};
}

Result<> check(model::ViewMessage& view) {
  if (view.topic.empty()) return {};
  return model::check_topic_name(view.topic);
}

/// Of both kinds of requests about locks.
template <class Request>
Result<> check_locks(const Request& request) {
  SLUICE_TRY(model::check_group_name(request.group));
  SLUICE_TRY(check_client_id(request.client_id));
  if (request.queues.size() <= limits::kQueuesPerLockMax) return {};
  return fail(Errc::invalid_argument, "one request names " + std::to_string(request.queues.size()) +
                                          " queues; the limit is " +
                                          std::to_string(limits::kQueuesPerLockMax));
}

Result<> check(model::LockQueues& lock) {
  return check_locks(lock);
}

Result<> check(model::UnlockQueues& unlock) {
  return check_locks(unlock);
}

Result<> check(model::AskClient& ask) {
  SLUICE_TRY(model::check_group_name(ask.group));
  SLUICE_TRY(check_client_id(ask.client_id));
  const bool needs_topic = ask.question == model::ClientQuestion::consumer_status;
  if (!needs_topic && ask.topic.empty()) return {};
  return model::check_topic_name(ask.topic);
}

// Taken only from who was asked; everything in it is the client's.
Result<> check(model::AnswerClientRequest& /*answer*/) {
  return {};
}

Result<> check(model::QueryConsumerStatus& query) {
  SLUICE_TRY(model::check_group_name(query.group));
  return model::check_topic_name(query.topic);
}

Result<> check(model::ResetOffset& reset) {
  SLUICE_TRY(model::check_group_name(reset.group));
  SLUICE_TRY(model::check_topic_name(reset.topic));
  return reset.queue < 0 ? Result<>{} : check_queue(reset.queue);
}

/// Drops what `is_bad` says, and what is over `count_max`.
template <class Element, class IsBad>
void keep_good(std::vector<Element>& elements, std::size_t count_max, IsBad is_bad) {
  static metrics::Counter& dropped = metrics::counter(
      "sluice_gateway_heartbeat_entries_dropped_total", "",
      "Groups and subscriptions of heartbeats that were invalid or over their limit.");
  const std::size_t before = elements.size();
  std::erase_if(elements, is_bad);
  if (elements.size() > count_max) elements.resize(count_max);
  if (elements.size() < before) dropped.add(before - elements.size());
}

Result<> check(model::RegisterClient& client) {
  SLUICE_TRY(check_client_id(client.client_id));
  keep_good(client.producer_groups, limits::kGroupsPerSessionMax,
            [](const std::string& group) { return !model::check_group_name(group); });
  keep_good(client.consumers, limits::kGroupsPerSessionMax,
            [](const model::ConsumerRegistration& consumer) {
              return !model::check_group_name(consumer.group);
            });
  for (model::ConsumerRegistration& consumer : client.consumers) {
    keep_good(consumer.subscriptions, limits::kSubscriptionsPerGroupMax,
              [](const model::Subscription& subscription) {
                return !model::check_topic_name(subscription.topic);
              });
  }
  return {};
}

Result<> check(model::UnregisterClient& client) {
  return check_client_id(client.client_id);
}

Result<> check(model::ListMembers& query) {
  return model::check_group_name(query.group);
}

Result<> check(model::CheckSubscription& query) {
  const std::string& type = query.subscription.filter.type;
  if (!type.empty() && type != model::FilterExpression{}.type) {
    return fail(Errc::unsupported,
                "The broker does not support consumer to filter message by " + type);
  }
  const auto hashes = model::tag_hashes_of(query.subscription.filter);
  if (!hashes) return fail(hashes.error());
  return {};
}

Result<> check_not_system_topic(const std::string& topic) {
  if (!model::is_system_topic(topic)) return {};
  return fail(Errc::invalid_argument, "topic " + topic + " belongs to the broker itself");
}

Result<> check(model::CreateTopic& create) {
  const model::TopicConfig& config = create.config;
  SLUICE_TRY(model::check_topic_name(config.name));
  SLUICE_TRY(check_not_system_topic(config.name));
  const auto [fewest, most] = std::minmax(config.read_queues, config.write_queues);
  if (fewest < 0 || most > limits::kQueuesPerTopicMax) {
    return fail(Errc::invalid_argument, "a topic has 0 to " +
                                            std::to_string(limits::kQueuesPerTopicMax) +
                                            " queues to read and to write");
  }
  if (config.permission < 0 || config.permission > kPermissionMax) {
    return fail(Errc::invalid_argument,
                "permission " + std::to_string(config.permission) + " is not in 0 to 7");
  }
  if (config.filter_type.size() > limits::kAttributeBytesMax) {
    return fail(Errc::invalid_argument,
                "the topic filter type has " + std::to_string(config.filter_type.size()) +
                    " bytes; the limit is " + std::to_string(limits::kAttributeBytesMax));
  }
  for (const auto& [name, value] : config.attributes) {
    SLUICE_TRY(model::check_topic_attribute(name, value));
  }
  return {};
}

Result<> check(model::CreateTopics& create) {
  for (model::CreateTopic& topic : create.topics) SLUICE_TRY(check(topic));
  return {};
}

Result<> check(model::Administer& administer) {
  return validate(administer.command);
}

Result<> check(model::DeleteTopic& remove) {
  SLUICE_TRY(model::check_topic_name(remove.topic));
  return check_not_system_topic(remove.topic);
}

Result<> check(model::QueryTopics& query) {
  query.page.count_max = std::min(query.page.count_max, limits::kNamesPerPageMax);
  return {};
}

// A name that nothing can have is found nowhere: no need to say more.
Result<> check(model::QueryRoute& /*query*/) {
  return {};
}
Result<> check(model::QueryCluster& /*query*/) {
  return {};
}

// Not for a gateway, which answers `unsupported`.
Result<> check(model::RegisterBroker& /*registration*/) {
  return {};
}
Result<> check(model::UnregisterBroker& /*broker*/) {
  return {};
}
Result<> check(model::NameServerCommand& /*command*/) {
  return {};
}

}  // namespace

Result<> validate(const model::Send& send) {
  SLUICE_TRY(model::check_topic_name(send.topic));
  if (model::is_closed_to_senders(send.topic)) {
    return fail(Errc::permission_denied, "topic " + send.topic + " is closed to senders");
  }
  if (send.messages.empty()) return fail(Errc::invalid_argument, "the send has no message");
  if (send.queue >= limits::kQueuesPerTopicMax) return check_queue(send.queue);
  if (send.is_batch) SLUICE_TRY(check_batch(send));
  for (const model::NewMessage& message : send.messages) SLUICE_TRY(check_message(message));
  return {};
}

Result<> validate(model::Command& command) {
  return std::visit([](auto& request) { return check(request); }, command);
}

}  // namespace sluice::gateway
