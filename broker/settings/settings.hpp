#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "broker/options.hpp"
#include "common/base/environment.hpp"
#include "common/base/error.hpp"
#include "common/model/admin.hpp"

namespace sluice::broker {

/// How a broker is set up, by RocketMQ's names where RocketMQ has the setting, and what of it may
/// be changed while it runs. Changes are forgotten when it ends: the configuration file is what it
/// starts from. Nothing here is a path or a command. Safe from any thread.
class Settings {
 public:
  Settings(const BrokerOptions& options, Environment& environment);

  [[nodiscard]] bool creates_topics() const noexcept { return creates_topics_; }
  [[nodiscard]] bool creates_groups() const noexcept { return creates_groups_; }
  [[nodiscard]] std::int32_t default_queues() const noexcept { return default_queues_; }
  [[nodiscard]] storage::Durability durability() const noexcept { return durability_; }
  [[nodiscard]] std::chrono::milliseconds retention_age() const noexcept {
    return std::chrono::milliseconds(retention_age_ms_);
  }

  /// Sorted by name.
  [[nodiscard]] std::vector<model::NameValue> list() const;
  [[nodiscard]] model::DataVersion version() const;

  /// All or none. A setting that is given at the start may only be "changed" to what it is.
  /// \return permission_denied for such a setting and for one that is not known, invalid_argument
  ///         for a value out of its range; both name the setting.
  [[nodiscard]] Result<> change(const std::vector<model::NameValue>& settings);

 private:
  struct Changeable;
  [[nodiscard]] static const std::vector<Changeable>& changeable();
  [[nodiscard]] Result<> check(const model::NameValue& setting) const;

  const std::vector<model::NameValue> fixed_;  ///< Sorted by name.
  Environment& environment_;
  std::atomic<bool> creates_topics_;
  std::atomic<bool> creates_groups_;
  std::atomic<std::int32_t> default_queues_;
  std::atomic<storage::Durability> durability_;
  std::atomic<std::int64_t> retention_age_ms_;
  mutable std::mutex mutex_;  ///< For what follows, and held while settings change.
  model::DataVersion version_;
};

}  // namespace sluice::broker
