#include "broker/settings/settings.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "common/base/limits.hpp"
#include "common/base/log.hpp"

namespace sluice::broker {

namespace {

constexpr std::int64_t kMillisPerHour = 3'600'000;
constexpr std::int64_t kRetentionHoursMax = 24 * 36'500;
constexpr std::size_t kNameBytesInTexts = 128;
constexpr std::string_view kSyncFlush = "SYNC_FLUSH";
constexpr std::string_view kAsyncFlush = "ASYNC_FLUSH";

std::string text_of(bool value) {
  return value ? "true" : "false";
}

std::optional<bool> to_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<std::int64_t> to_number(std::string_view text, std::int64_t min, std::int64_t max) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool is_whole = error == std::errc{} && stop == end && !text.empty();
  if (!is_whole || number < min || number > max) return std::nullopt;
  return number;
}

/// `ip:port` in its parts.
std::pair<std::string, std::string> parts_of(const model::Endpoint& endpoint) {
  const std::string text = model::to_string(endpoint);
  const std::size_t colon = text.rfind(':');
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::vector<model::NameValue> fixed_settings(const BrokerOptions& options) {
  const auto [address, port] = parts_of(options.advertised);
  const auto millis = [](auto duration) {
    return std::to_string(std::chrono::milliseconds(duration).count());
  };
  std::vector<model::NameValue> settings = {
      {"brokerClusterName", options.cluster},
      {"brokerIP1", address},
      {"brokerId", std::to_string(options.id)},
      {"brokerName", options.name},
      {"brokerPermission", "6"},
      {"brokerRole", options.id == model::kLeaderId ? "ASYNC_MASTER" : "SLAVE"},
      {"channelExpiredTimeout", millis(limits::kClientExpiry)},
      {"cleanResourceInterval", millis(options.retention_interval)},
      {"enablePropertyFilter", "false"},
      {"listenPort", port},
      {"longPollingEnable", "true"},
      {"maxMessageSize", std::to_string(limits::kMessageBodyBytesMax)},
      {"serverChannelMaxIdleTimeSeconds", std::to_string(limits::kSessionIdleMax.count())},
  };
  std::ranges::sort(settings);
  return settings;
}

tl::unexpected<Error> refuse_value(std::string_view name, std::string_view range) {
  return fail(Errc::invalid_argument,
              "setting " + std::string(name) + " must be " + std::string(range));
}

}  // namespace

/// One setting that can be changed: its name, what it may be, and how it is read and set.
struct Settings::Changeable {
  std::string_view name;
  std::string_view range;
  std::string (*get)(const Settings& settings);
  /// \return false if `text` is not in the range. Changes nothing if `settings` is null.
  bool (*set)(Settings* settings, std::string_view text);
};

const std::vector<Settings::Changeable>& Settings::changeable() {
  static const std::vector<Changeable> kAll = {
      {"autoCreateSubscriptionGroup", "true or false",
       [](const Settings& it) { return text_of(it.creates_groups_); },
       [](Settings* it, std::string_view text) {
         const auto value = to_boolean(text);
         if (value && it != nullptr) it->creates_groups_ = *value;
         return value.has_value();
       }},
      {"autoCreateTopicEnable", "true or false",
       [](const Settings& it) { return text_of(it.creates_topics_); },
       [](Settings* it, std::string_view text) {
         const auto value = to_boolean(text);
         if (value && it != nullptr) it->creates_topics_ = *value;
         return value.has_value();
       }},
      {"defaultTopicQueueNums", "a number from 1 to 4096",
       [](const Settings& it) { return std::to_string(it.default_queues_); },
       [](Settings* it, std::string_view text) {
         const auto value = to_number(text, 1, limits::kQueuesPerTopicMax);
         if (value && it != nullptr) it->default_queues_ = static_cast<std::int32_t>(*value);
         return value.has_value();
       }},
      {"fileReservedTime", "a number of hours from 0 (for ever) to 876000",
       [](const Settings& it) {
         return std::to_string((it.retention_age_ms_ + kMillisPerHour - 1) / kMillisPerHour);
       },
       [](Settings* it, std::string_view text) {
         const auto value = to_number(text, 0, kRetentionHoursMax);
         if (value && it != nullptr) it->retention_age_ms_ = *value * kMillisPerHour;
         return value.has_value();
       }},
      {"flushDiskType", "SYNC_FLUSH or ASYNC_FLUSH",
       [](const Settings& it) {
         const bool is_synced = it.durability_ == storage::Durability::synced;
         return std::string(is_synced ? kSyncFlush : kAsyncFlush);
       },
       [](Settings* it, std::string_view text) {
         const bool is_known = text == kSyncFlush || text == kAsyncFlush;
         if (is_known && it != nullptr) {
           it->durability_ =
               text == kSyncFlush ? storage::Durability::synced : storage::Durability::buffered;
         }
         return is_known;
       }},
  };
  return kAll;
}

Settings::Settings(const BrokerOptions& options, Environment& environment)
    : fixed_(fixed_settings(options)),
      environment_(environment),
      creates_topics_(options.auto_create_topics),
      creates_groups_(options.auto_create_groups),
      default_queues_(options.default_queues),
      durability_(options.durability),
      retention_age_ms_(options.retention_age.count()) {
  version_.timestamp_ms = environment.now().value;
}

std::vector<model::NameValue> Settings::list() const {
  std::vector<model::NameValue> all = fixed_;
  const std::lock_guard lock(mutex_);
  for (const Changeable& setting : changeable()) {
    all.emplace_back(setting.name, setting.get(*this));
  }
  std::ranges::sort(all);
  return all;
}

model::DataVersion Settings::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

Result<> Settings::check(const model::NameValue& setting) const {
  const auto& [name, value] = setting;
  const auto known = std::ranges::find(changeable(), name, &Changeable::name);
  if (known != changeable().end()) {
    if (!known->set(nullptr, value)) return refuse_value(known->name, known->range);
    return {};
  }
  const auto fixed = std::ranges::find(fixed_, name, &model::NameValue::first);
  if (fixed == fixed_.end()) {
    return fail(
        Errc::permission_denied,
        "there is no setting \"" + name.substr(0, kNameBytesInTexts) + "\" that can be changed");
  }
  if (fixed->second == value) return {};
  return fail(Errc::permission_denied, "setting " + name +
                                           " is given when the broker starts: change it in the "
                                           "configuration and start the broker anew");
}

Result<> Settings::change(const std::vector<model::NameValue>& settings) {
  for (const model::NameValue& setting : settings) SLUICE_TRY(check(setting));
  const std::lock_guard lock(mutex_);
  for (const auto& [name, value] : settings) {
    const auto known = std::ranges::find(changeable(), name, &Changeable::name);
    if (known == changeable().end()) continue;  // Fixed, and as it is.
    known->set(this, value);
    log::info("setting {} is {} until this broker ends", known->name, known->get(*this));
  }
  version_.timestamp_ms = environment_.now().value;
  ++version_.counter;
  return {};
}

}  // namespace sluice::broker
