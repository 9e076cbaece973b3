#include "common/config/config.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "common/base/assert.hpp"
#include "common/base/limits.hpp"
#include "common/config/suggest.hpp"
#include "common/config/yaml_source.hpp"

namespace sluice::config {

namespace {

constexpr std::string_view kListenersPrefix = "listeners.";
constexpr std::string_view kCommonListenerKeys[] = {"enabled", "bind", "port", "sessions_max"};

bool is_any_address(std::string_view bind) {
  return bind == "0.0.0.0" || bind == "::";
}

/// A value and where somebody wrote it.
struct Given {
  std::string where;
  Entry entry;
};

std::string unknown_key_text(std::string_view name) {
  std::string text = "unknown key '" + std::string(name) + "'";
  const std::string like = closest_name(name);
  if (!like.empty()) text += " (did you mean '" + like + "'?)";
  return text;
}

/// `[a:1, b:2]`, as a list stands in a file.
Result<RawValue> parse_yaml_list(const std::string& text, std::string_view where) {
  RawValue value;
  const auto keep = [&](const Entry& entry) -> Result<> {
    value = entry.value;
    return {};
  };
  const auto walked = walk_yaml("list: " + text, where, keep);
  SLUICE_TRY(walked);
  return value;
}

std::string roles_text(const Key& key) {
  std::string text;
  for (const Role role : kRoles) {
    if (!key.roles.contains(role)) continue;
    if (!text.empty()) text += ", ";
    text += to_string(role);
  }
  return text;
}

}  // namespace

/// Collects what was given, decides the role, then understands every value.
class Loader {
 public:
  Result<> add_file(const std::string& text, std::string_view name) {
    const auto visit = [&](const Entry& entry) -> Result<> {
      const std::string where = std::string(name) + ":" + std::to_string(entry.line);
      const bool is_known = find_key(entry.name) != nullptr || is_section(entry.name);
      if (!is_known) {
        return fail(Errc::invalid_argument, where + ": " + unknown_key_text(entry.name));
      }
      given_.push_back({where, entry});
      return {};
    };
    return walk_yaml(text, name, visit);
  }

  Result<> add_override(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(Errc::invalid_argument,
                  "--set '" + text + "': write it as key=value, such as log.level=debug");
    }
    Entry entry{.name = text.substr(0, equals), .line = 0, .value = {}};
    entry.value.items.push_back(text.substr(equals + 1));
    const std::string where = "--set " + text;
    if (is_section(entry.name)) {
      return fail(Errc::invalid_argument, where + ": '" + entry.name +
                                              "' is a group of settings: name one, such as " +
                                              first_key_in(entry.name));
    }
    const Key* key = find_key(entry.name);
    if (key == nullptr) {
      return fail(Errc::invalid_argument, where + ": " + unknown_key_text(entry.name));
    }
    const bool is_yaml_list =
        key->type == Type::host_ports && entry.value.items.front().starts_with('[');
    if (is_yaml_list) {
      auto value = parse_yaml_list(entry.value.items.front(), where);
      SLUICE_TRY(value);
      entry.value = std::move(*value);
    }
    given_.push_back({where, std::move(entry)});
    return {};
  }

  Result<Config> finish(std::optional<Role> role) {
    const auto decided = decide_role(role);
    SLUICE_TRY(decided);
    config_.role_ = *decided;
    set_defaults();
    for (const Given& given : given_) {
      const auto applied = apply(given);
      SLUICE_TRY(applied);
    }
    config_.settings_.find("role")->second.value = std::string(to_string(config_.role_));
    const auto consistent = check_consistency();
    SLUICE_TRY(consistent);
    return std::move(config_);
  }

 private:
  static std::string first_key_in(std::string_view section) {
    for (const Key& key : schema()) {
      if (key.name.starts_with(std::string(section) + ".")) return key.name;
    }
    return {};
  }

  Result<Role> decide_role(std::optional<Role> role) const {
    if (role) return *role;
    Role decided = Role::standalone;
    for (const Given& given : given_) {
      if (given.entry.name != "role" || given.entry.value.items.empty()) continue;
      const auto named = role_of(given.entry.value.items.front());
      if (!named) {
        return fail(Errc::invalid_argument, given.where + ": role: '" +
                                                given.entry.value.items.front() + "' is not " +
                                                describe_allowed(*find_key("role")));
      }
      decided = *named;
    }
    return decided;
  }

  void set_defaults() {
    for (const Key& key : schema()) {
      if (!key.roles.contains(config_.role_)) continue;
      auto value = parse_value(key, RawValue{{key.default_text}, false});
      SLUICE_ASSERT(value.has_value(), "a default is a legal value");
      config_.settings_[key.name] = {std::move(*value), ""};
    }
  }

  Result<> apply(const Given& given) {
    const Entry& entry = given.entry;
    const auto wrong = [&](const std::string& what) {
      return fail(Errc::invalid_argument, given.where + ": " + what);
    };
    const Key* key = find_key(entry.name);
    if (key == nullptr) {
      // An empty group is what remains when all its settings are commented out.
      if (entry.kind != Entry::Kind::value) return {};
      return wrong("'" + entry.name + "' is a group of settings, not a setting: indent its keys " +
                   "below it, such as " + first_key_in(entry.name));
    }
    if (!key->roles.contains(config_.role_)) {
      return wrong("'" + entry.name + "' is no setting of the role " +
                   std::string(to_string(config_.role_)) + ", only of " + roles_text(*key));
    }
    if (entry.kind == Entry::Kind::group) return wrong(entry.name + ": is a setting, not a group");
    if (entry.kind == Entry::Kind::nothing) {
      return wrong(entry.name + ": has no value; expected " + describe_allowed(*key));
    }
    auto value = parse_value(*key, entry.value);
    if (!value) return wrong(entry.name + ": " + value.error().text);
    config_.settings_[entry.name] = {std::move(*value), given.where};
    return {};
  }

  /// The place to blame for `key`, with a colon; empty if nobody wrote it.
  [[nodiscard]] std::string blame(std::string_view key) const {
    const std::string& where = config_.settings_.find(key)->second.where;
    return where.empty() ? "" : where + ": ";
  }

  [[nodiscard]] Result<> check_consistency() const {
    const auto ports = check_ports();
    SLUICE_TRY(ports);
    if (!config_.has("listeners.remoting.bind")) return {};
    if (!is_any_address(config_.advertised_host())) return {};
    const std::string key =
        config_.role_ == Role::gateway ? "gateway.advertised_host" : "broker.advertised_host";
    return fail(Errc::invalid_argument,
                blame("listeners.remoting.bind") + "no client can connect to " +
                    config_.advertised_host() + ": set " + key +
                    " to the address under which clients reach this machine");
  }

  [[nodiscard]] Result<> check_ports() const {
    std::map<std::pair<std::string, std::uint16_t>, std::string> taken;
    for (const ListenerConfig& listener : config_.listeners()) {
      if (listener.port == 0) continue;
      const auto [other, is_free] =
          taken.try_emplace({listener.bind_address, listener.port}, listener.name);
      if (is_free) continue;
      const std::string key = "listeners." + listener.name + ".port";
      return fail(Errc::invalid_argument,
                  blame(key) + "listeners." + other->second + " and listeners." + listener.name +
                      " both want " + listener.bind_address + ":" + std::to_string(listener.port) +
                      ": change one port, or disable one of them");
    }
    return {};
  }

  std::vector<Given> given_;
  Config config_;
};

bool Config::has(std::string_view key) const noexcept {
  return settings_.find(key) != settings_.end();
}

const Value& Config::value_of(std::string_view key, Type type) const {
  const auto found = settings_.find(key);
  SLUICE_ASSERT(found != settings_.end(), "the setting exists in this role");
  SLUICE_ASSERT(find_key(key)->type == type, "the setting has this type");
  return found->second.value;
}

const std::string& Config::text(std::string_view key) const {
  const auto found = settings_.find(key);
  SLUICE_ASSERT(found != settings_.end(), "the setting exists in this role");
  const auto* text = std::get_if<std::string>(&found->second.value);
  SLUICE_ASSERT(text != nullptr, "the setting is a text");
  return *text;
}

std::int64_t Config::integer(std::string_view key) const {
  return std::get<std::int64_t>(value_of(key, Type::integer));
}

bool Config::boolean(std::string_view key) const {
  return std::get<bool>(value_of(key, Type::boolean));
}

std::uint64_t Config::bytes(std::string_view key) const {
  return static_cast<std::uint64_t>(std::get<std::int64_t>(value_of(key, Type::bytes)));
}

std::chrono::milliseconds Config::duration(std::string_view key) const {
  return std::chrono::milliseconds(std::get<std::int64_t>(value_of(key, Type::duration)));
}

const std::vector<std::string>& Config::list(std::string_view key) const {
  return std::get<std::vector<std::string>>(value_of(key, Type::host_ports));
}

SettingMap Config::settings(std::string_view prefix) const {
  const std::string below = std::string(prefix) + ".";
  SettingMap found;
  for (const auto& [name, setting] : settings_) {
    if (!name.starts_with(below)) continue;
    found.emplace(name.substr(below.size()), canonical_text(setting.value));
  }
  return found;
}

std::vector<ListenerConfig> Config::listeners() const {
  std::vector<ListenerConfig> found;
  for (const Key& key : schema()) {
    if (!key.name.starts_with(kListenersPrefix) || !key.name.ends_with(".enabled")) continue;
    if (!has(key.name) || !boolean(key.name)) continue;
    const std::string block = key.name.substr(0, key.name.rfind('.'));
    ListenerConfig listener{
        .name = block.substr(kListenersPrefix.size()),
        .bind_address = text(block + ".bind"),
        .port = static_cast<std::uint16_t>(integer(block + ".port")),
        .sessions_max = static_cast<std::uint32_t>(integer(block + ".sessions_max")),
        .settings = settings(block)};
    for (const std::string_view common : kCommonListenerKeys) {
      listener.settings.erase(listener.settings.find(common));
    }
    found.push_back(std::move(listener));
  }
  return found;
}

const std::string& Config::advertised_host() const {
  const std::string& given =
      text(role_ == Role::gateway ? "gateway.advertised_host" : "broker.advertised_host");
  return given.empty() ? text("listeners.remoting.bind") : given;
}

Result<Config> load_text(const std::string& text, std::string_view name,
                         const std::vector<std::string>& overrides, std::optional<Role> role) {
  Loader loader;
  const auto file_added = loader.add_file(text, name);
  SLUICE_TRY(file_added);
  for (const std::string& override_text : overrides) {
    const auto added = loader.add_override(override_text);
    SLUICE_TRY(added);
  }
  return loader.finish(role);
}

Result<Config> load(const std::optional<std::filesystem::path>& file,
                    const std::vector<std::string>& overrides, std::optional<Role> role) {
  if (!file) return load_text("", "", overrides, role);
  std::error_code error;
  const auto size = std::filesystem::file_size(*file, error);
  if (error) return fail(Errc::not_found, file->string() + ": " + error.message());
  if (size > limits::kConfigBytesMax) {
    return fail(Errc::invalid_argument, file->string() + ": has " + std::to_string(size) +
                                            " bytes; the limit is " +
                                            std::to_string(limits::kConfigBytesMax));
  }
  std::ifstream in(*file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) return fail(Errc::io_error, file->string() + ": cannot be read");
  return load_text(text, file->string(), overrides, role);
}

}  // namespace sluice::config
