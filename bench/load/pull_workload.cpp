#include "bench/load/pull_workload.hpp"

#include <utility>

#include "bench/load/fail.hpp"
#include "bench/load/stored_messages.hpp"

namespace sluice::bench {

PullWorkload::PullWorkload(const PullShape& shape, std::vector<std::uint64_t> queue_ends,
                           std::size_t body_bytes, Meter& meter)
    : pattern_(shape), queue_ends_(std::move(queue_ends)), body_bytes_(body_bytes), meter_(meter) {}

void PullWorkload::start(Client& client, std::int64_t now) {
  const auto queue = static_cast<int>(client.number() % queue_ends_.size());
  readers_.push_back({.queue = queue, .offset = 0, .frame = pattern_});
  pull(client, now);
}

void PullWorkload::on_response(Client& client, const Response& response, std::int64_t now) {
  const Finished finished = client.finish(response.opaque);
  --requests_in_flight_;
  Reader& reader = readers_[client.number()];
  if (response.code == kSystemBusy) {
    meter_.record_refusal();
    return pull(client, now);
  }
  if (response.code != kSuccess) {
    fail("pull of queue {} at {}: {}", reader.queue, reader.offset, response.describe());
  }
  const std::uint64_t count = check_messages(reader, response);
  meter_.record(now - finished.sent_ns, count);
  reader.offset += count;
  if (reader.offset >= queue_ends_[static_cast<std::size_t>(reader.queue)]) {
    reader.queue =
        static_cast<int>((static_cast<std::size_t>(reader.queue) + 1) % queue_ends_.size());
    reader.offset = 0;
  }
  pull(client, now);
}

std::uint64_t PullWorkload::check_messages(const Reader& reader, const Response& response) {
  std::uint64_t count = 0;
  StoredMessages messages(response.body);
  while (!messages.is_at_end()) {
    const StoredMessage message = messages.next();
    const bool is_next = message.queue_offset == reader.offset + count;
    const bool is_whole = message.body.size() == body_bytes_;
    if (!is_next || !is_whole) {
      fail("queue {}: offset {} with {} bytes instead of offset {} with {}", reader.queue,
           message.queue_offset, message.body.size(), reader.offset + count, body_bytes_);
    }
    ++count;
  }
  const auto next_offset = next_offset_.find(response.header);
  const auto expected = static_cast<std::int64_t>(reader.offset + count);
  if (count == 0 || next_offset != expected) fail("pull: {}", response.describe());
  return count;
}

void PullWorkload::pull(Client& client, std::int64_t now) {
  if (is_stopping()) return;
  Reader& reader = readers_[client.number()];
  const std::uint32_t opaque = client.begin(0, now);
  reader.frame.patch(opaque, reader.queue, reader.offset);
  client.submit(reader.frame.bytes());
  ++requests_in_flight_;
}

bool PullWorkload::is_drained() const {
  return is_stopping() && requests_in_flight_ == 0;
}

}  // namespace sluice::bench
