#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "broker/statistics/history.hpp"
#include "broker/statistics/traffic.hpp"
#include "common/base/limits.hpp"
#include "common/base/types.hpp"

namespace sluice::broker {

/// What the broker as a whole took and gave.
struct Totals {
  Flow put;
  Flow got;     ///< Messages that pulls found.
  Flow missed;  ///< `calls`: pulls that found nothing.
};

/// Counts messages and bytes by topic, and by group in a topic, and tells how fast they flow.
///
/// Who counts finds the Traffic once and keeps it: no look-up a message. Safe from any thread.
class Statistics {
 public:
  explicit Statistics(std::size_t names_max = limits::kCountedNamesMax) noexcept
      : names_max_(names_max) {}

  enum class Kind : std::uint8_t {
    topic_put,  ///< By topic.
    group_get   ///< By `topic@group`.
  };

  /// The same for the same name. Over the bound of names: uncounted(), and that is counted in
  /// metrics. Never null.
  [[nodiscard]] std::shared_ptr<Traffic> find(Kind kind, std::string_view name);

  /// What nobody asks for.
  [[nodiscard]] const std::shared_ptr<Traffic>& uncounted() const noexcept { return uncounted_; }

  /// Forgets a topic, and all groups in it.
  void forget_topic(std::string_view topic);

  [[nodiscard]] Traffic& put() noexcept { return put_.traffic; }
  [[nodiscard]] Traffic& got() noexcept { return got_.traffic; }
  [[nodiscard]] Traffic& missed() noexcept { return missed_.traffic; }

  /// Every limits::kStatisticsInterval. Rates are between these moments.
  /// \param day  Days since 1970 by the wall clock: totals are remembered where it changes.
  void sample(Environment::Instant now, std::int64_t day);

  /// What flowed over the last minute, hour and day; nullopt for a name that nothing was counted
  /// under.
  struct Recent {
    FlowBetween minute;
    FlowBetween hour;
    FlowBetween day;
  };
  [[nodiscard]] std::optional<Recent> recent(Kind kind, std::string_view name) const;
  [[nodiscard]] Recent recent_put() const;
  [[nodiscard]] Recent recent_got() const;

  /// Messages a second over the last minute; 0 for a name that nothing was counted under.
  [[nodiscard]] double rate(Kind kind, std::string_view name) const;

  /// Over the last 10 s, minute and 10 minutes, as brokers print it.
  struct Pace {
    FlowBetween ten_seconds;
    FlowBetween minute;
    FlowBetween ten_minutes;
  };
  [[nodiscard]] Pace put_pace() const;
  [[nodiscard]] Pace got_pace() const;
  [[nodiscard]] Pace missed_pace() const;

  /// Since the start: now, and as it was when the day and the day before began.
  struct Days {
    Totals now;
    Totals today;
    Totals yesterday;
  };
  [[nodiscard]] Days days() const;

 private:
  struct Counted {
    std::shared_ptr<Traffic> traffic = std::make_shared<Traffic>();
    History history;
  };
  struct Whole {
    static constexpr std::size_t kTenMinuteSteps = 60;

    [[nodiscard]] Pace pace() const noexcept;
    [[nodiscard]] Recent recent() const noexcept;

    Traffic traffic;
    History history;
    FlowRing<kTenMinuteSteps + 1> ten_minutes;
  };
  using ByName = std::map<std::string, Counted, std::less<>>;

  [[nodiscard]] const ByName& names(Kind kind) const noexcept {
    return kind == Kind::topic_put ? topics_ : groups_;
  }
  [[nodiscard]] Totals totals() const noexcept;
  void sample_whole(Whole& whole, Environment::Instant now) const;
  void note_day(std::int64_t day);

  const std::size_t names_max_;
  const std::shared_ptr<Traffic> uncounted_ = std::make_shared<Traffic>();
  mutable std::mutex mutex_;  ///< For all below but the counts themselves.
  ByName topics_;
  ByName groups_;
  Whole put_;
  Whole got_;
  Whole missed_;
  std::uint64_t tick_ = 0;
  std::optional<std::int64_t> day_;
  Totals today_;
  Totals yesterday_;
};

}  // namespace sluice::broker
