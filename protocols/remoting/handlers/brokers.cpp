#include "protocols/remoting/handlers/brokers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/checksum.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/codec/register_broker_body.hpp"
#include "protocols/remoting/handlers/answer.hpp"
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

Result<RegisterBrokerBody> body_of(const Request& request) {
  const auto checked = check_body(request);
  SLUICE_TRY(checked);
  const bool is_compressed = request.fields().boolean_or("compressed", false);
  return is_compressed ? decode_compressed_register_broker_body(request.body)
                       : decode_register_broker_body(request.body);
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
  command->version = {.state_version = body->data_version.state_version,
                      .timestamp_ms = body->data_version.timestamp,
                      .counter = body->data_version.counter};
  for (TopicConfig& topic : body->topic_configs) {
    command->topics.push_back(to_model(std::move(topic)));
  }
  command->replaces_topics = request.fields().boolean_or(kReplacesTopicsField, false);
  return Call{.command = *std::move(command), .answer = answer_acknowledged};
}

Result<Call> to_unregister_broker(const Request& request) {
  auto command = identity_of<model::UnregisterBroker>(request.fields());
  SLUICE_TRY(command);
  return Call{.command = *std::move(command), .answer = answer_acknowledged};
}

}  // namespace sluice::remoting
