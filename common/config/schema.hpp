#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Every setting there is, as one table. The loader, the typed access, the files in conf/ and their
/// test all derive from it; a setting that is not here is refused by name and line.

namespace sluice::config {

/// What a process is.
enum class Role : std::uint8_t { standalone, gateway, broker, nameserver };

inline constexpr Role kRoles[] = {Role::standalone, Role::gateway, Role::broker, Role::nameserver};

[[nodiscard]] std::string_view to_string(Role role) noexcept;
[[nodiscard]] std::optional<Role> role_of(std::string_view word) noexcept;

class RoleSet {
 public:
  constexpr RoleSet(std::initializer_list<Role> roles) noexcept {
    for (const Role role : roles) bits_ |= bit(role);
  }
  [[nodiscard]] constexpr bool contains(Role role) const noexcept {
    return (bits_ & bit(role)) != 0;
  }

 private:
  static constexpr unsigned bit(Role role) noexcept { return 1U << static_cast<unsigned>(role); }
  unsigned bits_ = 0;
};

enum class Type : std::uint8_t {
  text,        ///< Range: its length in bytes.
  word,        ///< One of Key::words.
  path,        ///< A file or directory; relative to the working directory.
  ip_address,  ///< IPv4 or IPv6, without port. May be empty if the range begins at 0.
  host_ports,  ///< A list of `host:port`. Range: how many.
  boolean,     ///< true or false.
  integer,
  bytes,    ///< A number with KiB, MiB, GiB or TiB, or of bytes.
  duration  ///< A number with ms, s, m, h or d; kept in milliseconds.
};

/// Both ends included. In bytes, milliseconds, items or plain numbers, as the type says.
struct Range {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

struct Key {
  std::string name;  ///< Dotted, such as `listeners.http.port`.
  Type type = Type::text;
  std::string default_text;  ///< As one would write it in a file.
  Range range;
  std::vector<std::string> words;  ///< Only of Type::word.
  RoleSet roles;
  std::string doc;  ///< Sentences for people; the unit, where the type does not say it.
};

/// The table, in the order of the files. The same for the life of the process.
[[nodiscard]] const std::vector<Key>& schema();

/// nullptr if there is no such setting.
[[nodiscard]] const Key* find_key(std::string_view name);

/// True if settings stand below `name`, as below `listeners` and `listeners.http`.
[[nodiscard]] bool is_section(std::string_view name);

}  // namespace sluice::config
