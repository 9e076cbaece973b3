#pragma once

#include <cstdint>
#include <vector>

#include "bench/load/meter.hpp"
#include "bench/load/request.hpp"
#include "bench/load/workload.hpp"

namespace sluice::bench {

/// A pull waits on every queue; messages are sent at a steady rate, and what is measured is the
/// time from the moment a send leaves to the moment its message has arrived through the waiting
/// pull.
///
/// The first clients are the consumers, one for each queue; the others send, in turn.
class DeliveryWorkload : public Workload {
 public:
  /// \param queue_ends where the consumers begin: nothing older is delivered.
  /// \param rate messages per second.
  DeliveryWorkload(const SendShape& send, const PullShape& pull,
                   std::vector<std::uint64_t> queue_ends, double rate, Meter& meter);

  void start(Client& client, std::int64_t now) override;
  void on_response(Client& client, const Response& response, std::int64_t now) override;
  [[nodiscard]] std::int64_t next_tick_ns() const override;
  void on_tick(std::int64_t now) override;
  [[nodiscard]] bool is_drained() const override;

  [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }

 private:
  struct Consumer {
    std::uint64_t offset;
    PullFrame frame;
  };
  struct Producer {
    Client* client;
    std::vector<SendFrame> frames;  ///< By slot.
    std::vector<std::size_t> free_slots;
  };

  void pull(Client& client, std::int64_t now);
  void on_pulled(Client& client, const Response& response, std::int64_t now);
  void on_sent(Client& client, const Response& response);
  void send(std::int64_t now);

  SendFrame send_pattern_;
  PullFrame pull_pattern_;
  std::vector<std::uint64_t> queue_ends_;
  std::int64_t interval_ns_;
  Meter& meter_;
  std::int64_t next_send_ns_ = kNever;
  std::vector<Consumer> consumers_;  ///< By client, which is also the queue.
  std::vector<Producer> producers_;  ///< By client, after the consumers.
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace sluice::bench
