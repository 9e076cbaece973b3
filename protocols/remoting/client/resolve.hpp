#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "common/base/error.hpp"
#include "common/base/unique_function.hpp"
#include "common/runtime/runtime.hpp"

namespace sluice::remoting {

/// `host:port` taken apart. IPv6 addresses stand in brackets.
struct HostPort {
  std::string host;  ///< Without brackets.
  std::uint16_t port = 0;

  friend bool operator==(const HostPort&, const HostPort&) = default;
};

/// \return invalid_argument, quoting the text, if it is not `host:port` with a port from 1 to
/// 65535.
[[nodiscard]] Result<HostPort> parse_host_port(std::string_view text);

using TcpEndpoints = std::vector<boost::asio::ip::tcp::endpoint>;

/// Looks `address` (`host:port`) up: names on a worker thread, numbers at once. Calls `done` on
/// `executor`, from which this is called; for numbers before it returns.
///
/// `done` gets at least one endpoint, or invalid_argument as above, or unavailable if nobody knows
/// the name.
void resolve(Runtime& runtime, Executor executor, std::string_view address,
             UniqueFunction<void(Result<TcpEndpoints>)> done);

}  // namespace sluice::remoting
