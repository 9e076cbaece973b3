#include "protocols/remoting/client/name_server_client.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "common/base/checksum.hpp"
#include "protocols/remoting/codec/bodies.hpp"
#include "protocols/remoting/codec/private_requests.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/response_codes.hpp"
#include "protocols/remoting/translate/data_version.hpp"
#include "protocols/remoting/translate/topic_config.hpp"

namespace sluice::remoting {

namespace {

/// RocketMQ's UtilAll.crc32: the sign bit is cleared.
constexpr std::uint32_t kChecksumMask = 0x7FFF'FFFF;

model::BrokerData to_model(BrokerData&& broker) {
  return {.cluster = std::move(broker.cluster),
          .broker_name = std::move(broker.broker_name),
          .addresses = std::move(broker.broker_addrs),
          .allows_acting_leader = broker.enable_acting_master,
          .zone = std::move(broker.zone_name)};
}

model::QueueData to_model(QueueData&& queues) {
  return {.broker_name = std::move(queues.broker_name),
          .read_queues = queues.read_queue_nums,
          .write_queues = queues.write_queue_nums,
          .permission = queues.perm,
          .topic_system_flag = queues.topic_sys_flag};
}

model::Route to_model(TopicRouteData&& wire) {
  model::Route route;
  for (QueueData& queues : wire.queue_datas) route.queues.push_back(to_model(std::move(queues)));
  for (BrokerData& broker : wire.broker_datas) {
    route.brokers.push_back(to_model(std::move(broker)));
  }
  route.order_config = std::move(wire.order_topic_conf);
  std::ranges::sort(route.queues, {}, &model::QueueData::broker_name);
  std::ranges::sort(route.brokers, {}, &model::BrokerData::broker_name);
  return route;
}

Result<> check_success(const Result<Response>& response) {
  if (!response) return fail(response.error());
  if (response->code() == response_code::kSuccess) return {};
  return fail(error_of(response->code(), response->remark()));
}

}  // namespace

NameServerClient::NameServerClient(RemotingClientPool& pool, std::vector<std::string> addresses)
    : pool_(pool), addresses_(std::move(addresses)) {}

template <class WriteFields>
Task<Response> NameServerClient::ask(std::int32_t code, WriteFields write_fields) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  Error last{Errc::unavailable, "no name server is configured"};
  const std::size_t first = current_;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    const std::size_t index = (first + i) % addresses_.size();
    const auto client = pool_.get(executor, addresses_[index]);
    auto response =
        co_await client->request(code, write_fields, Slice{}, limits::kClientRequestTimeout);
    if (response) {
      current_ = index;
      auto success = check_success(response);
      SLUICE_CO_TRY(success);
      co_return std::move(response);
    }
    last = std::move(response).error();
    if (!is_out_of_reach(last)) break;
  }
  co_return fail(std::move(last));
}

Task<model::Route> NameServerClient::fetch_route(std::string topic) {
  auto write_fields = [topic](FrameWriter& writer) {
    writer.field("topic", topic);
    writer.boolean("acceptStandardJsonOnly", true);
  };
  auto response = co_await ask(request_code::kGetRouteinfoByTopic, write_fields);
  SLUICE_CO_TRY(response);
  auto route = decode_topic_route(response->body().bytes());
  SLUICE_CO_TRY(route);
  co_return to_model(std::move(*route));
}

Task<std::vector<model::BrokerData>> NameServerClient::fetch_cluster() {
  auto no_fields = [](FrameWriter&) {};
  auto response = co_await ask(request_code::kGetBrokerClusterInfo, no_fields);
  SLUICE_CO_TRY(response);
  auto info = decode_cluster_info(response->body().bytes());
  SLUICE_CO_TRY(info);
  std::vector<model::BrokerData> brokers;
  for (auto& [name, broker] : info->broker_addr_table) {
    brokers.push_back(to_model(std::move(broker)));
  }
  co_return brokers;
}

Task<std::vector<std::string>> NameServerClient::fetch_topics() {
  auto no_fields = [](FrameWriter&) {};
  auto response = co_await ask(request_code::kGetAllTopicListFromNameserver, no_fields);
  SLUICE_CO_TRY(response);
  auto list = decode_topic_list(response->body().bytes());
  SLUICE_CO_TRY(list);
  co_return std::move(list->topics);
}

Task<> register_broker(std::shared_ptr<RemotingClient> name_server,
                       model::RegisterBroker registration) {
  RegisterBrokerBody body;
  body.data_version = to_wire(registration.version);
  for (const model::TopicConfig& config : registration.topics) {
    body.topic_configs.push_back(to_wire(config));
  }
  std::string text;
  append_register_broker_body(text, body);
  const Slice encoded = Slice::copy_of(text);
  auto write_fields = [&registration, &encoded](FrameWriter& writer) {
    writer.field("brokerName", registration.broker_name);
    writer.field("brokerAddr", registration.address);
    writer.field("clusterName", registration.cluster);
    writer.field("haServerAddr", registration.ha_address);
    writer.number("brokerId", registration.broker_id);
    writer.boolean("compressed", false);
    writer.number("bodyCrc32", crc32(encoded.bytes()) & kChecksumMask);
    if (registration.expiry.count() > 0) {
      writer.number("heartbeatTimeoutMillis", registration.expiry.count());
    }
    if (registration.replaces_topics) writer.boolean(kReplacesTopicsField, true);
  };
  auto response = co_await name_server->request(request_code::kRegisterBroker, write_fields,
                                                encoded, limits::kClientRequestTimeout);
  co_return check_success(response);
}

Task<> unregister_broker(std::shared_ptr<RemotingClient> name_server,
                         model::UnregisterBroker broker) {
  auto write_fields = [&broker](FrameWriter& writer) {
    writer.field("brokerName", broker.broker_name);
    writer.field("brokerAddr", broker.address);
    writer.field("clusterName", broker.cluster);
    writer.number("brokerId", broker.broker_id);
  };
  auto response = co_await name_server->request(request_code::kUnregisterBroker, write_fields,
                                                Slice{}, limits::kClientRequestTimeout);
  co_return check_success(response);
}

}  // namespace sluice::remoting
