#include "apps/cli/produce.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "apps/cli/cli.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/table.hpp"
#include "common/base/limits.hpp"
#include "common/model/names.hpp"
#include "common/runtime/join.hpp"
#include "common/runtime/one_shot.hpp"

namespace sluice::cli {

namespace {

namespace json = boost::json;

// As RocketMQ's producers do (retryTimesWhenSendFailed = 2).
constexpr int kSendAttempts = 3;
constexpr std::chrono::milliseconds kRetryPause{200};

class Input {
 public:
  explicit Input(int descriptor) : descriptor_(descriptor), is_owned_(false) {}
  Input(Input&& other) noexcept
      : descriptor_(other.descriptor_), is_owned_(std::exchange(other.is_owned_, false)) {}
  Input& operator=(Input&&) = delete;
  ~Input() {
    if (is_owned_) ::close(descriptor_);
  }

  static Result<Input> open(const std::string& file) {
    Input input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (input.descriptor_ < 0) {
      return fail(Errc::not_found, "--file '" + file + "': " + std::strerror(errno));
    }
    input.is_owned_ = true;
    return input;
  }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// 0 if it is no file.
  [[nodiscard]] std::uint64_t size() const noexcept {
    struct stat about{};
    const bool is_file = ::fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode);
    return is_file ? static_cast<std::uint64_t>(about.st_size) : 0;
  }

 private:
  int descriptor_;
  bool is_owned_;
};

/// Adds `seconds` to an object as a plain number: Boost.JSON writes every double with an exponent.
std::string with_seconds(std::string object, double seconds) {
  object.pop_back();
  return object + fmt::format(",\"seconds\":{:.3f}}}", seconds);
}

/// What was stored in one queue.
struct QueueTotals {
  std::uint64_t messages = 0;
  std::int64_t first_offset = 0;
  std::int64_t last_offset = 0;
};

class Production {
  using Lines = std::vector<std::string>;

 public:
  Production(ProduceOptions options, Console console, Cluster& cluster)
      : options_(std::move(options)), console_(console), cluster_(cluster) {}

  static Task<> run(std::shared_ptr<Production> self) {
    auto prepared = co_await self->prepare();
    SLUICE_CO_TRY(prepared);
    auto sent = co_await self->send_all();
    SLUICE_CO_TRY(sent);
    self->print();
    co_return Result<>{};
  }

 private:
  Task<> prepare() {
    auto properties = encode_properties(options_.message);
    SLUICE_CO_TRY(properties);
    properties_ = std::move(*properties);
    auto route = co_await find_route();
    SLUICE_CO_TRY(route);
    auto chosen = choose_queues(options_, queues_of(*route, model::permission::kWrite));
    SLUICE_CO_TRY(chosen);
    queues_ = std::move(*chosen);
    totals_.resize(queues_.size());
    co_return Result<>{};
  }

  /// Of the topic, or of the template that its first message will make it from.
  Task<model::Route> find_route() {
    auto route = co_await cluster_.name_server().fetch_route(options_.message.topic);
    if (route || route.error().code != Errc::topic_not_found) co_return route;
    auto from_template =
        co_await cluster_.name_server().fetch_route(std::string(model::kAutoCreateTopic));
    if (from_template) co_return from_template;
    const auto known = co_await check_has_brokers(&cluster_);
    SLUICE_CO_TRY(known);
    co_return fail(Errc::topic_not_found,
                   "topic '" + options_.message.topic +
                       "' is on no broker that runs, and none makes topics by itself: create it "
                       "with `sluice topic create`");
  }

  Task<> send_all() {
    if (options_.body) {
      Lines lines{*options_.body};
      bytes_ = options_.body->size();
      auto sent = co_await send_lines(std::move(lines));
      co_return sent;
    }
    auto input =
        options_.file.empty() ? Result<Input>(Input(console_.input)) : Input::open(options_.file);
    SLUICE_CO_TRY(input);
    auto sent = co_await send_from(&*input);
    co_return sent;
  }

  Task<> send_from(Input* input) {
    Progress progress(console_, cluster_.runtime().environment(), input->size());
    BatchReader reader(
        LineReader(read_descriptor(input->descriptor()), limits::kMessageBodyBytesMax));
    while (true) {
      auto batch = co_await read_batch(&reader);
      if (!batch) co_return fail(batch.error().code, batch.error().text + describe_stored());
      if (!batch->lines.empty()) {
        auto sent = co_await send_lines(std::move(batch->lines));
        SLUICE_CO_TRY(sent);
      }
      bytes_ = reader.bytes();
      progress.update(bytes_, messages_);
      seconds_ = progress.seconds();
      if (batch->is_last) co_return Result<>{};
    }
  }

  // Reading blocks: it is a worker's job.
  Task<LineBatch> read_batch(BatchReader* reader) {
    auto start = [this, reader](UniqueFunction<void(Result<LineBatch>)> complete) {
      auto shared = std::make_shared<decltype(complete)>(std::move(complete));
      cluster_.runtime().run_blocking([reader, shared] {
        auto resume = std::move(*shared);
        resume(reader->next());
      });
    };
    auto batch = co_await wait_for_completion<Result<LineBatch>>(start);
    co_return batch;
  }

  /// To all queues at once, each line to the next one in turn.
  Task<> send_lines(Lines lines) {
    const std::size_t count = lines.size();
    std::vector<Lines> hands = deal(std::move(lines), queues_.size(), next_queue_);
    next_queue_ = (next_queue_ + count) % queues_.size();
    std::vector<Task<>> sends;
    for (std::size_t i = 0; i < hands.size(); ++i) {
      if (!hands[i].empty()) sends.push_back(send_to_queue(i, std::move(hands[i])));
    }
    auto results = co_await wait_for_all(std::move(sends));
    for (const Result<>& sent : results) {
      if (!sent) co_return fail(sent.error().code, describe_failure(count, sent.error()));
    }
    messages_ += count;
    co_return Result<>{};
  }

  Task<> send_to_queue(std::size_t index, Lines lines) {
    const std::size_t count = lines.size();
    const QueuePlace& place = queues_[index];
    model::Send send = to_send(options_.message.topic, properties_, std::move(lines),
                               cluster_.runtime().environment());
    send.queue = place.queue;
    send.broker_name = place.broker_name;
    auto reply = co_await send_with_retries(place.address, std::move(send));
    SLUICE_CO_TRY(reply);
    add_to_totals(index, count, *reply);
    co_return Result<>{};
  }

  Task<model::SendReply> send_with_retries(std::string address, model::Send send) {
    for (int attempt = 1;; ++attempt) {
      std::vector<model::Send> sends(1, send);
      auto replies = co_await remoting::send_messages(cluster_.broker(address), std::move(sends));
      SLUICE_CO_TRY(replies);
      Result<model::SendReply> reply = std::move(replies->front());
      const bool is_final =
          reply || attempt == kSendAttempts || !row_of(reply.error().code).retryable;
      if (is_final) co_return reply;
      const auto waited = co_await sleep_for(cluster_.runtime(), kRetryPause * attempt);
      static_cast<void>(waited);  // Sleeping does not fail.
    }
  }

  [[nodiscard]] std::string describe_failure(std::size_t count, const Error& error) const {
    if (options_.body) return error.text;
    const std::uint64_t first = messages_ + 1;
    const std::string which = count == 1 ? fmt::format("line {}", first)
                                         : fmt::format("lines {} to {}", first, messages_ + count);
    return fmt::format("{} may not be stored: {}{}", which, error.text, describe_stored());
  }

  /// What became of the lines before the one that went wrong.
  [[nodiscard]] std::string describe_stored() const {
    if (messages_ == 0) return "\n  No line before is stored.";
    return fmt::format(
        "\n  {} before: go on behind, such as with `tail -n +{}`.",
        messages_ == 1 ? "1 line is stored" : fmt::format("{} lines are stored", messages_),
        messages_ + 1);
  }

  void add_to_totals(std::size_t index, std::size_t count, const model::SendReply& reply) {
    QueueTotals& totals = totals_[index];
    if (totals.messages == 0) totals.first_offset = reply.offset;
    totals.last_offset = reply.offset + static_cast<std::int64_t>(count) - 1;
    totals.messages += count;
    last_id_ = reply.unique_key;
  }

  void print() const {
    if (options_.format == Format::json) {
      console_.out << with_seconds(json::serialize(to_json()), seconds_) << '\n';
      return;
    }
    using Align = Table::Align;
    Table table({{"BROKER"},
                 {"QUEUE", Align::right},
                 {"MESSAGES", Align::right},
                 {"FIRST OFFSET", Align::right},
                 {"LAST OFFSET", Align::right}});
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      if (totals_[i].messages == 0) continue;
      table.add({queues_[i].broker_name, std::to_string(queues_[i].queue),
                 grouped(totals_[i].messages), std::to_string(totals_[i].first_offset),
                 std::to_string(totals_[i].last_offset)});
    }
    if (messages_ > 0) table.print(console_.out);
    console_.out << summary() << '\n';
  }

  [[nodiscard]] std::string summary() const {
    const std::string what = grouped(messages_) + (messages_ == 1 ? " message" : " messages") +
                             ", " + human_bytes(bytes_) + " to " + options_.message.topic;
    if (seconds_ <= 0 || messages_ == 0) return what;
    return fmt::format(
        "{} in {:.2f} s ({}/s)", what, seconds_,
        grouped(static_cast<std::uint64_t>(static_cast<double>(messages_) / seconds_)));
  }

  [[nodiscard]] json::object to_json() const {
    json::object result;
    result["topic"] = options_.message.topic;
    result["messages"] = messages_;
    result["bytes"] = bytes_;
    json::array queues;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      if (totals_[i].messages == 0) continue;
      json::object queue;
      queue["broker"] = queues_[i].broker_name;
      queue["queue"] = queues_[i].queue;
      queue["messages"] = totals_[i].messages;
      queue["first_offset"] = totals_[i].first_offset;
      queue["last_offset"] = totals_[i].last_offset;
      queues.push_back(std::move(queue));
    }
    result["queues"] = std::move(queues);
    if (options_.body) result["id"] = last_id_;
    return result;
  }

  ProduceOptions options_;
  Console console_;
  Cluster& cluster_;
  std::string properties_;
  std::vector<QueuePlace> queues_;
  std::vector<QueueTotals> totals_;
  std::size_t next_queue_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  double seconds_ = 0;
  std::string last_id_;
};

}  // namespace

Result<std::vector<QueuePlace>> choose_queues(const ProduceOptions& options,
                                              std::vector<QueuePlace> queues) {
  if (queues.empty()) {
    return fail(Errc::permission_denied,
                "topic '" + options.message.topic + "' has no queue that takes messages");
  }
  if (options.is_spread) return queues;
  const std::int32_t wanted = options.queue.value_or(0);
  const auto found = std::ranges::find(queues, wanted, &QueuePlace::queue);
  if (found == queues.end()) {
    const auto last = std::ranges::max(queues, {}, &QueuePlace::queue).queue;
    return fail(Errc::invalid_argument, "--queue " + std::to_string(wanted) + ": topic '" +
                                            options.message.topic + "' has the queues 0 to " +
                                            std::to_string(last));
  }
  return std::vector<QueuePlace>{*found};
}

int produce(ProduceOptions options, const Console& console) {
  const std::string name_servers = options.name_servers;
  return run_on_cluster(console, name_servers, [&](Cluster* cluster) {
    auto production = std::make_shared<Production>(std::move(options), console, *cluster);
    return Production::run(std::move(production));
  });
}

}  // namespace sluice::cli
