#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "common/config/schema.hpp"
#include "common/config/value.hpp"

namespace sluice::config {

/// Settings by name without prefix, in the one spelling of canonical_text().
using SettingMap = std::map<std::string, std::string, std::less<>>;

/// One enabled block under `listeners`.
struct ListenerConfig {
  std::string name;  ///< The plugin's.
  std::string bind_address;
  std::uint16_t port = 0;
  std::uint32_t sessions_max = 0;
  SettingMap settings;  ///< The rest of the block.
};

/// The settings of one process: every key of its role, from command line, file or default.
///
/// Asking for a key that its role does not have, or as another type than the schema says, is a bug.
class Config {
 public:
  [[nodiscard]] Role role() const noexcept { return role_; }

  /// True if `key` is a setting of this process's role.
  [[nodiscard]] bool has(std::string_view key) const noexcept;

  /// Of text, word, path and ip_address.
  [[nodiscard]] const std::string& text(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key) const;
  [[nodiscard]] bool boolean(std::string_view key) const;
  [[nodiscard]] std::uint64_t bytes(std::string_view key) const;
  [[nodiscard]] std::chrono::milliseconds duration(std::string_view key) const;
  /// Of host_ports.
  [[nodiscard]] const std::vector<std::string>& list(std::string_view key) const;

  /// The settings below `prefix`: settings("storage.log") has `segment_bytes`.
  [[nodiscard]] SettingMap settings(std::string_view prefix) const;

  /// The enabled listeners of this role, in the order of the schema.
  [[nodiscard]] std::vector<ListenerConfig> listeners() const;

  /// Where clients are told to find this process: advertised_host, or the remoting listener's
  /// address. An IP address. Not for a name server.
  [[nodiscard]] const std::string& advertised_host() const;

 private:
  friend class Loader;

  struct Setting {
    Value value;
    std::string where;  ///< `file:line`, `--set …`, or empty for a default.
  };

  [[nodiscard]] const Value& value_of(std::string_view key, Type type) const;

  Role role_ = Role::standalone;
  std::map<std::string, Setting, std::less<>> settings_;
};

/// Reads the settings of one process.
///
/// \param file       A YAML file; none: defaults.
/// \param overrides  `key=value` with dotted keys; they win over the file, later over earlier.
/// \param role       Wins over the key `role`.
/// \return invalid_argument whose text begins with `file:line:` or the override, and names the key:
///         unknown keys, keys of another role, wrong types, values out of range, listeners that
///         want one port. not_found if there is no such file.
[[nodiscard]] Result<Config> load(const std::optional<std::filesystem::path>& file,
                                  const std::vector<std::string>& overrides,
                                  std::optional<Role> role);

/// The same from text; `name` stands for the file in error texts.
[[nodiscard]] Result<Config> load_text(const std::string& text, std::string_view name,
                                       const std::vector<std::string>& overrides,
                                       std::optional<Role> role);

}  // namespace sluice::config
