#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "common/model/endpoint.hpp"
#include "common/runtime/disk.hpp"
#include "common/runtime/task.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::broker {

struct BrokerOptions {
  std::string cluster = "DefaultCluster";
  std::string name = "broker-a";
  std::int64_t id = 0;
  model::Endpoint advertised;  ///< Where clients reach this broker; stands in message ids.
  storage::Durability durability = storage::Durability::synced;  ///< Of sends that do not say.
  bool auto_create_topics = true;
  bool auto_create_groups = true;
  std::int32_t default_queues = 8;             ///< Most queues that an auto-created topic gets.
  std::chrono::milliseconds retention_age{0};  ///< 0: for ever.
  std::uint64_t retention_bytes = 0;           ///< 0: no limit.
  std::chrono::milliseconds retention_interval{std::chrono::seconds{10}};
  /// Awaited after the set of topics changed and before the change is answered, so that a route is
  /// there when a client asks next. May be empty.
  std::function<Task<>()> on_topics_changed;
  /// Of the file system that the store is on, for people to see. May be empty.
  std::function<Result<DiskSpace>()> disk_space;
};

}  // namespace sluice::broker
