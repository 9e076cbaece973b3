#include "protocols/remoting/handlers/brokers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/checksum.hpp"
#include "protocols/remoting/codec/kv_body.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "protocols/remoting/handlers/answer.hpp"
#include "protocols/remoting/handlers/name_server_reply.hpp"
#include "protocols/remoting/translate/data_version.hpp"
#include "protocols/remoting/translate/topic_config.hpp"

namespace sluice::remoting {

namespace {

constexpr std::uint32_t kChecksumMask = 0x7FFF'FFFF;
constexpr std::int64_t kExpiryMax = std::chrono::milliseconds(std::chrono::hours(24 * 365)).count();

/// Reads the fields that both requests have.
template <class Command>
Result<Command> identity_of(const Fields& fields) {
  const auto cluster = fields.text("clusterName");
  SLUICE_TRY(cluster);
  const auto name = fields.text("brokerName");
  SLUICE_TRY(name);
  const auto address = fields.text("brokerAddr");
  SLUICE_TRY(address);
  const auto id = fields.int64("brokerId");
  SLUICE_TRY(id);
  Command command;
  command.cluster = *cluster;
  command.broker_name = *name;
  command.address = *address;
  command.broker_id = *id;
  return command;
}

Result<> check_body(const Request& request) {
  const auto expected = request.fields().int32_or("bodyCrc32", 0);
  SLUICE_TRY(expected);
  const auto actual = static_cast<std::int32_t>(crc32(request.body) & kChecksumMask);
  if (*expected != 0 && *expected != actual) {
    return fail(Errc::malformed_packet, "crc32 not match: the body is not what was sent");
  }
  return {};
}

/// A zlib stream of RocketMQ's (RFC 1950 §2.2, window 32 KiB), which no JSON begins like. Brokers
/// of 5.x that compress say that they do not.
bool is_zlib(BytesView body) noexcept {
  constexpr std::byte kDeflateWith32KiB{0x78};
  return !body.empty() && body.front() == kDeflateWith32KiB;
}

Result<RegisterBrokerBody> body_of(const Request& request) {
  const auto checked = check_body(request);
  SLUICE_TRY(checked);
  const bool is_compressed =
      request.fields().boolean_or("compressed", false) || is_zlib(request.body);
  return is_compressed ? decode_compressed_register_broker_body(request.body)
                       : decode_register_broker_body(request.body);
}

Result<model::BrokerIdentity> broker_of(const Fields& fields) {
  const auto cluster = fields.text("clusterName");
  SLUICE_TRY(cluster);
  const auto name = fields.text("brokerName");
  SLUICE_TRY(name);
  const auto address = fields.text("brokerAddr");
  SLUICE_TRY(address);
  return model::BrokerIdentity{.cluster = std::string(*cluster),
                               .broker_name = std::string(*name),
                               .address = std::string(*address)};
}

void answer_registered(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& registered = name_server_reply_as<model::RegisteredReply>(reply);
  Answer answer(out, to, response_code::kSuccess);
  if (!registered.leader_address.empty()) {
    answer.field("haServerAddr", registered.leader_ha_address);
    answer.field("masterAddr", registered.leader_address);
  }
  answer.end_header();
  if (registered.order_topics) append_kv_table(out, *registered.order_topics);
  answer.end();
}

void answer_version(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& version = name_server_reply_as<model::BrokerVersionReply>(reply);
  Answer answer(out, to, response_code::kSuccess);
  answer.field("changed", version.is_changed ? "true" : "false");
  answer.end_header();
  if (version.known) append_data_version(out, to_wire(*version.known));
  answer.end();
}

void answer_group(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  const auto& group = name_server_reply_as<model::BrokerGroupReply>(reply).brokers;
  Answer answer(out, to, response_code::kSuccess);
  answer.end_header();
  append_broker_member_group(out, {.cluster = group.cluster,
                                   .broker_name = group.broker_name,
                                   .broker_addrs = group.addresses});
  answer.end();
}

template <const char* key>
void answer_count(std::string& out, const AnswerTo& to, const model::Reply& reply) {
  Answer answer(out, to, response_code::kSuccess);
  answer.number(key, name_server_reply_as<model::CountReply>(reply).count);
  answer.end();
}

constexpr char kWipedField[] = "wipeTopicCount";
constexpr char kGrantedField[] = "addTopicCount";

Result<model::SetWritePermission> permission_of(const Fields& fields,
                                                model::WritePermission permission) {
  const auto name = fields.text("brokerName");
  SLUICE_TRY(name);
  return model::SetWritePermission{.broker_name = std::string(*name), .permission = permission};
}

}  // namespace

Result<Call> to_register_broker(const Request& request) {
  auto command = identity_of<model::RegisterBroker>(request.fields());
  SLUICE_TRY(command);
  const auto expiry = request.fields().int64_or("heartbeatTimeoutMillis", 0);
  SLUICE_TRY(expiry);
  auto body = body_of(request);
  SLUICE_TRY(body);
  command->ha_address = request.fields().text_or("haServerAddr", {});
  command->expiry = std::chrono::milliseconds(std::clamp(*expiry, std::int64_t{0}, kExpiryMax));
  command->version = to_model(body->data_version);
  for (TopicConfig& topic : body->topic_configs) {
    command->topics.push_back(to_model(std::move(topic)));
  }
  for (QueueMapping& mapping : body->topic_queue_mapping_infos) {
    command->mappings.push_back({.topic = std::move(mapping.key),
                                 .broker_name = command->broker_name,
                                 .json = std::move(mapping.json)});
  }
  if (request.fields().find("enableActingMaster")) {
    command->allows_acting_leader = request.fields().boolean_or("enableActingMaster", false);
  }
  command->zone = request.fields().text_or("__ZONE_NAME", {});
  command->replaces_topics = request.fields().boolean_or(kReplacesTopicsField, false);
  return Call{.command = *std::move(command), .answer = answer_registered};
}

Result<Call> to_unregister_broker(const Request& request) {
  auto command = identity_of<model::UnregisterBroker>(request.fields());
  SLUICE_TRY(command);
  return Call{.command = *std::move(command), .answer = answer_acknowledged};
}

Result<Call> to_query_broker_version(const Request& request) {
  auto broker = broker_of(request.fields());
  SLUICE_TRY(broker);
  const auto version = decode_data_version(request.body);
  SLUICE_TRY(version);
  return name_server_call(
      model::QueryBrokerVersion{.broker = *std::move(broker), .version = to_model(*version)},
      answer_version);
}

Result<Call> to_broker_heartbeat(const Request& request) {
  auto broker = broker_of(request.fields());
  SLUICE_TRY(broker);
  return name_server_call(model::BrokerHeartbeat{.broker = *std::move(broker)},
                          answer_acknowledged);
}

Result<Call> to_query_broker_group(const Request& request) {
  const auto cluster = request.fields().text("clusterName");
  SLUICE_TRY(cluster);
  const auto name = request.fields().text("brokerName");
  SLUICE_TRY(name);
  return name_server_call(
      model::QueryBrokerGroup{.cluster = std::string(*cluster), .broker_name = std::string(*name)},
      answer_group);
}

Result<Call> to_wipe_write_permission(const Request& request) {
  auto change = permission_of(request.fields(), model::WritePermission::wiped);
  SLUICE_TRY(change);
  return name_server_call(*std::move(change), answer_count<kWipedField>);
}

Result<Call> to_grant_write_permission(const Request& request) {
  auto change = permission_of(request.fields(), model::WritePermission::granted);
  SLUICE_TRY(change);
  return name_server_call(*std::move(change), answer_count<kGrantedField>);
}

}  // namespace sluice::remoting
