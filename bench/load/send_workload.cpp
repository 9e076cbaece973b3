#include "bench/load/send_workload.hpp"

#include "bench/load/clock.hpp"
#include "bench/load/fail.hpp"

namespace sluice::bench {

SendWorkload::SendWorkload(const SendShape& shape, int queues, std::uint64_t messages_max,
                           Meter& meter)
    : shape_(shape), queues_(queues), messages_max_(messages_max), meter_(meter), pattern_(shape) {}

void SendWorkload::start(Client& client, std::int64_t now) {
  frames_.emplace_back(client.slot_count(), pattern_);
  for (std::size_t slot = 0; slot < client.slot_count(); ++slot) send(client, slot, now);
}

void SendWorkload::on_response(Client& client, const Response& response, std::int64_t now) {
  const Finished finished = client.finish(response.opaque);
  --requests_in_flight_;
  if (response.code == kSystemBusy) {
    meter_.record_refusal();
    sent_ -= shape_.messages;
  } else if (response.code == kSuccess) {
    acknowledged_ += shape_.messages;
    meter_.record(now - finished.sent_ns, shape_.messages);
  } else {
    fail("send: {}", response.describe());
  }
  send(client, finished.slot, now);
}

void SendWorkload::send(Client& client, std::size_t slot, std::int64_t now) {
  if (is_stopping() || is_enough()) return;
  SendFrame& frame = frames_[client.number()][slot];
  const std::uint32_t opaque = client.begin(slot, now);
  const auto queue = static_cast<int>(sent_ / shape_.messages % static_cast<unsigned>(queues_));
  frame.patch(opaque, queue, wall_clock_ms());
  client.submit(frame.bytes());
  ++requests_in_flight_;
  sent_ += shape_.messages;
}

bool SendWorkload::is_enough() const {
  return messages_max_ > 0 && sent_ >= messages_max_;
}

bool SendWorkload::is_drained() const {
  return (is_stopping() || is_enough()) && requests_in_flight_ == 0;
}

}  // namespace sluice::bench
