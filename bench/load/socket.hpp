#pragma once

#include <cstdint>
#include <string>

namespace sluice::bench {

struct Address {
  std::string host;  ///< A numeric IPv4 address.
  std::uint16_t port;
};

/// "127.0.0.1:10911". Fails on anything else.
[[nodiscard]] Address parse_address(const std::string& text);

/// A connected, blocking TCP socket without Nagle's delay, or -1 with errno set.
[[nodiscard]] int try_connect(const Address& address);

/// The same; fails where try_connect() would return -1.
[[nodiscard]] int connect_to(const Address& address);

/// Raises the limit of open files to what the system allows this process.
void raise_open_files_limit();

}  // namespace sluice::bench
