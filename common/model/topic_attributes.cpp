#include "common/model/topic_attributes.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace sluice::model {

namespace {

// What gateways that speak of message types ask for.
constexpr std::array<std::string_view, 6> kMessageTypes = {"UNSPECIFIED", "NORMAL",      "FIFO",
                                                           "DELAY",       "TRANSACTION", "MIXED"};
constexpr std::array<std::string_view, 1> kQueueTypes = {"SimpleCQ"};
constexpr std::array<std::string_view, 1> kCleanupPolicies = {"DELETE"};
constexpr std::array<std::string_view, 1> kReserveTimes = {"-1"};

struct Attribute {
  std::string_view name;
  std::span<const std::string_view> values;
};

constexpr Attribute kAttributes[] = {{"message.type", kMessageTypes},
                                     {"queue.type", kQueueTypes},
                                     {"cleanup.policy", kCleanupPolicies},
                                     {"reserve.time", kReserveTimes}};

std::string list_of(std::span<const std::string_view> values) {
  std::string text;
  for (const std::string_view value : values) {
    if (!text.empty()) text.append(", ");
    text.append(value);
  }
  return text;
}

}  // namespace

Result<> check_topic_attribute(std::string_view name, std::string_view value) {
  const auto* const known = std::ranges::find(kAttributes, name, &Attribute::name);
  if (known == std::end(kAttributes)) {
    return fail(Errc::invalid_argument,
                "topics have the attributes message.type, queue.type, cleanup.policy and "
                "reserve.time, and no other");
  }
  if (std::ranges::find(known->values, value) != known->values.end()) return {};
  return fail(Errc::invalid_argument,
              "attribute " + std::string(name) + " may be one of: " + list_of(known->values));
}

}  // namespace sluice::model
