#include "bench/load/delivery_workload.hpp"

#include <tuple>
#include <utility>

#include "bench/load/fail.hpp"
#include "bench/load/stored_messages.hpp"
#include "bench/load/wire.hpp"

namespace sluice::bench {
namespace {

/// The consumers are connected and wait before the first message is sent.
constexpr std::int64_t kFirstSendDelayNs = 200'000'000;

}  // namespace

DeliveryWorkload::DeliveryWorkload(const SendShape& send, const PullShape& pull,
                                   std::vector<std::uint64_t> queue_ends, double rate, Meter& meter)
    : send_pattern_(send),
      pull_pattern_(pull),
      queue_ends_(std::move(queue_ends)),
      interval_ns_(to_ns(1 / rate)),
      meter_(meter) {
  if (send.body_bytes < sizeof(std::int64_t)) fail("a body has to hold the time it was sent");
}

void DeliveryWorkload::start(Client& client, std::int64_t now) {
  if (client.number() < queue_ends_.size()) {
    consumers_.push_back({.offset = queue_ends_[client.number()], .frame = pull_pattern_});
    return pull(client, now);
  }
  Producer producer{.client = &client,
                    .frames = std::vector<SendFrame>(client.slot_count(), send_pattern_),
                    .free_slots = {}};
  for (std::size_t slot = 0; slot < client.slot_count(); ++slot) {
    producer.free_slots.push_back(slot);
  }
  producers_.push_back(std::move(producer));
  next_send_ns_ = now + kFirstSendDelayNs;
}

void DeliveryWorkload::on_response(Client& client, const Response& response, std::int64_t now) {
  if (client.number() < consumers_.size()) return on_pulled(client, response, now);
  on_sent(client, response);
}

void DeliveryWorkload::on_pulled(Client& client, const Response& response, std::int64_t now) {
  std::ignore = client.finish(response.opaque);
  const bool is_expected = response.code == kSuccess || response.code == kPullNotFound;
  if (!is_expected) fail("pull of queue {}: {}", client.number(), response.describe());
  Consumer& consumer = consumers_[client.number()];
  StoredMessages messages(response.body);
  while (!messages.is_at_end()) {
    const StoredMessage message = messages.next();
    if (message.queue_offset != consumer.offset) {
      fail("queue {}: offset {} instead of {}", client.number(), message.queue_offset,
           consumer.offset);
    }
    if (message.body.size() < sizeof(std::int64_t)) fail("a body without its time");
    const auto sent_ns = static_cast<std::int64_t>(load_u64(message.body));
    meter_.record(now - sent_ns, 1);
    ++consumer.offset;
    ++delivered_;
  }
  pull(client, now);
}

void DeliveryWorkload::on_sent(Client& client, const Response& response) {
  if (response.code != kSuccess) fail("send: {}", response.describe());
  const Finished finished = client.finish(response.opaque);
  producers_[client.number() - consumers_.size()].free_slots.push_back(finished.slot);
  ++acknowledged_;
}

void DeliveryWorkload::pull(Client& client, std::int64_t now) {
  Consumer& consumer = consumers_[client.number()];
  const std::uint32_t opaque = client.begin(0, now);
  consumer.frame.patch(opaque, static_cast<int>(client.number()), consumer.offset);
  client.submit(consumer.frame.bytes());
}

std::int64_t DeliveryWorkload::next_tick_ns() const {
  return is_stopping() ? kNever : next_send_ns_;
}

// A tick that comes late sends what became due meanwhile: the rate is kept.
void DeliveryWorkload::on_tick(std::int64_t now) {
  while (next_send_ns_ <= now) {
    send(now_ns());
    next_send_ns_ += interval_ns_;
  }
}

void DeliveryWorkload::send(std::int64_t now) {
  Producer& producer = producers_[sent_ % producers_.size()];
  if (producer.free_slots.empty()) fail("the server does not keep up with the rate of sends");
  const std::size_t slot = producer.free_slots.back();
  producer.free_slots.pop_back();
  SendFrame& frame = producer.frames[slot];
  const std::uint32_t opaque = producer.client->begin(slot, now);
  frame.patch(opaque, static_cast<int>(sent_ % consumers_.size()), wall_clock_ms());
  store_u64(frame.body(), static_cast<std::uint64_t>(now));
  producer.client->submit(frame.bytes());
  producer.client->flush();
  ++sent_;
}

bool DeliveryWorkload::is_drained() const {
  return is_stopping() && acknowledged_ == sent_ && delivered_ == sent_;
}

}  // namespace sluice::bench
