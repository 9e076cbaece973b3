#include "tests/crash/load.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "protocols/remoting/codec/response_codes.hpp"
#include "tests/crash/connection.hpp"
#include "tests/crash/requests.hpp"

namespace sluice::crash {

namespace {

namespace response_code = remoting::response_code;

constexpr std::size_t kSendsInFlight = 32;
constexpr std::size_t kBatchesInFlight = 4;
constexpr std::uint64_t kMessagesPerBatch = 16;
constexpr std::int64_t kPullWaitMs = 20;
/// A server that is neither answering nor gone for so long hangs.
constexpr std::chrono::seconds kHangs{30};

struct Promises {
  Ledger& ledger;
  const std::atomic<bool>& may_refuse;
};

/// The position at the end of an offset message id, 16 hexadecimal digits; 0 if there is none.
std::uint64_t position_of(std::string_view message_id) {
  constexpr std::size_t kDigits = 16;
  constexpr int kBase = 16;
  if (message_id.size() < kDigits) return 0;
  const std::string_view text = message_id.substr(message_id.size() - kDigits);
  std::uint64_t position = 0;
  std::from_chars(text.data(), text.data() + kDigits, position, kBase);
  return position;
}

/// Sends over one connection, several at a time, singly or in client batches.
class Producer {
 public:
  Producer(Connection connection, Promises promises, Envelope style, std::uint64_t messages)
      : connection_(std::move(connection)),
        promises_(promises),
        serialize_type_(style.serialize_type),
        messages_(messages),
        in_flight_max_(messages > 1 ? kBatchesInFlight : kSendsInFlight) {}

  void run() {
    while (send_more()) {
      const auto answer = connection_.receive(kHangs);
      if (!answer) break;
      take(*answer);
    }
    if (!connection_.is_closed()) promises_.ledger.report("a send was not answered");
  }

 private:
  struct Sent {
    std::int32_t queue = 0;
    std::uint64_t first = 0;
  };

  bool send_more() {
    std::string frames;
    while (in_flight_.size() < in_flight_max_) {
      const Envelope envelope{.opaque = ++opaque_, .serialize_type = serialize_type_};
      const std::int32_t queue = opaque_ % kQueues;
      const std::uint64_t first = promises_.ledger.take_numbers(messages_);
      frames += messages_ > 1 ? make_batch(envelope, queue, first, messages_)
                              : make_send(envelope, queue, first);
      in_flight_[opaque_] = {queue, first};
    }
    // What cannot be sent may have answers waiting before it.
    if (!connection_.send(frames)) in_flight_max_ = 0;
    return true;
  }

  void take(const Answer& answer) {
    const auto sent = in_flight_.find(answer.opaque);
    if (sent == in_flight_.end()) {
      promises_.ledger.report(fmt::format("an answer to nothing: opaque {}", answer.opaque));
      return;
    }
    const Sent what = sent->second;
    in_flight_.erase(sent);
    if (answer.code != response_code::kSuccess) {
      if (promises_.may_refuse) return;
      promises_.ledger.report(
          fmt::format("a send was refused with {}: {}", answer.code, answer.remark));
      return;
    }
    note(what, answer);
  }

  void note(const Sent& what, const Answer& answer) {
    const std::int64_t offset = answer.number("queueOffset");
    if (answer.number("queueId") != what.queue) {
      promises_.ledger.report(fmt::format("a message for queue {} went to queue {}", what.queue,
                                          answer.number("queueId")));
    }
    std::string_view ids = answer.text("msgId");
    for (std::uint64_t i = 0; i < messages_; ++i) {
      const std::string_view id = ids.substr(0, ids.find(','));
      ids.remove_prefix(std::min(id.size() + 1, ids.size()));
      promises_.ledger.know(Evidence::acknowledged, what.queue,
                            offset + static_cast<std::int64_t>(i),
                            {what.first + i, position_of(id)});
    }
  }

  Connection connection_;
  Promises promises_;
  SerializeType serialize_type_;
  std::uint64_t messages_;
  std::size_t in_flight_max_;
  std::int32_t opaque_ = 0;
  std::map<std::int32_t, Sent> in_flight_;
};

/// Reads some of the queues as one group and commits after each answer that held messages.
class Consumer {
 public:
  Consumer(Connection connection, Promises promises, std::string group,
           std::vector<std::int32_t> queues)
      : connection_(std::move(connection)), promises_(promises), group_(std::move(group)) {
    for (const std::int32_t queue : queues) {
      next_.emplace_back(queue, promises_.ledger.last_commit(group_, queue));
    }
  }

  void run() {
    while (true) {
      for (auto& [queue, next] : next_) {
        if (!consume(queue, next)) return;
      }
    }
  }

 private:
  bool consume(std::int32_t queue, std::int64_t& next) {
    const PullFrom from{.group = group_, .queue = queue, .offset = next, .wait_ms = kPullWaitMs};
    const auto answer = call(make_pull(envelope(), from));
    if (!answer) return false;
    switch (answer->code) {
      case response_code::kSuccess:
        note_messages(queue, next, *answer);
        next = answer->number("nextBeginOffset");
        return commit(queue, next);
      case response_code::kPullNotFound:
      case response_code::kPullRetryImmediately:
        return true;
      case response_code::kPullOffsetMoved:
        return note_move(queue, next, *answer);
      case response_code::kTopicNotExist:
        // Its first message is on the way.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return true;
      default:
        return is_excused(*answer);
    }
  }

  /// Forward, because what was to be read was forgotten; never back.
  bool note_move(std::int32_t queue, std::int64_t& next, const Answer& answer) {
    const std::int64_t moved_to = answer.number("nextBeginOffset");
    if (moved_to < next) {
      promises_.ledger.report(fmt::format("queue {} has ended at {} below the committed offset {}",
                                          queue, moved_to, next));
      return false;
    }
    next = moved_to;
    return true;
  }

  void note_messages(std::int32_t queue, std::int64_t offset, const Answer& answer) {
    BytesView rest = as_bytes(answer.body);
    while (!rest.empty()) {
      const auto found = identify(rest, queue);
      if (!found) {
        promises_.ledger.report(fmt::format("delivered from queue {} offset {}: {}", queue, offset,
                                            found.error().text));
        return;
      }
      if (found->queue_offset != offset) {
        promises_.ledger.report(fmt::format("queue {}: offset {} was delivered where {} was due",
                                            queue, found->queue_offset, offset));
      }
      promises_.ledger.know(Evidence::delivered, queue, offset, {found->number, found->position});
      ++offset;
      rest = rest.subspan(found->size);
    }
  }

  bool commit(std::int32_t queue, std::int64_t offset) {
    promises_.ledger.commit_begins(group_, queue, offset);
    const auto answer = call(make_update_offset(envelope(), group_, queue, offset));
    if (!answer) return false;
    if (answer->code != response_code::kSuccess) return is_excused(*answer);
    promises_.ledger.commit_acknowledged(group_, queue, offset);
    return true;
  }

  bool is_excused(const Answer& answer) {
    if (promises_.may_refuse) return true;
    promises_.ledger.report(
        fmt::format("group {} was refused with {}: {}", group_, answer.code, answer.remark));
    return false;
  }

  std::optional<Answer> call(const std::string& frame) {
    if (!connection_.send(frame)) return std::nullopt;
    auto answer = connection_.receive(kHangs);
    if (!answer && !connection_.is_closed()) {
      promises_.ledger.report("a consumer was not answered");
    }
    return answer;
  }

  Envelope envelope() {
    const bool is_even = ++opaque_ % 2 == 0;
    return {.opaque = opaque_,
            .serialize_type = is_even ? SerializeType::json : SerializeType::rocketmq};
  }

  Connection connection_;
  Promises promises_;
  std::string group_;
  std::vector<std::pair<std::int32_t, std::int64_t>> next_;  // queue, offset to read next
  std::int32_t opaque_ = 0;
};

}  // namespace

Load::Load(std::uint16_t port, Ledger& ledger) {
  const Promises promises{ledger, may_refuse_};
  const auto add_producer = [&](SerializeType serialize_type, std::uint64_t messages) {
    start([=] {
      auto connection = Connection::open(port);
      if (!connection) return;
      Producer(*std::move(connection), promises, {.serialize_type = serialize_type}, messages)
          .run();
    });
  };
  const auto add_consumer = [&](std::string group, std::vector<std::int32_t> queues) {
    start([=] {
      auto connection = Connection::open(port);
      if (!connection) return;
      Consumer(*std::move(connection), promises, group, queues).run();
    });
  };
  add_producer(SerializeType::json, 1);
  add_producer(SerializeType::rocketmq, 1);
  add_producer(SerializeType::json, kMessagesPerBatch);
  add_consumer("crash-both", {0, 1});
  add_consumer("crash-both", {2, 3});
  add_consumer("crash-alone", {3, 2, 1, 0});
}

Load::~Load() {
  for (std::thread& thread : threads_) thread.join();
}

void Load::start(std::function<void()> work) {
  threads_.emplace_back(std::move(work));
}

}  // namespace sluice::crash
