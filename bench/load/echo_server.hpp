#pragma once

#include <cstdint>

namespace sluice::bench {

/// The limit that a coroutine server on this machine can come near to: one coroutine for each
/// connection reads, cuts the frames and writes, for every frame, a reply as large as the Java
/// broker's reply to the same request. It looks at nothing else and stores nothing.
///
/// Prints `ready {"listeners":{"remoting":"127.0.0.1:<port>"}}` and serves until SIGTERM or SIGINT.
/// \param port 0: any free port.
void run_echo_server(std::uint16_t port);

}  // namespace sluice::bench
