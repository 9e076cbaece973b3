#pragma once

#include <cstdint>

#include "bench/load/client.hpp"
#include "bench/load/clock.hpp"
#include "bench/load/response.hpp"

namespace sluice::bench {

/// What the clients ask and what they expect; the driver owns the loop and the time.
class Workload {
 public:
  Workload() = default;
  virtual ~Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// Submits the first requests of a client; the driver flushes.
  virtual void start(Client& client, std::int64_t now) = 0;

  /// An answer came. Submits what follows it; the driver flushes.
  virtual void on_response(Client& client, const Response& response, std::int64_t now) = 0;

  /// When on_tick() is due: for what is sent by the clock and not after an answer.
  [[nodiscard]] virtual std::int64_t next_tick_ns() const { return kNever; }
  virtual void on_tick(std::int64_t /*now*/) {}

  /// From now on nothing new is begun.
  virtual void stop() { is_stopping_ = true; }

  /// True once everything that matters has been answered, after stop().
  [[nodiscard]] virtual bool is_drained() const = 0;

 protected:
  [[nodiscard]] bool is_stopping() const { return is_stopping_; }

 private:
  bool is_stopping_ = false;
};

}  // namespace sluice::bench
