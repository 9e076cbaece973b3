#include "apps/cli/consume.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <limits>
#include <ostream>
#include <utility>

#include <boost/asio/signal_set.hpp>

#include "apps/cli/message_printer.hpp"
#include "common/base/limits.hpp"
#include "common/runtime/join.hpp"

namespace sluice::cli {

namespace {

/// RocketMQ's own name for who reads queues without being a consumer (MixAll.TOOLS_CONSUMER_GROUP).
constexpr std::string_view kReaderGroup = "TOOLS_CONSUMER";
constexpr std::chrono::seconds kFollowWait{15};
constexpr std::uint32_t kPullMessages = 256;
constexpr std::chrono::milliseconds kRetryPause{500};

class Consumption {
 public:
  Consumption(ConsumeOptions options, const Console& console, Cluster& cluster)
      : options_(std::move(options)),
        console_(console),
        cluster_(cluster),
        printer_(console.out, options_.output),
        left_(options_.messages_max > 0 ? options_.messages_max
                                        : std::numeric_limits<std::uint64_t>::max()),
        signals_(cluster.runtime().loop(0)) {}

  static Task<> run(std::shared_ptr<Consumption> self) {
    auto route = co_await self->cluster_.name_server().fetch_route(self->options_.topic);
    if (!route && route.error().code == Errc::topic_not_found) {
      const auto known = co_await check_has_brokers(&self->cluster_);
      SLUICE_CO_TRY(known);
      co_return fail(Errc::topic_not_found,
                     "topic '" + self->options_.topic +
                         "' does not exist: `sluice topic list` shows those that do");
    }
    SLUICE_CO_TRY(route);
    auto places = queues_of(*route, model::permission::kRead);
    if (places.empty()) co_return fail(self->explain_no_queues(*route));
    if (self->options_.follows) self->end_on_signal();
    self->queues_unasked_ = places.size();
    std::vector<Task<>> readers;
    for (QueuePlace& place : places) {
      readers.push_back(read_queue(self, std::move(place)));
    }
    auto results = co_await wait_for_all(std::move(readers));
    boost::system::error_code ignored;
    self->signals_.cancel(ignored);
    for (Result<>& result : results) SLUICE_CO_TRY(result);
    co_return Result<>{};
  }

 private:
  // What was printed is committed already: nothing is lost by ending at once.
  void end_on_signal() {
    boost::system::error_code ignored;
    signals_.add(SIGINT, ignored);
    signals_.add(SIGTERM, ignored);
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) cluster_.runtime().stop();
    });
  }

  [[nodiscard]] Error explain_no_queues(const model::Route& route) const {
    const std::string topic = "topic '" + options_.topic + "'";
    const bool is_readable = std::ranges::any_of(route.queues, [](const model::QueueData& data) {
      return (data.permission & model::permission::kRead) != 0 && data.read_queues > 0;
    });
    if (is_readable) return {Errc::unavailable, topic + ": none of its brokers can be read now"};
    return {
        Errc::permission_denied,
        topic + " may not be read: `sluice topic create` with --update and --may rw changes it"};
  }

  /// Says so, once all queues are asked, if none reaches the offset to begin with.
  void note_end(std::int64_t next_offset) {
    last_offset_ = std::max(last_offset_, next_offset - 1);
    if (--queues_unasked_ > 0 || !options_.from) return;
    const auto* from = std::get_if<std::int64_t>(&*options_.from);
    if (from == nullptr || *from <= last_offset_) return;
    console_.err << "sluice: --from " << *from << ": no queue of topic '" << options_.topic
                 << "' reaches it; "
                 << (last_offset_ < 0 ? std::string("all are empty")
                                      : "the last offset is " + std::to_string(last_offset_))
                 << '\n';
  }

  [[nodiscard]] bool is_done() const noexcept { return left_ == 0 || has_failed_; }

  static Task<> read_queue(std::shared_ptr<Consumption> self, QueuePlace place) {
    auto read = co_await self->read(place);
    if (!read) self->has_failed_ = true;
    co_return read;
  }

  Task<> read(QueuePlace place) {
    const model::QueryBounds query{options_.topic, place.queue, place.broker_name};
    const auto bounds = co_await remoting::query_bounds(cluster_.broker(place.address), query);
    SLUICE_CO_TRY(bounds);
    note_end(bounds->next);
    const auto start = co_await find_start(place, *bounds);
    SLUICE_CO_TRY(start);
    std::int64_t offset = *start;
    while (!is_done() && (options_.follows || offset < bounds->next)) {
      auto reply = co_await pull(place, offset);
      const bool may_try_again = !reply && options_.follows && row_of(reply.error().code).retryable;
      if (may_try_again) {
        const auto waited = co_await sleep_for(cluster_.runtime(), kRetryPause);
        static_cast<void>(waited);  // Sleeping does not fail.
        continue;
      }
      SLUICE_CO_TRY(reply);
      if (is_done()) break;
      const std::int64_t before = offset;
      auto printed = print(*reply, offset);
      SLUICE_CO_TRY(printed);
      offset = *printed;
      auto committed = co_await commit(place, before, offset);
      SLUICE_CO_TRY(committed);
      const bool is_stuck = offset == before && !options_.follows;
      if (is_stuck) break;
    }
    co_return Result<>{};
  }

  Task<std::int64_t> find_start(QueuePlace place, model::BoundsReply bounds) {
    if (options_.from) {
      if (const auto* offset = std::get_if<std::int64_t>(&*options_.from)) co_return *offset;
      co_return std::get<Boundary>(*options_.from) == Boundary::first ? bounds.first : bounds.next;
    }
    if (options_.group.empty()) co_return bounds.first;
    model::QueryOffset query;
    query.group = options_.group;
    query.topic = options_.topic;
    query.queue = place.queue;
    query.zero_if_not_found = false;
    query.broker_name = place.broker_name;
    const auto progress =
        co_await remoting::query_offset(cluster_.broker(place.address), std::move(query));
    if (progress) co_return progress->offset;
    if (progress.error().code == Errc::not_found) co_return bounds.first;
    co_return fail(progress.error());
  }

  Task<model::PullReply> pull(QueuePlace place, std::int64_t offset) {
    model::Pull pull;
    pull.group = options_.group.empty() ? std::string(kReaderGroup) : options_.group;
    pull.topic = options_.topic;
    pull.queue = place.queue;
    pull.offset = offset;
    pull.messages_max = kPullMessages;
    pull.bytes_max = limits::kPullBytesMax;
    pull.filter = model::FilterExpression{};
    pull.broker_name = place.broker_name;
    if (options_.follows) pull.wait = kFollowWait;
    return remoting::pull_messages(cluster_.broker(place.address), std::move(pull));
  }

  /// \return where to go on: behind the last message printed.
  Result<std::int64_t> print(const model::PullReply& reply, std::int64_t offset) {
    for (const model::StoredRecord& record : reply.records) {
      if (left_ == 0) break;
      SLUICE_TRY(printer_.print(record, reply.store_host));
      --left_;
      offset = record.offset + 1;
    }
    console_.out.flush();
    if (!console_.out) return fail(Errc::io_error, "the output cannot be written");
    return left_ == 0 ? offset : reply.next_offset;
  }

  Task<> commit(QueuePlace place, std::int64_t before, std::int64_t offset) {
    if (options_.group.empty() || offset == before) co_return Result<>{};
    model::UpdateOffset update;
    update.group = options_.group;
    update.topic = options_.topic;
    update.queue = place.queue;
    update.offset = offset;
    update.broker_name = place.broker_name;
    auto updated =
        co_await remoting::update_offset(cluster_.broker(place.address), std::move(update));
    co_return updated;
  }

  ConsumeOptions options_;
  Console console_;
  Cluster& cluster_;
  MessagePrinter printer_;
  std::uint64_t left_;
  bool has_failed_ = false;
  std::size_t queues_unasked_ = 0;
  std::int64_t last_offset_ = -1;  ///< The largest of all queues asked; -1: all are empty.
  boost::asio::basic_signal_set<Executor> signals_;
};

}  // namespace

Result<StartAt> parse_start(std::string_view text) {
  if (text == "first") return StartAt(Boundary::first);
  if (text == "last") return StartAt(Boundary::last);
  std::int64_t offset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  const bool is_offset = error == std::errc{} && end == text.data() + text.size() && offset >= 0;
  if (is_offset) return StartAt(offset);
  return fail(Errc::invalid_argument,
              "--from '" + std::string(text) + "' is neither first, last nor an offset");
}

int consume(ConsumeOptions options, const Console& console) {
  const std::string name_servers = options.name_servers;
  return run_on_cluster(console, name_servers, [&](Cluster* cluster) {
    auto consumption = std::make_shared<Consumption>(std::move(options), console, *cluster);
    return Consumption::run(std::move(consumption));
  });
}

}  // namespace sluice::cli
