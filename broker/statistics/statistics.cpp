#include "broker/statistics/statistics.hpp"

#include <utility>

#include "common/base/metrics.hpp"

namespace sluice::broker {

namespace {

constexpr std::size_t kTicksPerMinute = 6;

}  // namespace

void History::start(Environment::Instant now) noexcept {
  const Environment::Instant before = now - limits::kStatisticsInterval;
  minute_.add(before, {});
  hour_.add(before, {});
  day_.add(before, {});
}

std::shared_ptr<Traffic> Statistics::find(Kind kind, std::string_view name) {
  static metrics::Counter& refused =
      metrics::counter("sluice_statistics_refused_total", "",
                       "Topics and groups not counted on their own: too many");
  const std::lock_guard lock(mutex_);
  ByName& names = kind == Kind::topic_put ? topics_ : groups_;
  const auto found = names.find(name);
  if (found != names.end()) return found->second.traffic;
  if (topics_.size() + groups_.size() >= names_max_) {
    refused.add();
    return uncounted_;
  }
  return names[std::string(name)].traffic;
}

void Statistics::forget_topic(std::string_view topic) {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(topic);
  if (found != topics_.end()) topics_.erase(found);
  const std::string prefix = std::string(topic) + "@";
  auto group = groups_.lower_bound(prefix);
  while (group != groups_.end() && group->first.starts_with(prefix)) group = groups_.erase(group);
}

void Statistics::sample(Environment::Instant now, std::int64_t day) {
  const std::lock_guard lock(mutex_);
  for (auto& [name, counted] : topics_) counted.history.sample(tick_, now, counted.traffic->flow());
  for (auto& [name, counted] : groups_) counted.history.sample(tick_, now, counted.traffic->flow());
  sample_whole(put_, now);
  sample_whole(got_, now);
  sample_whole(missed_, now);
  note_day(day);
  ++tick_;
}

void Statistics::sample_whole(Whole& whole, Environment::Instant now) const {
  const Flow flow = whole.traffic.flow();
  whole.history.sample(tick_, now, flow);
  whole.ten_minutes.add(now, flow);
}

void Statistics::note_day(std::int64_t day) {
  if (!day_) day_ = day;
  if (day <= *day_) return;
  day_ = day;
  yesterday_ = std::exchange(today_, totals());
}

Totals Statistics::totals() const noexcept {
  return {.put = put_.traffic.flow(), .got = got_.traffic.flow(), .missed = missed_.traffic.flow()};
}

std::optional<Statistics::Recent> Statistics::recent(Kind kind, std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = names(kind).find(name);
  if (found == names(kind).end()) return std::nullopt;
  const History& history = found->second.history;
  return Recent{history.minute(), history.hour(), history.day()};
}

Statistics::Recent Statistics::recent_put() const {
  const std::lock_guard lock(mutex_);
  return put_.recent();
}

Statistics::Recent Statistics::recent_got() const {
  const std::lock_guard lock(mutex_);
  return got_.recent();
}

double Statistics::rate(Kind kind, std::string_view name) const {
  const auto found = recent(kind, name);
  return found ? found->minute.per_second(found->minute.flow.messages) : 0;
}

Statistics::Pace Statistics::put_pace() const {
  const std::lock_guard lock(mutex_);
  return put_.pace();
}

Statistics::Pace Statistics::got_pace() const {
  const std::lock_guard lock(mutex_);
  return got_.pace();
}

Statistics::Pace Statistics::missed_pace() const {
  const std::lock_guard lock(mutex_);
  return missed_.pace();
}

Statistics::Days Statistics::days() const {
  const std::lock_guard lock(mutex_);
  return {.now = totals(), .today = today_, .yesterday = yesterday_};
}

Statistics::Pace Statistics::Whole::pace() const noexcept {
  return {ten_minutes.latest(1), ten_minutes.latest(kTicksPerMinute),
          ten_minutes.latest(kTenMinuteSteps)};
}

Statistics::Recent Statistics::Whole::recent() const noexcept {
  return {history.minute(), history.hour(), history.day()};
}

}  // namespace sluice::broker
