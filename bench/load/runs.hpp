#pragma once

#include <sys/types.h>

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "bench/load/driver.hpp"
#include "bench/load/idle_workload.hpp"
#include "bench/load/socket.hpp"

namespace sluice::bench {

/// \file One run against one server: prepare its topic, drive it, check that what it holds is what
/// it acknowledged, report.

struct Server {
  Address broker;
  std::optional<Address> nameserver;  ///< Asked for the broker's name, as a client does.
  pid_t pid;
  bool is_echo;  ///< Has no topics: nothing is created, and only answers are checked.
};

struct SendRun {
  std::string topic;
  int queues;
  std::size_t connections;
  std::size_t in_flight;  ///< Of each connection: a power of two.
  std::size_t messages;   ///< Of each request.
  std::size_t body_bytes;
  Timing timing;
};
[[nodiscard]] boost::json::object run_send(const Server& server, const SendRun& run);

struct PullRun {
  std::string topic;
  int queues;
  std::size_t connections;
  std::size_t body_bytes;
  std::uint64_t messages;  ///< In the topic: sent before, if it holds fewer.
  Timing timing;
};
[[nodiscard]] boost::json::object run_pull(const Server& server, const PullRun& run);

struct DeliveryRun {
  std::string topic;
  int queues;
  std::size_t senders;
  std::size_t body_bytes;
  double rate;  ///< Messages per second.
  Timing timing;
};
[[nodiscard]] boost::json::object run_delivery(const Server& server, const DeliveryRun& run);

struct IdleRun {
  std::string topic;
  int queues;
  std::size_t connections;
  IdleRequest request;
  double wait_s;
};
[[nodiscard]] boost::json::object run_idle(const Server& server, const IdleRun& run);

}  // namespace sluice::bench
