#include "bench/load/admin.hpp"

#include <poll.h>

#include <boost/json.hpp>
#include <numeric>

#include "bench/load/clock.hpp"
#include "bench/load/fail.hpp"
#include "bench/load/request.hpp"

namespace sluice::bench {
namespace {

constexpr double kWaitSecondsMax = 10;
constexpr int kRetryMs = 20;

void pause() {
  poll(nullptr, 0, kRetryMs);
}

/// The broker that the route names for the topic, or an empty info while there is no route.
TopicInfo ask_route(BlockingClient& nameserver, const std::string& topic) {
  const ExtField fields[] = {{"topic", topic}};
  const Response response =
      nameserver.call(make_request(RequestCode::get_route_info_by_topic, fields));
  if (response.code != kSuccess) return {};
  boost::system::error_code error;
  const auto route = boost::json::parse(
      boost::json::string_view(response.body.data(), response.body.size()), error);
  if (error) fail("a route that is not JSON: {}", response.body);
  const auto* object = route.if_object();
  const auto* queue_datas = object ? object->if_contains("queueDatas") : nullptr;
  const auto* list = queue_datas ? queue_datas->if_array() : nullptr;
  if (!list || list->empty() || !list->front().is_object()) return {};
  const auto& data = list->front().get_object();
  const auto* name = data.if_contains("brokerName");
  const auto* queues = data.if_contains("writeQueueNums");
  const bool is_whole = name && name->is_string() && queues && queues->is_int64();
  if (!is_whole) fail("a route without broker name or queues: {}", response.body);
  return {.name = topic,
          .broker_name = std::string(name->get_string()),
          .queues = static_cast<int>(queues->get_int64())};
}

TopicInfo wait_for_route(const Address& nameserver, const std::string& topic) {
  BlockingClient client(nameserver);
  const std::int64_t deadline = now_ns() + to_ns(kWaitSecondsMax);
  while (now_ns() < deadline) {
    TopicInfo info = ask_route(client, topic);
    if (!info.broker_name.empty()) return info;
    pause();
  }
  fail("no route of topic {} after {} s", topic, kWaitSecondsMax);
}

}  // namespace

TopicInfo create_topic(const Address& broker, const Address* nameserver, const std::string& topic,
                       int queues) {
  const std::string queues_text = std::to_string(queues);
  const ExtField fields[] = {
      {"readQueueNums", queues_text},
      {"perm", "6"},
      {"writeQueueNums", queues_text},
      {"topicFilterType", "SINGLE_TAG"},
      {"topic", topic},
      {"attributes", ""},
      {"force", "false"},
      {"defaultTopic", "TBW102"},
      {"order", "false"},
      {"topicSysFlag", "0"},
  };
  BlockingClient client(broker);
  const Response response = client.call(make_request(RequestCode::update_and_create_topic, fields));
  if (response.code != kSuccess) fail("creating topic {}: {}", topic, response.describe());
  if (!nameserver) return {.name = topic, .broker_name = {}, .queues = queues};
  TopicInfo info = wait_for_route(*nameserver, topic);
  if (info.queues != queues) fail("topic {} has {} queues, not {}", topic, info.queues, queues);
  return info;
}

std::vector<std::uint64_t> max_offsets(const Address& broker, const TopicInfo& topic) {
  BlockingClient client(broker);
  HeaderNumber offset_field("offset");
  std::vector<std::uint64_t> offsets;
  for (int queue = 0; queue < topic.queues; ++queue) {
    const std::string queue_text = std::to_string(queue);
    const ExtField fields[] = {
        {"bname", topic.broker_name}, {"topic", topic.name}, {"queueId", queue_text}};
    const Response response = client.call(make_request(RequestCode::get_max_offset, fields));
    const auto offset = offset_field.find(response.header);
    if (response.code != kSuccess || !offset) {
      fail("max offset of {}, queue {}: {}", topic.name, queue, response.describe());
    }
    offsets.push_back(static_cast<std::uint64_t>(*offset));
  }
  return offsets;
}

std::uint64_t count_messages(const Address& broker, const TopicInfo& topic) {
  const auto offsets = max_offsets(broker, topic);
  return std::accumulate(offsets.begin(), offsets.end(), std::uint64_t{0});
}

void expect_messages(const Address& broker, const TopicInfo& topic, std::uint64_t expected) {
  std::uint64_t last_count = 0;
  std::int64_t deadline = now_ns() + to_ns(kWaitSecondsMax);
  while (true) {
    const std::uint64_t count = count_messages(broker, topic);
    if (count == expected) return;
    if (count > last_count) deadline = now_ns() + to_ns(kWaitSecondsMax);
    if (count > expected || now_ns() > deadline) {
      fail("topic {} holds {} messages, but {} were acknowledged", topic.name, count, expected);
    }
    last_count = count;
    pause();
  }
}

}  // namespace sluice::bench
