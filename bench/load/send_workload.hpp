#pragma once

#include <cstdint>
#include <vector>

#include "bench/load/meter.hpp"
#include "bench/load/request.hpp"
#include "bench/load/workload.hpp"

namespace sluice::bench {

/// Every client keeps all its slots busy with sends to the queues in turn; each answer is followed
/// by the next send.
class SendWorkload : public Workload {
 public:
  /// \param messages_max stops after that many messages; 0: at stop() only.
  SendWorkload(const SendShape& shape, int queues, std::uint64_t messages_max, Meter& meter);

  void start(Client& client, std::int64_t now) override;
  void on_response(Client& client, const Response& response, std::int64_t now) override;
  [[nodiscard]] bool is_drained() const override;

  /// Messages that the server has confirmed, in and outside of the measurement.
  [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }

 private:
  void send(Client& client, std::size_t slot, std::int64_t now);
  [[nodiscard]] bool is_enough() const;

  SendShape shape_;
  int queues_;
  std::uint64_t messages_max_;
  Meter& meter_;
  SendFrame pattern_;
  std::vector<std::vector<SendFrame>> frames_;  ///< By client and slot.
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t requests_in_flight_ = 0;
};

}  // namespace sluice::bench
