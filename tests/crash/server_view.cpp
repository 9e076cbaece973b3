#include "tests/crash/server_view.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/response_codes.hpp"
#include "tests/crash/connection.hpp"
#include "tests/crash/requests.hpp"

namespace sluice::crash {

namespace {

namespace request_code = remoting::request_code;
namespace response_code = remoting::response_code;

constexpr std::string_view kGroup = "crash-checker";
constexpr int kAskedAgainMax = 100;

class Comparison {
 public:
  Comparison(Connection connection, Forgetting forgetting, Problems& problems)
      : connection_(std::move(connection)), forgetting_(forgetting), problems_(problems) {}

  void compare_queue(std::int32_t queue, const QueueView& log) {
    const auto first = number_of(make_query_bound(envelope(), request_code::kGetMinOffset, queue));
    const auto next = number_of(make_query_bound(envelope(), request_code::kGetMaxOffset, queue));
    const bool may_begin_there =
        forgetting_ == Forgetting::by_size ? first >= log.first : first == log.first;
    if (!may_begin_there || next != log.next) {
      problems_.add(fmt::format("queue {} is served as {} to {} and logged as {} to {}", queue,
                                first, next, log.first, log.next));
      return;
    }
    compare_messages(queue, first, log);
  }

  void compare_offset(const GroupQueue& group_queue, std::int64_t logged) {
    const auto& [group, queue] = group_queue;
    const auto served = number_of(make_query_offset(envelope(), group, queue));
    if (served == logged) return;
    problems_.add(fmt::format("group {} has offset {} in queue {} as served and {} as logged",
                              group, served, queue, logged));
  }

 private:
  void compare_messages(std::int32_t queue, std::int64_t from, const QueueView& log) {
    while (from < log.next) {
      const auto answer = connection_.call(
          make_pull(envelope(), {.group = kGroup, .queue = queue, .offset = from}));
      if (answer && may_have_been_forgotten(*answer, from)) continue;
      const std::int64_t next = answer ? answer->number("nextBeginOffset") : -1;
      const bool is_found = answer && answer->code == response_code::kSuccess;
      const bool is_moved = answer && answer->code == response_code::kPullOffsetMoved &&
                            forgetting_ == Forgetting::by_size;
      if ((!is_found && !is_moved) || next <= from) {
        problems_.add(
            fmt::format("queue {} offset {} is not served: {}", queue, from, describe(answer)));
        return;
      }
      if (is_found && !compare_body(queue, from, answer->body, log)) return;
      from = next;
    }
  }

  /// A message that goes while it is asked for: the consumer is to ask again. Not for ever.
  bool may_have_been_forgotten(const Answer& answer, std::int64_t from) {
    const bool is_asked_again = forgetting_ == Forgetting::by_size &&
                                answer.code == response_code::kPullRetryImmediately &&
                                answer.number("nextBeginOffset") == from;
    return is_asked_again && ++asked_again_ < kAskedAgainMax;
  }

  bool compare_body(std::int32_t queue, std::int64_t offset, std::string_view body,
                    const QueueView& log) {
    while (!body.empty()) {
      const auto found = identify(as_bytes(body), queue);
      if (!found) {
        problems_.add(fmt::format("queue {} offset {} is served wrong: {}", queue, offset,
                                  found.error().text));
        return false;
      }
      const StoredEntry& logged = log.entries.at(static_cast<std::size_t>(offset - log.first));
      const bool is_same = found->queue_offset == offset && found->number == logged.number &&
                           found->position == logged.position;
      if (!is_same) {
        problems_.add(fmt::format(
            "queue {} offset {} is served as message {} (offset {}, position {}) and logged as "
            "message {} (position {})",
            queue, offset, found->number, found->queue_offset, found->position, logged.number,
            logged.position));
      }
      ++offset;
      body.remove_prefix(found->size);
    }
    return true;
  }

  /// The field `offset` of the answer; -1 if there is none.
  std::int64_t number_of(const std::string& request) {
    const auto answer = connection_.call(request);
    const bool is_answered = answer && answer->code == response_code::kSuccess;
    return is_answered ? answer->number("offset") : -1;
  }

  static std::string describe(const std::optional<Answer>& answer) {
    if (!answer) return "no answer";
    return fmt::format("answered with {} ({}), next {}", answer->code, answer->remark,
                       answer->text("nextBeginOffset"));
  }

  Envelope envelope() { return {.opaque = ++opaque_}; }

  Connection connection_;
  Forgetting forgetting_;
  Problems& problems_;
  std::int32_t opaque_ = 0;
  int asked_again_ = 0;
};

}  // namespace

void compare_with_server(const StoreView& log, std::uint16_t port, Forgetting forgetting,
                         Problems& problems) {
  auto connection = Connection::open(port);
  if (!connection) {
    problems.add("the server is ready and does not take a connection");
    return;
  }
  Comparison comparison(*std::move(connection), forgetting, problems);
  for (std::int32_t queue = 0; queue < kQueues; ++queue) {
    const QueueView& logged = log.queues[static_cast<std::size_t>(queue)];
    if (logged.next > 0) comparison.compare_queue(queue, logged);
  }
  for (const auto& [group_queue, offset] : log.offsets) {
    comparison.compare_offset(group_queue, offset);
  }
}

}  // namespace sluice::crash
