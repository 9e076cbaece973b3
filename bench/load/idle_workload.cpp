#include "bench/load/idle_workload.hpp"

#include <array>
#include <tuple>
#include <utility>

#include "bench/load/fail.hpp"
#include "bench/load/request.hpp"
#include "bench/load/wire.hpp"

namespace sluice::bench {
namespace {

constexpr std::size_t kBodyBytes = 1024;

std::string make_send(const TopicInfo& topic, std::size_t client_number) {
  SendFrame frame({.topic = topic.name,
                   .broker_name = topic.broker_name,
                   .body_bytes = kBodyBytes,
                   .messages = 1});
  const auto queue = client_number % static_cast<std::size_t>(topic.queues);
  frame.patch(kOpaqueFirst, static_cast<int>(queue), wall_clock_ms());
  return std::string(frame.bytes());
}

std::string make_heartbeat(std::size_t client_number) {
  const std::string body = fmt::format(
      R"({{"clientID":"127.0.0.1@bench#{}","consumerDataSet":[],"heartbeatFingerprint":0,)"
      R"("producerDataSet":[{{"groupName":"bench_producer"}}],"withoutSub":false}})",
      client_number);
  return make_request(RequestCode::heart_beat, {}, body);
}

std::string make_route_request(const TopicInfo& topic) {
  const std::array fields{ExtField{.key = "topic", .value = topic.name}};
  return make_request(RequestCode::get_route_info_by_topic, fields);
}

}  // namespace

IdleWorkload::IdleWorkload(IdleRequest request, TopicInfo topic)
    : request_(request), topic_(std::move(topic)) {}

std::string IdleWorkload::make_first_request(std::size_t client_number) const {
  switch (request_) {
    case IdleRequest::send:
      return make_send(topic_, client_number);
    case IdleRequest::heartbeat:
      return make_heartbeat(client_number);
    case IdleRequest::route:
      return make_route_request(topic_);
  }
  fail("no such request");
}

void IdleWorkload::start(Client& client, std::int64_t now) {
  std::string& request = requests_.emplace_back(make_first_request(client.number()));
  store_decimal(request.data() + opaque_position(request), kOpaqueDigits, client.begin(0, now));
  client.submit(request);
}

void IdleWorkload::on_response(Client& client, const Response& response, std::int64_t /*now*/) {
  std::ignore = client.finish(response.opaque);
  if (response.code != kSuccess) fail("first request: {}", response.describe());
  ++answers_;
}

void IdleWorkload::expect_all_answered() const {
  if (answers_ != requests_.size()) fail("{} of {} were answered", answers_, requests_.size());
}

bool IdleWorkload::is_drained() const {
  return !is_waiting_ && answers_ == requests_.size();
}

}  // namespace sluice::bench
