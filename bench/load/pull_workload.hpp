#pragma once

#include <cstdint>
#include <vector>

#include "bench/load/meter.hpp"
#include "bench/load/request.hpp"
#include "bench/load/workload.hpp"

namespace sluice::bench {

/// Every client reads the queues one after the other from their beginning, again and again, one
/// pull in flight. Every message is looked at: its size, its offset, the length of its body.
class PullWorkload : public Workload {
 public:
  /// \param queue_ends the offset after the last message of each queue.
  PullWorkload(const PullShape& shape, std::vector<std::uint64_t> queue_ends,
               std::size_t body_bytes, Meter& meter);

  void start(Client& client, std::int64_t now) override;
  void on_response(Client& client, const Response& response, std::int64_t now) override;
  [[nodiscard]] bool is_drained() const override;

 private:
  struct Reader {
    int queue;
    std::uint64_t offset;
    PullFrame frame;
  };

  void pull(Client& client, std::int64_t now);
  std::uint64_t check_messages(const Reader& reader, const Response& response);

  PullFrame pattern_;
  std::vector<std::uint64_t> queue_ends_;
  std::size_t body_bytes_;
  Meter& meter_;
  HeaderNumber next_offset_{"nextBeginOffset"};
  std::vector<Reader> readers_;  ///< By client.
  std::uint64_t requests_in_flight_ = 0;
};

}  // namespace sluice::bench
