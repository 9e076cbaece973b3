#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/base/types.hpp"

namespace sluice::model {

/// An IP address and port, as peers see it.
struct Endpoint {
  std::array<std::uint8_t, 16> address{};  ///< IPv4 in the first four bytes.
  bool is_v6 = false;
  std::uint16_t port = 0;

  [[nodiscard]] std::size_t address_size() const noexcept { return is_v6 ? 16 : 4; }
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// Reads `1.2.3.4:80` or `[::1]:80`. Names are not looked up.
/// \return invalid_argument, quoting the text.
[[nodiscard]] Result<Endpoint> parse_endpoint(std::string_view text);

/// The same form back.
[[nodiscard]] std::string to_string(const Endpoint& endpoint);

}  // namespace sluice::model
