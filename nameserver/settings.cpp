#include "nameserver/settings.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace sluice::nameserver {

namespace {

struct Switch {
  std::string_view name;
  bool Settings::* value;
};

constexpr Switch kSwitches[] = {
    {"orderMessageEnable", &Settings::order_messages},
    {"returnOrderTopicConfigToBroker", &Settings::return_order_topics},
    {"supportActingMaster", &Settings::acting_leaders},
    {"deleteTopicWithBrokerRegistration", &Settings::forget_unregistered},
    {"enableAllTopicList", &Settings::list_all_topics},
    {"enableTopicList", &Settings::list_topics},
};

constexpr std::string_view kBlackListName = "configBlackList";
constexpr std::string_view kBlackList = "configBlackList;configStorePath;kvConfigPath";
constexpr std::array<std::string_view, 3> kBlackListed = {kBlackListName, "configStorePath",
                                                          "kvConfigPath"};

constexpr std::string_view text_of(bool value) noexcept {
  return value ? "true" : "false";
}

Result<> set(Settings& settings, std::string_view name, std::string_view text) {
  if (std::ranges::find(kBlackListed, name) != std::end(kBlackListed)) {
    return fail(Errc::permission_denied,
                "Can not update config in black list: " + std::string(name));
  }
  const auto* const found = std::ranges::find(kSwitches, name, &Switch::name);
  if (found == std::end(kSwitches)) {
    return fail(Errc::protocol_error,
                "this name server has no setting \"" + std::string(name) +
                    "\" that could be changed: GET_NAMESRV_CONFIG lists those that it has");
  }
  if (text != "true" && text != "false") {
    return fail(Errc::protocol_error,
                std::string(found->name) + " is true or false, not \"" + std::string(text) + "\"");
  }
  settings.*(found->value) = text == "true";
  return {};
}

}  // namespace

Result<> Settings::update(const model::TextMap& settings) {
  Settings next = *this;
  for (const auto& [name, text] : settings) SLUICE_TRY(set(next, name, text));
  *this = next;
  return {};
}

model::TextMap Settings::to_texts() const {
  model::TextMap texts;
  for (const Switch& one : kSwitches) texts.emplace(one.name, text_of(this->*one.value));
  texts.emplace(kBlackListName, kBlackList);
  return texts;
}

model::TextMap Settings::changed() const {
  const Settings defaults;
  model::TextMap texts;
  for (const Switch& one : kSwitches) {
    if (this->*one.value == defaults.*one.value) continue;
    texts.emplace(one.name, text_of(this->*one.value));
  }
  return texts;
}

}  // namespace sluice::nameserver
