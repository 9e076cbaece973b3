// Administration: how the broker fares and is set up.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "broker/admin/administration.hpp"
#include "common/base/limits.hpp"

namespace sluice::broker {

namespace {

using Info = std::vector<model::NameValue>;

/// The release whose behaviour and names these are.
constexpr std::string_view kVersionName = "V5_5_0";

/// Java's form of a double: `0.0`, `41.3`.
std::string decimal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text.append(".0");
  return text;
}

/// Rates over 10 s, a minute and 10 minutes. `amount` says of what.
template <class Amount>
std::string paces(const Statistics::Pace& pace, Amount amount) {
  const auto rate = [&](const FlowBetween& between) {
    return decimal(between.per_second(amount(between.flow)));
  };
  return fmt::format("{} {} {}", rate(pace.ten_seconds), rate(pace.minute), rate(pace.ten_minutes));
}

std::uint64_t messages_of(const Flow& flow) noexcept {
  return flow.messages;
}

std::uint64_t calls_of(const Flow& flow) noexcept {
  return flow.calls;
}

/// All pulls: those that found something and those that did not.
std::string total_paces(const Statistics::Pace& found, const Statistics::Pace& missed) {
  const auto rate = [](const FlowBetween& a, const FlowBetween& b) {
    return decimal(a.per_second(a.flow.calls) + b.per_second(b.flow.calls));
  };
  return fmt::format("{} {} {}", rate(found.ten_seconds, missed.ten_seconds),
                     rate(found.minute, missed.minute),
                     rate(found.ten_minutes, missed.ten_minutes));
}

std::string running_time(std::chrono::seconds time) {
  const std::int64_t seconds = time.count();
  return fmt::format("[ {} days, {} hours, {} minutes, {} seconds ]", seconds / 86'400,
                     seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
}

model::Rate rate_of(const FlowBetween& between, std::uint64_t amount) noexcept {
  const std::uint64_t calls = between.flow.calls;
  return {.sum = amount,
          .per_second = between.per_second(amount),
          .per_call = calls == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(calls)};
}

/// What a count is called, where it is found, and whether it is of messages or of bytes.
struct CountName {
  std::string_view name;
  Statistics::Kind kind;
  std::uint64_t (*amount)(const Flow& flow) noexcept;
};

std::uint64_t bytes_of(const Flow& flow) noexcept {
  return flow.bytes;
}

constexpr CountName kCountNames[] = {{"TOPIC_PUT_NUMS", Statistics::Kind::topic_put, messages_of},
                                     {"TOPIC_PUT_SIZE", Statistics::Kind::topic_put, bytes_of},
                                     {"GROUP_GET_NUMS", Statistics::Kind::group_get, messages_of},
                                     {"GROUP_GET_SIZE", Statistics::Kind::group_get, bytes_of}};

model::RatesReply rates_of(const Statistics::Recent& recent,
                           std::uint64_t (*amount)(const Flow&) noexcept) {
  return {.minute = rate_of(recent.minute, amount(recent.minute.flow)),
          .hour = rate_of(recent.hour, amount(recent.hour.flow)),
          .day = rate_of(recent.day, amount(recent.day.flow))};
}

}  // namespace

// --- runtime ---------------------------------------------------------------------------------

Task<model::AdminReply> Administration::serve(model::QueryRuntime /*query*/) {
  auto info = co_await store_info();
  SLUICE_CO_TRY(info);
  model::SettingsReply reply{.settings = std::move(*info), .version = {}};
  std::ranges::move(flow_info(), std::back_inserter(reply.settings));
  std::ranges::move(load_info(), std::back_inserter(reply.settings));
  const auto up = parts_.runtime.environment().steady_now() - started_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(up);
  reply.settings.emplace_back("bootTimestamp", std::to_string(started_at_.value));
  reply.settings.emplace_back("brokerActive", "true");
  reply.settings.emplace_back("brokerVersionDesc", kVersionName);
  reply.settings.emplace_back("runtime", running_time(seconds));
  std::ranges::sort(reply.settings);
  co_return reply;
}

Info Administration::flow_info() const {
  const Statistics& statistics = parts_.statistics;
  const Statistics::Days days = statistics.days();
  const auto got = statistics.got_pace();
  const auto missed = statistics.missed_pace();
  const Flow& put = days.now.put;
  const double average =
      put.messages == 0 ? 0 : static_cast<double>(put.bytes) / static_cast<double>(put.messages);
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  return {
      {"getFoundTps", paces(got, calls_of)},
      {"getMissTps", paces(missed, calls_of)},
      {"getTotalTps", total_paces(got, missed)},
      {"getTransferedTps", paces(got, messages_of)},  // What 4.9 looks for.
      {"getTransferredTps", paces(got, messages_of)},
      {"msgGetTotalTodayMorning", number(days.today.got.messages)},
      {"msgGetTotalTodayNow", number(days.now.got.messages)},
      {"msgGetTotalYesterdayMorning", number(days.yesterday.got.messages)},
      {"msgPutTotalTodayMorning", number(days.today.put.messages)},
      {"msgPutTotalTodayNow", number(put.messages)},
      {"msgPutTotalYesterdayMorning", number(days.yesterday.put.messages)},
      {"putMessageAverageSize", decimal(average)},
      {"putMessageSizeTotal", number(put.bytes)},
      {"putMessageTimesTotal", number(put.messages)},
      {"putTps", paces(statistics.put_pace(), messages_of)},
  };
}

// Tools read these and stop without them. Sluice has no queue between a request and its work, no
// index behind the log, and no timer wheel: nothing waits there.
Info Administration::load_info() const {
  return {
      {"ackThreadPoolQueueHeadWaitTimeMills", "0"},
      {"ackThreadPoolQueueSize", "0"},
      {"dispatchBehindBytes", "0"},
      {"pageCacheLockTimeMills", "0"},
      {"pullThreadPoolQueueHeadWaitTimeMills", "0"},
      {"pullThreadPoolQueueSize", "0"},
      {"sendThreadPoolQueueHeadWaitTimeMills", "0"},
      {"sendThreadPoolQueueSize", "0"},
      {"timerCongestNum", "0"},
      {"timerDequeueTps", "0.0"},
      {"timerEnqueueTps", "0.0"},
      {"timerOffsetBehind", "0"},
      {"timerReadBehind", "0"},
  };
}

Task<Info> Administration::store_info() {
  auto usage = co_await parts_.engine.usage();
  SLUICE_CO_TRY(usage);
  std::int64_t oldest = -1;
  if (usage->oldest) {
    auto record = co_await parts_.engine.read_at(*usage->oldest);
    // Retention may have been faster.
    if (record) oldest = record->stored_at.value;
  }
  const auto position = [](const std::optional<storage::Position>& at) {
    return at ? std::to_string(at->value) : std::string("-1");
  };
  Info info = {
      {"commitLogMaxOffset", position(usage->newest)},
      {"commitLogMinOffset", position(usage->oldest)},
      {"earliestMessageTimeStamp", std::to_string(oldest)},
  };
  DiskSpace space;
  if (parts_.options.disk_space) {
    auto known = parts_.options.disk_space();
    SLUICE_CO_TRY(known);
    space = *known;
  }
  const std::uint64_t used = space.total_bytes - space.free_bytes;
  const double ratio = space.total_bytes == 0
                           ? 0
                           : static_cast<double>(used) / static_cast<double>(space.total_bytes);
  info.emplace_back("commitLogDirCapacity",
                    fmt::format("Total : {}, Free : {}.", gibibytes(space.total_bytes),
                                gibibytes(space.free_bytes)));
  info.emplace_back("commitLogDiskRatio", fmt::format("{:.2f}", ratio));
  info.emplace_back("consumeQueueDiskRatio", fmt::format("{:.2f}", ratio));
  co_return info;
}

// --- settings --------------------------------------------------------------------------------

Task<model::AdminReply> Administration::serve(model::QueryBrokerSettings /*query*/) {
  co_return model::SettingsReply{.settings = parts_.settings.list(),
                                 .version = parts_.settings.version()};
}

Task<model::AdminReply> Administration::serve(model::ChangeBrokerSettings change) {
  auto changed = parts_.settings.change(change.settings);
  SLUICE_CO_TRY(changed);
  co_return model::Administered{};
}

// --- rates -----------------------------------------------------------------------------------

Task<model::AdminReply> Administration::serve(model::QueryRates query) {
  const bool is_own_cluster = query.key == parts_.options.cluster;
  if (query.name == "BROKER_PUT_NUMS" && is_own_cluster) {
    co_return rates_of(parts_.statistics.recent_put(), messages_of);
  }
  if (query.name == "BROKER_GET_NUMS" && is_own_cluster) {
    co_return rates_of(parts_.statistics.recent_got(), messages_of);
  }
  const auto* const known = std::ranges::find(kCountNames, query.name, &CountName::name);
  if (known != std::end(kCountNames)) {
    const auto recent = parts_.statistics.recent(known->kind, query.key);
    if (recent) co_return rates_of(*recent, known->amount);
  }
  co_return fail(Errc::not_found, "nothing was counted under that name and key");
}

}  // namespace sluice::broker
