#include "bench/load/runs.hpp"

#include "bench/load/admin.hpp"
#include "bench/load/clock.hpp"
#include "bench/load/delivery_workload.hpp"
#include "bench/load/meter.hpp"
#include "bench/load/pull_workload.hpp"
#include "bench/load/report.hpp"
#include "bench/load/send_workload.hpp"

namespace sluice::bench {
namespace {

constexpr std::size_t kPreloadConnections = 8;
constexpr std::size_t kPreloadBatch = 32;
constexpr std::size_t kDeliverySlots = 64;
constexpr int kPullMessagesMax = 32;
constexpr std::int64_t kSuspendMs = 15'000;  // as the Java push consumer asks
constexpr double kAnswerSecondsMax = 30;
constexpr std::size_t kConnectionsAtOnce = 100;
constexpr double kBytesPerKib = 1024;

TopicInfo prepare_topic(const Server& server, const std::string& topic, int queues) {
  if (server.is_echo) return {.name = topic, .broker_name = "broker", .queues = queues};
  const Address* nameserver = server.nameserver ? &*server.nameserver : nullptr;
  return create_topic(server.broker, nameserver, topic, queues);
}

SendShape make_shape(const TopicInfo& topic, std::size_t body_bytes, std::size_t messages) {
  return {.topic = topic.name,
          .broker_name = topic.broker_name,
          .body_bytes = body_bytes,
          .messages = messages};
}

/// Sends until the topic holds at least `messages`.
void preload(const Server& server, const TopicInfo& topic, std::size_t body_bytes,
             std::uint64_t messages) {
  const std::uint64_t held = count_messages(server.broker, topic);
  if (held >= messages) return;
  Meter meter(server.pid);
  SendWorkload workload(make_shape(topic, body_bytes, kPreloadBatch), topic.queues, messages - held,
                        meter);
  Driver driver(server.broker);
  for (std::size_t i = 0; i < kPreloadConnections; ++i) driver.add_client(workload, 1);
  driver.serve_until(workload, kNever);
  expect_messages(server.broker, topic, held + workload.acknowledged());
}

/// Where the queues end once the topic holds what is to be pulled. The echo server's queues hold
/// what one pull gives.
std::vector<std::uint64_t> prepare_queues(const Server& server, const TopicInfo& topic,
                                          const PullRun& run) {
  const auto queues = static_cast<std::size_t>(topic.queues);
  if (server.is_echo) return std::vector<std::uint64_t>(queues, kPullMessagesMax);
  preload(server, topic, run.body_bytes, run.messages);
  return max_offsets(server.broker, topic);
}

PullShape make_pull_shape(const TopicInfo& topic, std::int64_t suspend_ms) {
  return {.topic = topic.name,
          .group = "bench_consumer",
          .broker_name = topic.broker_name,
          .messages_max = kPullMessagesMax,
          .suspend_ms = suspend_ms};
}

/// A little of everything, so that what the server keeps for its first clients is there before an
/// idle connection is weighed.
void warm_up(const Server& server, const TopicInfo& topic) {
  constexpr std::size_t kConnections = 64;
  constexpr std::size_t kBodyBytes = 1024;
  Meter meter(server.pid);
  SendWorkload workload(make_shape(topic, kBodyBytes, 1), topic.queues, 0, meter);
  Driver driver(server.broker);
  for (std::size_t i = 0; i < kConnections; ++i) driver.add_client(workload, 1);
  driver.run(workload, meter, {.warm_up_s = 0, .measure_s = 1});
}

}  // namespace

boost::json::object run_send(const Server& server, const SendRun& run) {
  const TopicInfo topic = prepare_topic(server, run.topic, run.queues);
  const std::uint64_t held = server.is_echo ? 0 : count_messages(server.broker, topic);
  Meter meter(server.pid);
  SendWorkload workload(make_shape(topic, run.body_bytes, run.messages), run.queues, 0, meter);
  Driver driver(server.broker);
  for (std::size_t i = 0; i < run.connections; ++i) driver.add_client(workload, run.in_flight);
  driver.run(workload, meter, run.timing);
  if (!server.is_echo) expect_messages(server.broker, topic, held + workload.acknowledged());
  return to_json(meter.measurement());
}

boost::json::object run_pull(const Server& server, const PullRun& run) {
  const TopicInfo topic = prepare_topic(server, run.topic, run.queues);
  Meter meter(server.pid);
  PullWorkload workload(make_pull_shape(topic, 0), prepare_queues(server, topic, run),
                        run.body_bytes, meter);
  Driver driver(server.broker);
  for (std::size_t i = 0; i < run.connections; ++i) driver.add_client(workload, 1);
  driver.run(workload, meter, run.timing);
  return to_json(meter.measurement());
}

boost::json::object run_delivery(const Server& server, const DeliveryRun& run) {
  const TopicInfo topic = prepare_topic(server, run.topic, run.queues);
  const std::uint64_t held = count_messages(server.broker, topic);
  Meter meter(server.pid);
  DeliveryWorkload workload(make_shape(topic, run.body_bytes, 1),
                            make_pull_shape(topic, kSuspendMs), max_offsets(server.broker, topic),
                            run.rate, meter);
  Driver driver(server.broker);
  for (int i = 0; i < run.queues; ++i) driver.add_client(workload, 1);
  for (std::size_t i = 0; i < run.senders; ++i) driver.add_client(workload, kDeliverySlots);
  driver.run(workload, meter, run.timing);
  expect_messages(server.broker, topic, held + workload.acknowledged());
  return to_json(meter.measurement());
}

boost::json::object run_idle(const Server& server, const IdleRun& run) {
  const TopicInfo topic = prepare_topic(server, run.topic, run.queues);
  warm_up(server, topic);
  IdleWorkload workload(run.request, topic);
  Driver driver(server.broker);
  workload.begin_to_wait();
  driver.serve_until(workload, now_ns() + to_ns(run.wait_s));
  const ResidentMemory before = resident_memory(server.pid);
  workload.end_to_wait();
  for (std::size_t i = 0; i < run.connections; ++i) {
    driver.add_client(workload, 1);
    const bool is_round_full = (i + 1) % kConnectionsAtOnce == 0;
    if (is_round_full) driver.serve_until(workload, now_ns() + to_ns(kAnswerSecondsMax));
  }
  driver.serve_until(workload, now_ns() + to_ns(kAnswerSecondsMax));
  workload.expect_all_answered();
  workload.begin_to_wait();
  driver.serve_until(workload, now_ns() + to_ns(run.wait_s));
  const ResidentMemory after = resident_memory(server.pid);
  const auto grown_kib = static_cast<double>(after.anonymous_kib - before.anonymous_kib);
  return {
      {"connections", run.connections},
      {"bytes_per_connection", grown_kib * kBytesPerKib / static_cast<double>(run.connections)},
      {"rss_anon_before_kib", before.anonymous_kib},
      {"rss_anon_kib", after.anonymous_kib},
      {"rss_file_kib", after.file_kib},
  };
}

}  // namespace sluice::bench
